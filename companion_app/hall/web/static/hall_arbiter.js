// The arbiter's phone: calls with their pictures, decisions with their record, how every table is.
import { askSure, attempt, get, h, icon, loadMe, me, post, sheet, t, toast, when } from "./ui.js";
import { Clock, link } from "./hall_tournament.js";

const EVERY_MS = 2000;
const REGRET_MS = 10000; // so long what was confirmed can be taken back; then it is sent
const DECISIONS = {
  foul: ["overrule", "lift"],
  hand: ["lower-hand"],
  question: [],
  camera: [],
  away: [],
};

export class ArbiterView {
  constructor() {
    this.element = h("section.hall");
    this.parts = Array.from({ length: 6 }, () => h("div"));
    this.drawn = [];
    this.clocks = [];
    this.soon = new Set(); // what was confirmed, and is sent in a moment
    this.leave = () => this.sendNow();
    addEventListener("pagehide", this.leave);
    this.show();
    this.timer = setInterval(() => this.show(), EVERY_MS);
  }

  close() {
    removeEventListener("pagehide", this.leave);
    this.sendNow();
    clearInterval(this.timer);
    this.stopClocks();
  }

  stopClocks() {
    for (const clock of this.clocks) clock.close();
    this.clocks = [];
  }

  async show() {
    if (!me.arbiter) {
      if (!this.element.querySelector("form")) this.element.replaceChildren(this.login());
      return;
    }
    let whole;
    try {
      whole = await get("/api/arbiter");
    } catch (error) {
      if (error.code === "not-arbiter") {
        me.arbiter = null;
        this.element.replaceChildren(this.login());
      }
      return;
    }
    if (this.element.isConnected) this.draw(whole);
  }

  // A part is drawn anew only when something else is to be seen in it: what somebody types or taps
  // in another part stays as it is. Clocks and health change all the time, and only as text.
  draw(whole) {
    this.tables = new Map(whole.tables.map((table) => [table.id, table]));
    const names = Object.fromEntries(whole.tables.map((table) => [table.id, table.name]));
    [
      [
        [whole.alerts, whole.objections, names],
        () => [
          h("h1", {}, t("hall-calls")),
          whole.alerts.length || whole.objections.length
            ? h(
                "div",
                {},
                whole.objections.map((one) => this.objection(one)),
                whole.alerts.map((alert) => this.call(alert, names)),
              )
            : h("p", {}, t("hall-no-calls")),
        ],
      ],
      [whole.rounds.map((round) => ({ ...round, left_s: 0 })), () => this.rounds(whole.rounds)],
      [
        [whole.decisions, names],
        () => [h("h2", {}, t("hall-decided")), this.decisions(whole.decisions, names)],
      ],
      [names, () => [h("h2", {}, t("hall-health")), this.health(whole)]],
      [
        whole.code,
        () => [
          h("h2", {}, t("hall-code")),
          h("p", {}, h("span.hall-code", {}, whole.code)),
          h("button", { onclick: () => this.do("/api/arbiter/code", {}) }, t("hall-new-code")),
        ],
      ],
    ].forEach(([shown, made], n) => {
      const text = JSON.stringify(shown);
      if (text === this.drawn[n]) return;
      this.drawn[n] = text;
      this.parts[n].replaceChildren(...made());
    });
    whole.rounds.forEach((round, n) => this.clocks[n].show(round));
    for (const table of whole.tables)
      this.healthOf(table).forEach((text, n) => {
        this.cells.get(table.id)[n].textContent = text;
      });
    if (!this.parts[0].isConnected) this.element.replaceChildren(...this.parts);
  }

