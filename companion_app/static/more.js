// Settings, joining by QR code, and the rules.
import { askSeat, codeShown } from "./seats.js";
import {
  askPin,
  askSure,
  attempt,
  choice,
  choose,
  filling,
  get,
  h,
  icon,
  loadMe,
  loadWords,
  me,
  post,
  sheet,
  t,
  toast,
} from "./ui.js";

export class SettingsView {
  constructor(live, go, again) {
    this.live = live;
    this.go = go;
    this.again = again;
    this.element = h("div.page.settings");
    this.show();
  }

  show() {
    const toggle = (name, word) =>
      h(
        "label.option",
        {},
        h("input", {
          type: "checkbox",
          checked: choice(name),
          onchange: (e) => choose(name, e.target.checked),
        }),
        h("span", {}, t(word)),
      );
    this.element.replaceChildren(
      h("h1", {}, t("tab-more")),
      h(
        "section.card.links",
        {},
        this.link("/photo", "camera", "photo-score"),
        this.link("/rules", "hint", "rules"),
        this.link("/join", "qr", "join"),
        this.link("/tv", "tv", "tv-view"),
        h("a", { href: "/guide" }, icon("ask"), t("guide"), h("span.grow"), "›"),
        this.link("/alone", "play", "alone-title"),
        this.link("/teach", "plus", "teach-view"),
        this.link("/checkup", "check", "health-view"),
      ),
      h(
        "section.card",
        {},
        h("h2", {}, t("this-phone")),
        h(
          "label.field",
          {},
          h("span", {}, t("language")),
          h(
            "select",
            { onchange: (e) => this.language(e.target.value) },
            ...Object.entries(me.languages).map(([code, name]) =>
              h(
                "option",
                { value: code, selected: code === document.documentElement.lang, lang: code },
                name,
              ),
            ),
          ),
        ),
        h(
          "label.field",
          {},
          h("span", {}, t("theme")),
          h(
            "select",
            {
              onchange: (e) => {
                choose("theme", e.target.value);
                this.again();
              },
            },
            ...["auto", "light", "dark"].map((name) =>
              h("option", { value: name, selected: choice("theme") === name }, t("theme-" + name)),
            ),
          ),
        ),
        toggle("sound", "sound"),
        toggle("voice", "voice"),
        toggle("hints", "hints"),
        toggle("clock", "clock"),
      ),
      this.host(),
    );
  }

  link(path, name, word) {
    return h(
      "a",
      {
        href: path,
        onclick: (e) => {
          e.preventDefault();
          this.go(path);
        },
      },
      icon(name),
      t(word),
      h("span.grow"),
      "›",
    );
  }

  async language(code) {
    const done = await attempt(async () => {
      await get(`/language/${code}`);
      await loadMe();
      await loadWords(code);
      document.documentElement.lang = code;
      await this.live.fetch();
      return true;
    });
    if (done) this.again();
  }

