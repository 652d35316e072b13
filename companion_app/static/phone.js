// A phone as the camera: live pictures over https, single photos over plain http.
import { attempt, get, guideLink, h, icon, me, post, t, TRY_AGAIN_MS, upload } from "./ui.js";
import { play, speak } from "./sound.js";
import { nameOf } from "./verdict.js";
import { mark } from "./wizard_camera.js";

const EVERY_MS = 250;
const CHECK_MS = 2500;
const SAY_MS = 350;
const LONGEST_PX = 1920;
const QUALITY = 0.82;
const PICTURE_URL = "/api/camera/picture";
const AWAY = Symbol("away");
const FORBIDDEN = 403;

export class PhoneView {
  constructor() {
    this.video = h("video.camera", {
      autoplay: true,
      muted: true,
      playsinline: true,
      hidden: true,
    });
    this.video.muted = true;
    this.image = h("img.camera", { alt: t("camera-picture"), hidden: true });
    this.marks = h("div.marks", { "aria-hidden": "true" });
    this.view = h("div.viewfinder", { hidden: true }, this.video, this.image, this.marks);
    this.canvas = document.createElement("canvas");
    this.awake = () => this.stayAwake();
    document.addEventListener("visibilitychange", this.awake);
    this.count = h("p.quiet", { role: "status" });
    this.verdict = h("p.ready-line", { hidden: true });
    this.advice = h("ul.advice");
    this.problem = h("p.problem", { role: "alert" });
    this.button = h(
      "button.primary.big.wide",
      { onclick: () => (this.stream ? this.stop() : this.start()) },
      icon("camera"),
      t("phone-live"),
    );
    const file = h("input.file", {
      type: "file",
      accept: "image/*",
      capture: "environment",
      id: "one-photo",
      onchange: (e) => this.photo(e.target),
    });
    this.choice = h("div");
    this.secure = h("div");
    this.element = h(
      "div.page.phone-camera",
      {},
      h("h1", {}, t("phone-title")),
      this.choice,
      (this.sending = h(
        "section.card",
        {},
        h("p", {}, t("phone-text")),
        guideLink("phone"),
        this.view,
        this.verdict,
        this.advice,
        this.count,
        this.problem,
        isSecureContext ? this.button : this.secure,
        h("label.button.wide", { for: "one-photo" }, icon("camera"), t("phone-photo")),
        file,
        h("p.quiet", {}, t("phone-photo-text")),
      )),
    );
    this.table = h("section.card.phone-table", { hidden: true });
    this.element.append(this.table);
    this.stays = true;
    this.sent = 0;
    if (!isSecureContext) this.offer();
    this.load();
  }

  load() {
    this.look();
  }

  close() {
    this.stop();
    clearTimeout(this.soon);
    document.removeEventListener("visibilitychange", this.awake);
  }

  async look() {
    const seen = await get("/api/camera").catch(() => null);
    this.sending.hidden = !!seen && seen.kind !== "phone";
    this.judge(seen);
    // Another phone may choose this one in the meantime.
    if (seen?.kind !== "phone") this.lookSoon();
    this.choice.replaceChildren(
      ...(seen && seen.kind !== "phone"
        ? [
            h(
              "section.card",
              {},
              h("p", {}, t("phone-not-chosen")),
              h(
                "button.primary",
                { onclick: () => this.choose() },
                icon("check"),
                t("phone-choose"),
              ),
            ),
          ]
        : []),
    );
  }

  // The game that this phone looks at: the referee's word, and the table as it is read.
  update(state) {
    const off = !state?.game || state.source.kind !== "phone";
    this.table.hidden = off;
    if (off) return;
    this.showSeeing(state.seeing);
    this.showTable(state);
    this.due?.();
    this.due = null;
  }

  showTable(state) {
    const key = JSON.stringify([
      state.key,
      state.drawing,
      state.foul?.n,
      state.questions,
      state.over,
      state.turn,
      state.language,
    ]);
    if (key === this.tableKey) return;
    this.tableKey = key;
    const [kind, name, headline, why] = word(state);
    this.table.replaceChildren(
      h("h2", {}, state.title),
      this.seeing,
      h(
        `div.last${kind}`,
        { role: kind === ".illegal" ? "alert" : "status" },
        h("span.mark", {}, icon(name)),
        h("div", {}, h("p.headline", {}, headline), h("small", {}, why)),
      ),
      h("img", {
        src: `/api/table.svg?v=${state.drawing}&lang=${state.language}`,
        alt: t("drawing-view"),
        width: 640,
        height: 480,
      }),
    );
  }

  showSeeing({ state, why }) {
    this.seeing ??= h("p.quiet.phone-seeing");
    this.seeing.replaceChildren(
      icon(state === "hand" ? "hand" : "camera"),
      " ",
      why?.text ?? t("seeing-" + state),
    );
  }

  happened({ event, legal }) {
    const tune =
      event === "verdict"
        ? legal
          ? "legal"
          : "illegal"
        : { question: "ask", over: "over" }[event];
    if (!tune || this.table.hidden) return;
    play(tune);
    this.due = () => this.saySoon(); // the state that shows it comes after the news
  }

  saySoon() {
    clearTimeout(this.saying);
    this.saying = setTimeout(
      () =>
        speak(
          [...this.table.querySelectorAll(".last .headline, .illegal small")]
            .map((one) => one.textContent)
            .join(". "),
        ),
      SAY_MS,
    );
  }