  login() {
    const who = h("input", {
      type: "text",
      maxlength: 40,
      autocomplete: "name",
      "aria-label": t("hall-who"),
      placeholder: t("hall-who"),
    });
    const pin = h("input.pin", {
      type: "text",
      inputmode: "numeric",
      autocomplete: "off",
      maxlength: 12,
      "aria-label": t("pin"),
    });
    const problem = h("p.problem", { role: "alert" });
    return h(
      "form.card",
      {
        onsubmit: async (e) => {
          e.preventDefault();
          try {
            await post("/api/login", { pin: pin.value.trim(), who: who.value.trim() });
            await loadMe();
            this.show();
          } catch (error) {
            problem.textContent = error.message;
            pin.select();
          }
        },
      },
      h("h1", {}, t("hall-arbiter")),
      h("p", {}, t("hall-pin-why")),
      who,
      h("p"),
      pin,
      problem,
      h("button.primary.wide", {}, icon("key"), t("pin-enter")),
    );
  }

  async do(url, body) {
    await attempt(() => post(url, body));
    this.show();
  }

  // Asks, says what will happen, and does it a while later: until then it can be taken back.
  ask(table, word, url, body) {
    const seen = this.tables.get(table.id) ?? table;
    askSure(`${t(word)}: ${seen.name}`, t(`${word}-means`), t(word), () =>
      this.later(t("hall-soon", { table: seen.name, what: t(word) }), url, {
        ...body,
        ...seen.game,
      }),
    );
  }

  later(text, url, body) {
    const one = { url, body };
    one.timer = setTimeout(() => {
      this.soon.delete(one);
      this.do(url, body);
    }, REGRET_MS);
    this.soon.add(one);
    toast(text, "", t("undo"), () => {
      clearTimeout(one.timer);
      this.soon.delete(one);
    });
  }

  // Whoever leaves the page has decided.
  sendNow() {
    for (const { timer, url, body } of this.soon) {
      clearTimeout(timer);
      fetch(url, {
        method: "POST",
        keepalive: true,
        headers: { "X-Snake-Eye": me.token, "Content-Type": "application/json" },
        body: JSON.stringify(body),
      });
    }
    this.soon.clear();
  }

  call(alert, names) {
    // With the foul that is shown here: by now, another one may lie on the table.
    const shown = alert.kind === "foul" ? { foul: alert.number } : {};
    const decide = (what) => this.do("/api/arbiter/decide", { table: alert.table, what, ...shown });
    return h(
      "article.card.hall-call",
      {},
      h(
        "h2",
        {},
        h("a", { href: `/table/${alert.table}` }, names[alert.table] ?? ""),
        " – ",
        t(`hall-call-${alert.kind}`),
      ),
      h("small", {}, when(alert.opened_s)),
      alert.text.map((rule) => h("p", {}, rule)),
      alert.pictures.map((url) =>
        h("img", { src: url, alt: t(url.includes("before") ? "hall-before" : "hall-after") }),
      ),
      h(
        "div.row",
        {},
        alert.claimed_by
          ? h("span.badge", {}, t("hall-claimed", { name: alert.claimed_by }))
          : h(
              "button",
              { onclick: () => this.do("/api/arbiter/claim", { alert: alert.id }) },
              t("hall-claim"),
            ),
        ...DECISIONS[alert.kind].map((what) =>
          h("button.primary", { onclick: () => decide(what) }, t(`hall-do-${what}`)),
        ),
      ),
    );
  }

  objection(one) {
    return h(
      "article.card.hall-call",
      {},
      h("h2", {}, `${t("tour-table", { number: one.table })} – ${t("tour-objection")}`),
      h("p", {}, `${one.name || t("tour")} – ${t("tour-round", { round: one.round })}`),
      link(`/tournament/${one.tournament}/director`, t("tour-director")),
    );
  }

  decisions(all, names) {
    if (!all.length) return h("p", {}, t("hall-none-decided"));
    return h(
      "div.hall-scroll",
      {},
      h(
        "table.hall-list.blocks",
        {},
        h(
          "tbody",
          {},
          all.map((one) =>
            h(
              "tr",
              {},
              h("td", {}, when(one.at_s)),
              h("td", {}, names[one.table] ?? ""),
              h("td", {}, one.who),
              h("td", {}, t(`hall-do-${one.what}`)),
              h(
                "td",
                {},
                t(
                  one.done
                    ? one.answer.startsWith("done")
                      ? "hall-done"
                      : "hall-refused"
                    : "hall-waiting",
                ),
              ),
            ),
          ),
        ),
      ),
    );
  }

