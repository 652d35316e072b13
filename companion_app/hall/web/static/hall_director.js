// The director's page: who is here, the next round, results, mishaps; every change is in the log.
import { Line, go } from "./hall.js";
import { attempt, get, h, icon, me, post, reached, sheet, t, toast, when } from "./ui.js";
import { Clock, ask, askResult, link, resultOf, stateOf } from "./hall_tournament.js";

const MORE_TIME_S = 300;

export class DirectorView {
  constructor(id) {
    this.id = id;
    this.at = `/api/tournaments/${id}`;
    this.clock = new Clock();
    this.last = Promise.resolve();
    this.opened = new Set();
    this.element = h("section.hall");
    if (!me.arbiter) {
      this.element.append(h("p", {}, link("/arbiter", icon("key"), t("tour-sign-in"))));
      return;
    }
    this.line = new Line(
      () => `${this.at}/events`,
      ["tournament"],
      () => this.show(),
    );
  }

  close() {
    this.line?.close();
    this.clock.close();
  }

  async show() {
    try {
      this.draw(
        await reached(
          () => get(this.at),
          () => this.element.isConnected,
        ),
      );
    } catch (error) {
      if (error.code === "not-arbiter") {
        me.arbiter = null;
        go("/arbiter");
      } else toast(error.message, "bad");
    }
  }

  do(what, data = {}, why = "") {
    return this.order("do", { do: what, data, why });
  }

  // What is pressed later reaches the hall later: a round is not closed before the result typed just now.
  order(path, body) {
    this.last = this.last.then(async () =>
      this.draw(await attempt(() => post(`${this.at}/${path}`, body))),
    );
    return this.last;
  }

  // What is not done without saying why.
  async doWhy(what, title, data, fields = []) {
    const told = await ask(title, t("tour-apply"), [
      ...fields,
      ["why", t("tour-reason"), { maxlength: 300, required: true }],
    ]);
    if (told)
      this.do(
        what,
        { ...data, ...Object.fromEntries(fields.map(([key]) => [key, told[key]])) },
        told.why,
      );
  }

  draw(whole) {
    // An answer that was overtaken shows nothing new.
    if (!whole || whole.events < this.whole?.events) return;
    this.whole = whole;
    const round = whole.rounds.at(-1),
      open = round && round.stage !== "closed";
    this.clock.show(round);
    this.element.replaceChildren(
      h("div.row.wrap", {}, h("h1.grow", {}, whole.settings.name || t("tour")), this.clock.element),
      h(
        "p.row.wrap",
        {},
        link(`/tournament/${this.id}`, t("tour-standings")),
        link(`/tournament/${this.id}/tv`, icon("tv"), t("tour-wall")),
      ),
      ...(whole.over
        ? [h("p", {}, t("tour-over"))]
        : [h("div.row.wrap.tour-next", {}, ...this.next(whole, round, open))]),
      ...(round ? this.round(whole, round) : []),
      ...this.players(whole),
      h("h2", {}, t("tour-print")),
      h(
        "p.row.wrap",
        {},
        ["pairings", "slips", "standings"]
          .filter((kind) => round || kind === "standings")
          .map((kind) =>
            h(
              "a.button",
              { href: `/print/${this.id}/${kind}`, target: "_blank" },
              icon("print"),
              t(`tour-print-${kind}`),
            ),
          ),
      ),
      ...this.log(whole),
    );
  }

  next(whole, round, open) {
    const button = (key, act, primary = true, words = {}) =>
      h(
        primary ? "button.primary.big" : "button",
        { "data-act": key, onclick: act },
        t(`tour-${key}`, words),
      );
    if (!open) {
      return [
        button("pair", () => this.order("pair"), true, { round: whole.rounds.length + 1 }),
        whole.rounds.length
          ? button("end", () => this.do("end"), whole.rounds.length >= whole.settings.rounds)
          : null,
      ].filter(Boolean);
    }
    if (round.stage === "paired") {
      return [
        button("start", () => this.do("start-round")),
        button("swap", () => this.two("swap-players"), false),
        button("again", () => this.doWhy("drop-round", t("tour-again"), {}), false),
      ];
    }
    return [
      button("close", () => this.do("close-round")),
      round.paused
        ? button("resume", () => this.do("resume-clock"), false)
        : button("pause", () => this.do("pause-clock"), false),
      button("more-time", () => this.do("add-time", { seconds: MORE_TIME_S }), false),
    ];
  }

  two(what) {
    const people = this.whole.players
      .filter((player) => player.here)
      .map((player) => [player.id, player.name]);
    return this.doWhy(what, t("tour-swap"), {}, [
      ["one", t("tour-player"), people],
      ["two", t("tour-player"), people],
    ]);
  }