  // Whoever hangs the phone up reads on it what to change.
  judge(seen) {
    if (!seen?.seen || seen.kind !== "phone") return;
    this.verdict.hidden = false;
    this.verdict.className = `ready-line ${seen.ready ? "good" : "bad"}`;
    this.verdict.replaceChildren(icon(seen.ready ? "check" : "hint"), h("span", {}, seen.text));
    this.advice.replaceChildren(
      ...seen.advice.map((one, n) =>
        h("li", {}, h("b.pin-mark", {}, n + 1), h("span", {}, one.text)),
      ),
    );
    this.marks.replaceChildren(
      ...seen.advice.map((one, n) => mark(one.box, n + 1)).filter(Boolean),
    );
    this.view.hidden = false;
    this.image.hidden = !!this.stream;
    if (!this.stream && me.may.pictures) this.image.src = `/api/picture.jpg?t=${Date.now()}`;
    if (this.stream) this.lookSoon();
  }

  lookSoon() {
    clearTimeout(this.soon);
    this.soon = setTimeout(() => {
      if (this.element.isConnected) this.look();
    }, CHECK_MS);
  }

  async choose() {
    if (await attempt(() => post("/api/camera", { source: "phone" }))) this.look();
  }

  offer() {
    this.secure.replaceChildren(
      h("p", {}, t("https-why")),
      h("button.wide", { onclick: () => this.open() }, icon("key"), t("https-offer")),
    );
  }

  async open() {
    const done = await attempt(() => post("/api/https"));
    if (!done) return;
    this.secure.replaceChildren(
      h("p", {}, t("https-warning")),
      h("a.button.primary.wide", { href: `${done.address}camera` }, icon("key"), t("https-offer")),
      h("a.button.wide", { href: done.authority, download: "" }, t("https-authority")),
    );
  }

  async start() {
    this.problem.textContent = "";
    let stream;
    try {
      stream = await navigator.mediaDevices.getUserMedia({
        audio: false,
        video: { facingMode: "environment", width: { ideal: LONGEST_PX }, height: { ideal: 1080 } },
      });
    } catch {
      this.problem.textContent = t("phone-refused");
      return;
    }
    this.stream = stream;
    if (!this.element.isConnected) {
      this.stop();
      return;
    }
    stream.getVideoTracks()[0].addEventListener("ended", () => this.lost(stream));
    this.video.srcObject = stream;
    this.video.hidden = this.view.hidden = false;
    this.image.hidden = true;
    await this.video.play();
    this.button.replaceChildren(icon("cross"), t("phone-stop"));
    await this.stayAwake();
    this.send(stream);
  }

  // A call, or another app, has taken the camera: its last picture must not be sent as a new one.
  lost(stream) {
    if (stream !== this.stream) return;
    this.stop();
    this.problem.textContent = t("phone-refused");
  }

  // Browsers let the screen go dark again once the page was hidden.
  async stayAwake() {
    if (!document.hidden && this.stream)
      this.lock = await navigator.wakeLock?.request("screen").catch(() => null);
  }

  stop() {
    for (const track of this.stream?.getTracks() ?? []) track.stop();
    this.stream = null;
    this.lock?.release();
    this.video.hidden = true;
    this.button.replaceChildren(icon("camera"), t("phone-live"));
  }

  // Sends one picture after the other, as long as this stream is the one that is on.
  async send(stream) {
    if (stream !== this.stream) return;
    const began = Date.now();
    const { videoWidth: w, videoHeight: hgt } = this.video;
    if (w && !stream.getVideoTracks()[0].muted) {
      const scale = Math.min(1, LONGEST_PX / Math.max(w, hgt));
      this.canvas.width = Math.round(w * scale);
      this.canvas.height = Math.round(hgt * scale);
      this.canvas
        .getContext("2d")
        .drawImage(this.video, 0, 0, this.canvas.width, this.canvas.height);
      const jpeg = await new Promise((done) => this.canvas.toBlob(done, "image/jpeg", QUALITY));
      const sent = await attempt(() => this.deliver(jpeg), { quiet: true });
      if (stream !== this.stream) return;
      if (!sent) {
        this.stop();
        return;
      }
      if (sent === AWAY) {
        setTimeout(() => this.send(stream), TRY_AGAIN_MS);
        return;
      }
      this.note();
    }
    // One picture is on its way at a time: a slow network means fewer, never older ones.
    setTimeout(() => this.send(stream), Math.max(20, EVERY_MS - (Date.now() - began)));
  }

  // A phone that hangs over the table goes on by itself when the box is back, and after a picture
  // that could not be used. It stops when another camera was chosen, or when it may send none.
  async deliver(jpeg) {
    try {
      return await upload(PICTURE_URL, jpeg, { "Content-Type": "image/jpeg" });
    } catch (error) {
      if (error.code === "other-camera" || error.status === FORBIDDEN) throw error;
      this.count.textContent = error.message;
      return AWAY;
    }
  }

  async photo(input) {
    const file = input.files[0];
    if (!file) return;
    const form = new FormData();
    form.append("photo", file);
    if (await attempt(() => upload(PICTURE_URL, form))) this.note();
    input.value = "";
  }

  note() {
    this.sent += 1;
    this.count.textContent = t("phone-sent", { n: this.sent });
    if (this.sent === 1 || !this.stream) this.look();
  }
}

// What the referee says right now: its kind, its sign, the headline and a line below it.
function word(state) {
  const { foul, questions, moves, turn } = state;
  const last = moves.at(-1);
  if (foul) return [".illegal", "cross", foul.said, foul.violations[0].text];
  if (state.over)
    return [
      "",
      "crown",
      state.players
        .filter((p) => p.winner)
        .map((p) => p.name)
        .join(", ") || t("nobody-wins"),
      t("game-over"),
    ];
  if (questions?.length) return ["", "ask", questions[0].text, t("question")];
  const next = turn ? t("now", { player: nameOf(state, turn) }) : "";
  return last
    ? ["", last.legal ? "check" : "flag", last.text, next]
    : ["", "hand", t("first-move", { player: nameOf(state, turn) }), ""];
}
