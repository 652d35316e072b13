// The wizard's camera step: the picture live, "ready" or what to change with the place marked,
// which camera, and calibrating by the printed sheet.
import { askPin, attempt, get, guideLink, h, icon, me, post, t, toast } from "./ui.js";

const PICTURE_MS = 400;
const CHECK_MS = 2000;

export class CameraStep {
  constructor(next, go, query = "") {
    this.next = next;
    this.go = go;
    this.query = query;
    this.image = h("img.camera", { alt: t("camera-picture") });
    this.marks = h("div.marks", { "aria-hidden": "true" });
    this.view = h("div.viewfinder.waiting", {}, this.image, this.marks);
    this.asks = h(
      "button.wide",
      { hidden: true, onclick: () => askPin() },
      icon("key"),
      t("be-host"),
    );
    this.verdict = h(
      "div.ready-line",
      { role: "status" },
      icon("camera"),
      h("span", {}, t("camera-looking")),
    );
    this.advice = h("ul.advice");
    this.phone = h("div");
    this.source = h("select", {
      "aria-label": t("camera-which"),
      onchange: (e) => this.choose(e.target.value),
    });
    this.sheet = h("div");
    this.element = h(
      "div.card.camera-step",
      {},
      h("h2", {}, t("camera-title")),
      this.view,
      this.asks,
      this.verdict,
      this.advice,
      h(
        "div.row",
        {},
        h("span.grow"),
        h("button.primary.big", { onclick: () => next() }, t("next")),
      ),
      guideLink("camera"),
      h("label.field", {}, h("span", {}, t("camera-which")), this.source),
      this.phone,
      h(
        "details.options",
        {},
        h("summary", {}, t("calibrate")),
        h("p", {}, t("calibrate-text")),
        h(
          "p.hint-line",
          {},
          icon("print"),
          h(
            "a",
            { href: "/api/sheet.pdf", target: "_blank", rel: "noopener" },
            t("calibrate-print"),
          ),
        ),
        this.sheet,
      ),
    );
    this.open = true;
    this.image.addEventListener("load", () => {
      this.view.classList.remove("waiting");
      this.later(PICTURE_MS, () => this.picture());
    });
    this.image.addEventListener("error", () => {
      this.view.classList.add("waiting");
      this.later(1500, () => this.picture());
    });
    this.check().then(() => this.picture());
  }

  close() {
    this.open = false;
    this.image.removeAttribute("src");
  }

  later(ms, action) {
    setTimeout(() => {
      if (this.open && this.element.isConnected) action();
    }, ms);
  }

  // Pictures of the table are not for everybody: who begins a game shows the PIN here.
  picture() {
    this.asks.hidden = me.may.pictures;
    if (this.open && this.seen && me.may.pictures)
      this.image.src = `/api/picture.jpg?t=${Date.now()}`;
    else this.later(1500, () => this.picture());
  }

  async check() {
    try {
      const seen = await get(`/api/camera${this.query}`);
      if (this.open) this.show(seen);
    } catch (error) {
      this.say("bad", "cross", [error.message, error.detail].filter(Boolean).join(" "));
    }
    this.later(CHECK_MS, () => this.check());
  }

  show(seen) {
    this.seen = seen.seen;
    this.kind = seen.kind;
    this.view.hidden = !seen.seen;
    this.say(
      seen.ready ? "good" : seen.seen ? "bad" : "wait",
      seen.ready ? "check" : seen.seen ? "hint" : "camera",
      seen.text,
    );
    this.advice.replaceChildren(
      ...seen.advice.map((one, n) =>
        h("li", {}, h("b.pin-mark", {}, n + 1), h("span", {}, one.text)),
      ),
    );
    this.marks.replaceChildren(
      ...seen.advice.map((one, n) => mark(one.box, n + 1)).filter(Boolean),
    );
    const key = JSON.stringify([seen.sources, seen.source]);
    if (key !== this.sourcesKey) {
      this.sourcesKey = key;
      this.source.replaceChildren(
        ...seen.sources.map((one) =>
          h("option", { value: one.source, selected: one.source === seen.source }, one.name),
        ),
      );
      this.showPhone(seen);
    }
    this.showSheet(seen.calibrated);
  }

  say(kind, name, text) {
    if (this.said === text) return;
    this.said = text;
    this.verdict.className = `ready-line ${kind}`;
    this.verdict.replaceChildren(icon(name), h("span", {}, text));
  }

  async choose(source) {
    this.seen = false;
    this.view.classList.add("waiting");
    this.say("wait", "camera", t("camera-looking"));
    const done = await attempt(() => post("/api/camera", { source }));
    if (!done) this.sourcesKey = "";
    await this.check();
  }

  showPhone(seen) {
    if (seen.kind === "demo") {
      this.phone.replaceChildren(h("p.quiet", {}, t("demo-note")));
      return;
    }
    if (seen.kind !== "phone") {
      this.phone.replaceChildren();
      return;
    }
    this.phone.replaceChildren(
      h(
        "div.phone-ways",
        {},
        h("button.primary", { onclick: () => this.go("/camera") }, icon("camera"), t("phone-open")),
        h("p", {}, t("phone-other")),
        h("img.qr.small", {
          src: "/api/qr.svg?view=camera",
          alt: t("join-alt"),
          width: 180,
          height: 180,
        }),
      ),
    );
  }

  showSheet(calibrated) {
    const key = JSON.stringify(calibrated);
    if (key === this.sheetKey) return;
    this.sheetKey = key;
    this.sheet.replaceChildren(
      ...[
        calibrated
          ? h(
              "p.ready-line.good",
              {},
              icon("check"),
              h("span", {}, t("calibrate-done", { n: calibrated.pictures })),
            )
          : null,
        h(
          "div.row.wrap",
          {},
          h("button", { onclick: () => this.calibrate() }, icon("camera"), t("calibrate-take")),
          calibrated
            ? h("button.ghost", { onclick: () => this.forget() }, t("calibrate-forget"))
            : null,
        ),
      ].filter(Boolean),
    );
  }

  async calibrate() {
    const done = await attempt(() => post("/api/camera/calibrate"));
    if (done) {
      this.showSheet(done.calibrated);
      toast(t("calibrate-done", { n: done.calibrated.pictures }));
    }
  }

  async forget() {
    const done = await attempt(() => post("/api/camera/forget"));
    if (done) this.showSheet(null);
  }
}

// A numbered frame around a place, given as shares of the picture.
export function mark(box, number) {
  if (!box) return null;
  const [x, y, w, hgt] = box.map((v) => `${(v * 100).toFixed(2)}%`);
  return h("span.spot", { "--x": x, "--y": y, "--w": w, "--h": hgt }, h("b.pin-mark", {}, number));
}