  async apart() {
    const people = this.whole.players.map((player) => [player.id, player.name]);
    const told = await ask(t("tour-forbid"), t("tour-apply"), [
      ["one", t("tour-player"), people],
      ["two", t("tour-player"), people],
    ]);
    if (told) this.do("forbid", { players: [told.one, told.two] });
  }

  round(whole, round) {
    return [
      h("h2", {}, t("tour-round", { round: round.round })),
      ...this.tables(whole, round),
      ...this.earlier(whole),
    ];
  }

  // Results of closed rounds can still be put right; what was unfolded stays so.
  earlier(whole) {
    return whole.rounds
      .slice(0, -1)
      .toReversed()
      .map((round) =>
        h(
          "details",
          {
            "data-round": round.round,
            open: this.opened.has(round.round),
            ontoggle: (e) => this.opened[e.target.open ? "add" : "delete"](round.round),
          },
          h("summary", {}, t("tour-round", { round: round.round })),
          this.tables(whole, round),
        ),
      );
  }

  tables(whole, round) {
    const box = Object.fromEntries(whole.boxes.map((one) => [one.id, one.name]));
    const names = Object.fromEntries(whole.players.map((player) => [player.id, player.name]));
    const where = (table) => ({ round: round.round, table: table.table });
    return [
      h(
        "ul.tour-tables",
        {},
        round.tables.map((table) =>
          h(
            "li.card",
            {},
            h(
              "div.row.wrap",
              {},
              h("h3.grow", {}, t("tour-table", { number: table.table })),
              stateOf(table),
              table.box
                ? h("small", {}, icon("camera"), box[table.box] ?? "–")
                : h("small", {}, t("tour-no-box")),
              round.rated && table.help_off !== null
                ? h(
                    `span.badge${table.help_off ? "" : ".red"}`,
                    {},
                    t(table.help_off ? "tour-help-is-off" : "tour-help-is-on"),
                  )
                : null,
            ),
            resultOf(table, table.result ?? { winners: [], scores: {} }),
            round.stage === "paired"
              ? null
              : h(
                  "div.row.wrap",
                  {},
                  h(
                    "button",
                    { onclick: () => this.result(table, round) },
                    t(table.result?.final ? "tour-correct" : "tour-enter-result"),
                  ),
                  h(
                    "button",
                    {
                      onclick: () =>
                        this.doWhy("forfeit", t("tour-forfeit"), where(table), [
                          [
                            "player",
                            t("tour-player"),
                            table.players.map((id, seat) => [id, table.names[seat]]),
                          ],
                        ]),
                    },
                    t("tour-forfeit"),
                  ),
                  round.stage === "closed"
                    ? null
                    : h(
                        "button",
                        {
                          onclick: () =>
                            this.doWhy("swap-box", t("tour-box"), where(table), [
                              [
                                "box",
                                t("tour-box"),
                                [
                                  ["", t("tour-no-box")],
                                  ...whole.boxes.map((one) => [one.id, one.name]),
                                ],
                              ],
                            ]),
                        },
                        icon("camera"),
                        t("tour-box"),
                      ),
                ),
          ),
        ),
      ),
      round.byes.length
        ? h("p", {}, t("tour-byes", { names: round.byes.map((id) => names[id]).join(", ") }))
        : null,
    ].filter(Boolean);
  }

  async result(table, round) {
    const told = await askResult(table, table.result?.final);
    if (!told) return;
    const data = { ...told, round: round.round };
    if (!table.result?.final) {
      this.do("result", data);
      return;
    }
    const said = await ask(t("tour-correct"), t("tour-apply"), [
      ["why", t("tour-reason"), { maxlength: 300, required: true }],
    ]);
    if (said) this.do("correct", data, said.why);
  }