  host() {
    if (!me.host) {
      return h(
        "section.card",
        {},
        h("h2", {}, t("host")),
        h("p", {}, t("pin-why")),
        h(
          "div.row.wrap",
          {},
          h("button", { onclick: () => askSeat(this.live.state) }, icon("hand"), t("take-seat")),
          h("button.primary", { onclick: () => askPin() }, icon("key"), t("be-host")),
        ),
      );
    }
    const pin = h("input", {
      type: "text",
      inputmode: "numeric",
      maxlength: 12,
      "aria-label": t("new-pin"),
      placeholder: t("new-pin"),
    });
    return h(
      "section.card",
      {},
      h("h2", {}, t("host")),
      h(
        "label.option",
        {},
        h("input", {
          type: "checkbox",
          checked: me.players_answer,
          onchange: (e) => this.set({ players_answer: e.target.checked }),
        }),
        h("span", {}, t("players-answer")),
      ),
      ...Object.entries(me.open_to).map(([part, least]) =>
        h(
          "label.field",
          {},
          h("span", {}, t("open-" + part)),
          h(
            "select",
            { onchange: (e) => this.set({ open_to: { [part]: e.target.value } }) },
            ...["watcher", "seat", "host"].map((role) =>
              h("option", { value: role, selected: role === least }, t("role-" + role)),
            ),
          ),
        ),
      ),
      h("label.field", {}, h("span", {}, t("ideas-setting")), this.number("ideas", 99)),
      h("label.field", {}, h("span", {}, t("pictures-room")), this.number("pictures_mb", 100000)),
      h(
        "label.field",
        {},
        h("span", {}, t("own-names")),
        h("input", {
          type: "text",
          id: "own-names",
          autocapitalize: "off",
          spellcheck: false,
          value: me.names.join(", "),
          placeholder: "snake-eye.fritz.box",
          onchange: (e) => this.set({ names: e.target.value.split(/[\s,]+/).filter(Boolean) }),
        }),
      ),
      h(
        "div.row.pin-row",
        {},
        pin,
        h(
          "button",
          {
            onclick: async () => {
              if (await this.set({ pin: pin.value.trim() })) pin.value = "";
            },
          },
          t("change-pin"),
        ),
      ),
      h(
        "div.row.wrap",
        {},
        h("button", { onclick: () => this.set({ new_code: true }) }, t("new-code")),
        h("button", { onclick: () => showPhones(this.live.state) }, icon("key"), t("phones")),
        h("button", { onclick: () => showCard() }, icon("qr"), t("card")),
        h("button", { onclick: () => showCorrections() }, icon("camera"), t("corrections")),
        h(
          "button",
          {
            id: "backups",
            onclick: () => attempt(async () => (await import("./backups.js")).showBackups()),
          },
          icon("share"),
          t("backup"),
        ),
        h("button.danger", { onclick: () => this.wipe() }, t("wipe")),
        h(
          "button",
          {
            onclick: async () => {
              await attempt(() => post("/api/logout"));
              await loadMe();
              this.again();
            },
          },
          t("be-guest"),
        ),
      ),
    );
  }

  // A field that was emptied says nothing: it is no 0, for which pictures would be deleted.
  number(name, max) {
    return h("input", {
      type: "number",
      id: name,
      min: 0,
      max,
      value: me[name],
      onchange: (e) => {
        if (e.target.value === "") e.target.value = me[name];
        else this.set({ [name]: Number(e.target.value) });
      },
    });
  }

  async set(change) {
    const done = await attempt(() => post("/api/settings", change));
    if (done) {
      await loadMe();
      toast(t("kept"));
    }
    return done;
  }

  wipe() {
    askSure(t("wipe"), t("wipe-text"), t("wipe"), async () => {
      const done = await attempt(() => post("/api/pictures/wipe"));
      if (done) toast(t("wiped", { n: done.wiped }));
    });
  }
}

// The phones that may do more than watch; each can be signed out, and a seat freed.
async function showPhones(state) {
  const list = h("div.phones");
  const named = (id) => state?.players?.find((one) => one.id === id)?.name ?? id;
  const end = async (what) => {
    const done = await attempt(() => post("/api/sessions/end", what));
    if (done) fill(done);
  };
  const free = async (seat) => {
    if (await attempt(() => post("/api/seats/free", { seat }))) fill(await get("/api/sessions"));
  };
  const fill = ({ sessions }) =>
    list.replaceChildren(
      ...sessions.map((one) =>
        h(
          "div.row.wrap",
          {},
          h(
            "span",
            {},
            [
              one.device || t("phone-unnamed"),
              one.host ? t("phone-host") : one.seats.length ? null : t("phone-watching"),
              one.here ? t("phone-here") : null,
            ]
              .filter(Boolean)
              .join(" · "),
          ),
          ...one.seats.map((seat) =>
            h("button", { onclick: () => free(seat) }, `${t("free-seat")}: ${named(seat)}`),
          ),
          h("span.grow"),
          one.here
            ? null
            : h("button", { onclick: () => end({ session: one.session }) }, t("end-session")),
        ),
      ),
    );
  const found = await attempt(() => get("/api/sessions"));
  if (!found) return;
  fill(found);
  sheet(
    t("phones"),
    list,
    h("button.danger", { onclick: () => end({ others: true }) }, t("end-others")),
  );
}