  rounds(all) {
    this.stopClocks();
    if (!all.length) return [];
    return [
      h("h2", {}, t("hall-clocks")),
      ...all.map((round) => {
        const clock = new Clock(),
          act = round.paused ? "resume" : "pause";
        this.clocks.push(clock);
        return h(
          "div.row.wrap.hall-clock",
          {},
          h(
            "span.grow",
            {},
            `${round.name || t("tour")} – ${t("tour-round", { round: round.round })}`,
          ),
          clock.element,
          h(
            "button",
            {
              "data-act": act,
              onclick: () =>
                this.do(`/api/tournaments/${round.tournament}/do`, {
                  do: `${act}-clock`,
                  data: {},
                }),
            },
            t(`tour-${act}`),
          ),
        );
      }),
    ];
  }

  // Which move was wrong, then what it was: every other move that could have been, drawn.
  async correct(table) {
    const said = await attempt(() => get(`/api/arbiter/moves/${table.id}`));
    if (!said) return;
    const which = sheet(
      t("hall-which-move"),
      h(
        "ul.lines",
        {},
        said.moves.map((move) =>
          h(
            "li",
            {},
            h(
              "button.wide",
              {
                "data-move": move.n,
                onclick: () => {
                  which.close();
                  this.instead(table, move);
                },
              },
              `${t("move-n", { n: move.n })}: ${move.text}`,
            ),
          ),
        ),
      ),
    );
  }

  async instead(table, move) {
    const said = await attempt(() => get(`/api/arbiter/moves/${table.id}/${move.n}`));
    if (!said) return;
    const dialog = sheet(
      t("hall-what-was-it"),
      said.choices.length
        ? h(
            "div.hall-choices",
            {},
            said.choices.map((one) =>
              h(
                "button",
                {
                  "aria-label": one.text,
                  onclick: () => {
                    dialog.close();
                    this.do("/api/arbiter/decide", {
                      table: table.id,
                      what: "correct",
                      n: move.n,
                      move: one.move,
                    });
                  },
                },
                h("img", { src: `data:image/svg+xml,${encodeURIComponent(one.drawing)}`, alt: "" }),
                h("small", {}, one.text),
              ),
            ),
          )
        : h("p", {}, t("hall-no-choice")),
    );
  }

  healthOf({ heard_s: heard, health }) {
    return [
      heard ? when(heard) : "–",
      health.camera ?? "–",
      health.degrees ? `${health.degrees} °C` : "–",
      health.disk_free_mb ? `${Math.round(health.disk_free_mb / 1000)} GB` : "–",
      health.version ?? "",
    ];
  }

  health(whole) {
    this.cells = new Map(
      whole.tables.map((table) => [table.id, this.healthOf(table).map(() => h("td"))]),
    );
    const row = (table) =>
      h(
        "tr",
        {},
        h("td", {}, h("a", { href: `/table/${table.id}` }, table.name)),
        ...this.cells.get(table.id),
        h(
          "td",
          {},
          h(
            "button",
            { "data-act": "correct", onclick: () => this.correct(table) },
            t("hall-do-correct"),
          ),
          h(
            "button",
            {
              onclick: () =>
                this.ask(table, "hall-do-take-back", "/api/arbiter/decide", {
                  table: table.id,
                  what: "take-back",
                }),
            },
            t("hall-do-take-back"),
          ),
          h(
            "button",
            {
              onclick: () =>
                this.ask(table, "hall-do-end", "/api/arbiter/decide", {
                  table: table.id,
                  what: "end",
                }),
            },
            t("hall-do-end"),
          ),
          h(
            "button.danger",
            {
              onclick: () =>
                this.ask(table, "hall-send-away", "/api/arbiter/table", {
                  table: table.id,
                  away: true,
                }),
            },
            t("hall-send-away"),
          ),
        ),
      );
    return h(
      "div.hall-scroll",
      {},
      h("table.hall-list.blocks", {}, h("tbody", {}, whole.tables.map(row))),
    );
  }
}
