// The health view: what is well and what is not, and updates.
import { attempt, filling, get, guideLink, h, icon, me, post, sheet, t, toast } from "./ui.js";

const MARKS = { true: ["check", "well"], false: ["cross", "fault"], null: ["hint", "unknown"] };
const ASK_AGAIN_MS = 4000;

export class HealthView {
  constructor() {
    this.list = h("div", { "aria-live": "polite" }, h("p.loading", {}, t("loading")));
    this.update_ = h("div");
    this.element = h(
      "div.page.health",
      {},
      h("h1", {}, t("health-view")),
      guideLink("trouble"),
      this.list,
      this.update_,
    );
    this.load();
  }

  load() {
    this.look();
    this.release();
  }

  close() {
    clearTimeout(this.timer);
  }

  async look() {
    const answer = await filling(this, () => get("/api/health"));
    if (!answer) return;
    this.list.replaceChildren(
      h(
        "p.card.verdict",
        {},
        icon(answer.ok ? "check" : "cross"),
        h("b", {}, t(answer.ok ? "health-ok" : "health-not")),
      ),
      h("ul.card.checks", {}, ...answer.checks.map((check) => this.check(check))),
      h("button", { onclick: () => this.look() }, t("check-again")),
    );
  }

  check({ title, ok, text, fix }) {
    const [name, word] = MARKS[ok];
    return h(
      "li",
      { class: word },
      h("span.mark", { role: "img", "aria-label": t("is-" + word) }, icon(name)),
      h("div", {}, h("b", {}, title), h("p", {}, text), fix ? h("p.fix", {}, fix) : null),
    );
  }

  async release() {
    const now = await filling(this, () => get("/api/update"));
    if (!now) return;
    const said = now.wanted
      ? t("update-running")
      : now.waiting
        ? t("update-waiting", { name: now.waiting })
        : t(now.can ? "update-none" : `update-${now.why_not}`);
    const result =
      !now.wanted && now.result ? h("p", { role: "status" }, t("update-" + now.result)) : null;
    const ask =
      me.host && now.can && now.waiting && !now.wanted
        ? h("button.primary", { onclick: () => this.sure(now.waiting) }, t("update-now"))
        : null;
    this.update_.replaceChildren(
      h(
        "section.card",
        {},
        h("h2", {}, t("update-title")),
        h("p", {}, t("version-is", { version: now.version })),
        result,
        h("p", {}, said),
        ask,
      ),
    );
    clearTimeout(this.timer);
    if (now.wanted) this.timer = setTimeout(() => this.release(), ASK_AGAIN_MS);
  }

  sure(name) {
    const dialog = sheet(
      t("update-now"),
      h("p", {}, t("update-sure", { name })),
      h(
        "div.row",
        {},
        h("button", { onclick: () => dialog.close() }, t("cancel")),
        h("span.grow"),
        h(
          "button.primary",
          {
            onclick: async () => {
              dialog.close();
              if (await attempt(() => post("/api/update"))) {
                toast(t("update-running"));
                this.release();
              }
            },
          },
          t("update-now"),
        ),
      ),
    );
  }
}