// The printed card that makes a phone the host; a new one is shown once.
function showCard() {
  const made = h("div.card-made", { "aria-live": "polite" });
  const make = async () => {
    const done = await attempt(() => post("/api/card", { make: true }));
    if (!done) return;
    const file = URL.createObjectURL(new Blob([done.svg], { type: "image/svg+xml" }));
    made.replaceChildren(
      h("p", {}, t("card-once")),
      h("img.host-card", { src: file, alt: t("card"), width: 296, height: 210 }),
      h("a.button.primary", { href: file, download: "snake-eye-host-card.svg" }, t("card-save")),
    );
    await loadMe();
  };
  const forget = async () => {
    if (await attempt(() => post("/api/card", { forget: true }))) {
      made.replaceChildren();
      await loadMe();
      toast(t("kept"));
    }
  };
  sheet(
    t("card"),
    h("p", {}, t("card-text")),
    made,
    h(
      "div.row.wrap",
      {},
      h("button.primary", { onclick: make }, t("card-new")),
      h("button.danger", { onclick: forget }, t("card-forget")),
    ),
  );
}

// The labelled pictures of what people put right; each can be deleted.
async function showCorrections() {
  const list = h("div.corrections");
  const all = h("button.danger", { onclick: () => forget({}) }, t("delete-all"));
  const fill = async () => {
    const { corrections } = await get("/api/corrections");
    all.hidden = !corrections.length;
    list.replaceChildren(
      ...(corrections.length
        ? corrections.map((one) =>
            h(
              "figure",
              {},
              h("img", {
                src: `/api/corrections/${encodeURIComponent(one.file)}`,
                alt: one.label,
                loading: "lazy",
              }),
              h("figcaption", {}, one.label),
              h("button", { onclick: () => forget({ file: one.file }) }, t("delete")),
            ),
          )
        : [h("p.quiet", {}, t("corrections-none"))]),
    );
  };
  const forget = async (what) => {
    if (await attempt(() => post("/api/corrections/forget", what))) await fill();
  };
  if (
    !(await attempt(async () => {
      await fill();
      return true;
    }))
  )
    return;
  sheet(t("corrections"), h("p", {}, t("corrections-text")), list, all);
}

export class JoinView {
  constructor() {
    this.element = h(
      "div.page.join",
      {},
      h("h1", {}, t("join")),
      h(
        "section.card",
        {},
        h("img.qr", {
          src: `/api/qr.svg?for=${me.join_code ? "joined" : "all"}`,
          alt: t("join-alt"),
          width: 300,
          height: 300,
        }),
        h("p.address", {}, me.address || location.origin),
        codeShown(),
        h("p", {}, t("join-text")),
        h(
          "button",
          { onclick: async () => askSeat(await get("/api/state").catch(() => null)) },
          icon("hand"),
          t("take-seat"),
        ),
      ),
    );
  }
}

// Where a rule is printed, and the numbers of our own readings of it.
const source = (game, rule) =>
  h(
    "p.printed",
    {},
    h(
      "cite",
      {},
      rule.source,
      ...rule.rulings.flatMap((n) => [
        " ",
        h("a", { href: `/engine/RULINGS.md#${game.game}-${n}` }, `${n}`),
      ]),
    ),
  );

export class RulesView {
  constructor(live) {
    this.live = live;
    this.element = h(
      "div.page.rules",
      {},
      h("h1", {}, t("rules")),
      h("p.loading", { role: "status" }, t("loading")),
    );
    this.load();
  }

  async load() {
    if (this.element.querySelector("details")) return;
    const answer = await filling(this, () => get("/api/games"));
    if (!answer) return;
    const asked = new URLSearchParams(location.search).get("game") ?? this.live.state?.game;
    const part = (game, name) =>
      h(
        "figure",
        {},
        h("img", {
          src: `/api/rules/${game.game}/${name}.svg?lang=${document.documentElement.lang}`,
          alt: "",
          loading: "lazy",
          width: 320,
          height: 240,
        }),
        h("figcaption", {}, h("b", {}, t("rules-" + name)), " ", game.summary[name]),
      );
    this.element.replaceChildren(
      h("h1", {}, t("rules")),
      ...answer.games.map((game) =>
        h(
          "details.card",
          { open: game.game === asked },
          h("summary", {}, h("b", {}, game.title)),
          h("p", {}, game.about),
          h(
            "div.in-a-minute",
            {},
            ...["goal", "turn", "end", "scoring"].map((name) => part(game, name)),
          ),
          game.game === "carnival" ? h("p.quiet", {}, t("carnival-ours")) : null,
          h(
            "details",
            {},
            h("summary", {}, t("all-rules")),
            h("ul", {}, ...game.rules.map((rule) => h("li", {}, rule.text, source(game, rule)))),
          ),
        ),
      ),
    );
  }
}