  players(whole) {
    const here = whole.players.filter((player) => player.here).length,
      next = whole.rounds.length + 1;
    const names = Object.fromEntries(whole.players.map((player) => [player.id, player.name]));
    return [
      h("h2", {}, t("tour-players")),
      h("p", { role: "status" }, t("tour-here-count", { here, all: whole.players.length })),
      !whole.over && whole.byes_ahead.grouped > whole.byes_ahead.together
        ? h("p.tour-group-byes", {}, t("tour-group-byes", whole.byes_ahead))
        : "",
      h(
        "div.row.wrap",
        {},
        h("button", { "data-act": "add", onclick: () => this.add() }, icon("plus"), t("tour-add")),
        h(
          "label.button",
          {},
          icon("up"),
          t("tour-import"),
          h("input.file", {
            type: "file",
            accept: ".csv,.txt,text/csv",
            onchange: (e) => this.import(e.target.files[0]),
          }),
        ),
        h("button", { onclick: () => this.apart() }, t("tour-forbid")),
      ),
      whole.forbidden.length
        ? h(
            "ul.lines",
            {},
            whole.forbidden.map((pair) =>
              h(
                "li.row",
                {},
                h("span.grow", {}, pair.map((id) => names[id]).join(" – ")),
                h(
                  "button",
                  { "data-act": "allow", onclick: () => this.do("allow", { players: pair }) },
                  t("tour-allow"),
                ),
              ),
            ),
          )
        : "",
      h(
        "ul.tour-people",
        {},
        whole.players.map((player) =>
          h(
            "li.row",
            {},
            h(
              `button.big.tour-check${player.here ? ".primary" : ""}`,
              {
                "aria-pressed": String(player.here),
                onclick: () => this.do(player.here ? "leave" : "check-in", { player: player.id }),
              },
              h(
                "span.grow",
                {},
                player.name,
                !whole.over && player.sits_out.includes(next)
                  ? h("small", {}, t("tour-sits-out", { round: next }))
                  : null,
              ),
              h("small", {}, whole.codes[player.id]),
              player.here ? icon("check") : null,
            ),
            player.full_name
              ? h(
                  "button.ghost.round",
                  {
                    "data-act": "change",
                    "aria-label": t("tour-change", { name: player.name }),
                    onclick: () => this.change(player),
                  },
                  icon("more"),
                )
              : null,
          ),
        ),
      ),
    ];
  }

  async add() {
    const told = await ask(t("tour-add"), t("tour-apply"), [
      ["name", t("tour-name"), { maxlength: 80, required: true }],
      ["nickname", t("tour-nickname"), { maxlength: 80 }],
      ["group", t("tour-group"), { maxlength: 80 }],
    ]);
    if (told) this.do("add-player", told);
  }

  async change(player) {
    const round = this.whole.rounds.length + 1,
      plays = !this.whole.over && !player.sits_out.includes(round);
    const told = await ask(t("tour-change", { name: player.name }), t("tour-apply"), [
      ["name", t("tour-name"), { maxlength: 80, required: true, value: player.full_name }],
      ["nickname", t("tour-nickname"), { maxlength: 80, value: player.nickname }],
      ["group", t("tour-group"), { maxlength: 80, value: player.group }],
      ["hidden", t("tour-hide"), { type: "checkbox", checked: player.hidden }],
      ["erase", t("tour-erase-other"), { type: "checkbox" }],
      ...(plays ? [["out", t("tour-sit-out", { round }), { type: "checkbox" }]] : []),
    ]);
    if (!told) return;
    const { name, nickname, group, hidden, erase, out } = told,
      about = { player: player.id };
    if (out) this.do("sit-out", { ...about, round });
    if (erase) {
      this.do("erase-player", about);
      return;
    }
    if (name !== player.full_name || nickname !== player.nickname || group !== player.group)
      this.do("change-player", { ...about, name, nickname, group });
    if (hidden !== player.hidden) this.do("hide-player", { ...about, hidden });
  }

  async import(file) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    let text = "";
    for (const byte of bytes) text += String.fromCharCode(byte);
    const said = await attempt(() => post(`${this.at}/players`, { csv: btoa(text) }));
    if (!said) return;
    // What was left out stays to be read: of a list that is imported again that may be nearly all.
    if (said.notes.length)
      sheet(
        t("tour-import"),
        h(
          "ul.lines",
          { "data-notes": "" },
          said.notes.map((note) => h("li", {}, note)),
        ),
      );
    this.show();
  }

  log(whole) {
    const names = Object.fromEntries(whole.players.map((player) => [player.id, player.name]));
    const by = (event) => {
      const [role, who] = event.by.split(/:(.*)/s);
      return role === "player"
        ? (names[who] ?? who)
        : role === "table"
          ? (whole.boxes.find((one) => one.id === who)?.name ?? "")
          : who;
    };
    return [
      h("h2", {}, t("tour-log")),
      h(
        "div.hall-scroll",
        { tabindex: 0, role: "region", "aria-label": t("tour-log") },
        h(
          "table.hall-list.blocks",
          {},
          h(
            "tbody",
            {},
            whole.log.map((event) =>
              h(
                "tr",
                {},
                h("td", {}, when(event.at_s)),
                h("td", {}, by(event)),
                h("td", {}, t(`tour-did-${event.do}`)),
                h(
                  "td",
                  {},
                  names[event.data.player] ??
                    (event.data.table ? t("tour-table", { number: event.data.table }) : ""),
                ),
                h("td", {}, event.why),
              ),
            ),
          ),
        ),
      ),
    ];
  }
}
