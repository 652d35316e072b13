// Tournaments for everybody: the list, pairings and standings, the wall, and a player's own phone.
import { Line, go } from "./hall.js";
import { attempt, get, h, icon, me, post, reached, score, sheet, t, toast } from "./ui.js";

const TICK_MS = 500;
const EVERY_PAGE_MS = 12000;
const ROWS = 10;
const GAMES = {
  schlangennest: "Schlangennest",
  snekagon: "Snekagon",
  snekagon5g: "Snekagon 5G",
  sssnake: "Sssnake",
  carnival: "Carnival",
};
const TIE_BREAKS = ["share", "score", "wins", "buchholz", "buchholz-cut", "sonneborn", "direct"];
// The sizes of table that come about at each wanted one, and the points by place to begin with.
const SIZES = { 2: [2], 3: [3, 4], 4: [3, 4], 5: [4, 5] };
const PLACES = { 2: "1, 0", 3: "5, 3, 1", 4: "5, 3, 2, 1", 5: "5, 3, 2, 1, 0" };
const EXPORTS = ["standings.csv", "results.csv", "tournament.json", "log.json", "bgstats.zip"];

export function link(path, ...content) {
  return h(
    "a.button",
    {
      href: path,
      onclick: (e) => {
        if (!e.metaKey && !e.ctrlKey) {
          e.preventDefault();
          go(path);
        }
      },
    },
    ...content,
  );
}

// Asks for a few things at once; null where it was closed. Fields: [key, label, attributes or choices, when it is shown]; what is not shown is not told.
// With `send` the sheet stays open until that has worked: what was refused can be put right.
export function ask(title, word, fields, send = (told) => told) {
  return new Promise((done) => {
    const inputs = fields.map(([key, label, kind]) => [
      key,
      label,
      Array.isArray(kind)
        ? h(
            "select",
            { "aria-label": label },
            kind.map(([value, text]) => h("option", { value }, text)),
          )
        : h("input", { type: "text", "aria-label": label, autocomplete: "off", ...kind }),
    ]);
    const rows = inputs.map(([, label, input]) => h("label.field", {}, label, input));
    const told = () =>
      Object.fromEntries(
        inputs
          .filter((_, n) => !rows[n].hidden)
          .map(([key, , input]) => [key, input.type === "checkbox" ? input.checked : input.value]),
      );
    const show = () =>
      fields.forEach(([, , , shown], n) => {
        rows[n].hidden = shown ? !shown(told()) : false;
      });
    const problem = h("p.problem", { role: "alert" }),
      button = h("button.primary.wide", {}, word);
    const dialog = sheet(
      title,
      h(
        "form",
        {
          onchange: show,
          onsubmit: async (e) => {
            e.preventDefault();
            button.disabled = true;
            try {
              done(await send(told()));
              dialog.close();
            } catch (error) {
              problem.textContent = error.message;
            }
            button.disabled = false;
          },
        },
        rows,
        problem,
        button,
      ),
    );
    dialog.addEventListener("close", () => done(null));
    show();
    inputs[0]?.[2].focus();
  });
}

// A clock that runs by itself between two looks; the hall's clock rules.
export class Clock {
  constructor(big = false) {
    this.element = h(big ? "p.tour-clock.big" : "p.tour-clock", { role: "timer" });
    this.timer = setInterval(() => this.draw(), TICK_MS);
  }

  // What was shown before goes on: it is as old as when it came.
  show(round) {
    if (round !== this.round) {
      this.round = round;
      this.at = Date.now();
    }
    this.draw();
  }

  draw() {
    const round = this.round;
    let text = "";
    if (round && round.stage === "running" && round.left_s !== null) {
      const left = Math.ceil(round.left_s - (round.paused ? 0 : (Date.now() - this.at) / 1000));
      const clock = `${Math.floor(Math.max(0, left) / 60)}:${String(Math.max(0, left) % 60).padStart(2, "0")}`;
      text =
        left <= 0 ? t("tour-time-over") : round.paused ? `${clock} – ${t("tour-paused")}` : clock;
    } else if (round && round.stage === "paired") text = t("tour-not-started");
    if (this.element.textContent !== text) this.element.textContent = text;
  }

  close() {
    clearInterval(this.timer);
  }
}

export function resultOf(table, result = table.result) {
  if (!result) return null;
  return h(
    "ul.lines",
    {},
    table.players.map((player, seat) =>
      h(
        "li.row",
        {},
        h("span.grow", {}, table.names[seat]),
        result.winners.includes(player) ? icon("crown") : null,
        h(
          "b",
          {},
          table.forfeits.includes(player) ? t("tour-forfeited") : score(result.scores[player]),
        ),
      ),
    ),
  );
}

export function stateOf(table) {
  const result = table.result;
  if (!result) return null;
  if (result.final) return h("span.badge", {}, icon("check"), t("tour-final"));
  if (result.objected.length) return h("span.badge.red", {}, t("tour-objection"));
  return h("span.badge.amber", {}, t("tour-waiting"));
}

function pairings(round) {
  return h(
    "ul.tour-tables",
    {},
    round.tables.map((table) =>
      h(
        "li.card",
        {},
        h(
          "div.row",
          {},
          h(
            "h3.grow",
            {},
            t("tour-table", { number: table.table }),
            table.group ? ` · ${table.group}` : "",
          ),
          stateOf(table),
        ),
        table.result
          ? resultOf(table)
          : h(
              "ul.lines",
              {},
              table.names.map((name, seat) =>
                h(
                  "li.row",
                  {},
                  h("span.grow", {}, name),
                  seat === 0 ? h("small", {}, t("tour-starts")) : null,
                ),
              ),
            ),
      ),
    ),
  );
}

function byes(round, whole) {
  const names = Object.fromEntries(whole.players.map((player) => [player.id, player.name]));
  return round.byes.length
    ? h("p", {}, t("tour-byes", { names: round.byes.map((id) => names[id]).join(", ") }))
    : null;
}

// The list of all tournaments; who is signed in makes new ones.
export class TournamentsView {
  constructor() {
    this.element = h("section.hall", {}, h("h1", {}, t("tour")));
    this.show();
  }

  close() {}

  async show() {
    const whole = await reached(
      () => get("/api/hall/tournaments"),
      () => this.element.isConnected,
    ).catch(() => null);
    if (!whole) return;
    this.element.replaceChildren(
      h("h1", {}, t("tour")),
      whole.tournaments.length
        ? h(
            "ul.tour-tables",
            {},
            whole.tournaments.map((one) =>
              h(
                "li.card",
                {},
                h("h2", {}, one.name || GAMES[one.game]),
                h(
                  "p",
                  {},
                  GAMES[one.game],
                  " · ",
                  one.over ? t("tour-over") : t("tour-round", { round: one.round }),
                ),
                h(
                  "div.row.wrap",
                  {},
                  link(`/tournament/${one.id}`, t("tour-standings")),
                  link(`/tournament/${one.id}/me`, t("tour-mine")),
                  me.arbiter ? link(`/tournament/${one.id}/director`, t("tour-director")) : null,
                ),
              ),
            ),
          )
        : h("p", {}, t("tour-none")),
      me.arbiter
        ? h(
            "button.primary.big",
            { id: "tour-new", onclick: () => this.create() },
            icon("plus"),
            t("tour-new"),
          )
        : h("p", {}, link("/arbiter", icon("key"), t("tour-sign-in"))),
    );
  }

  async create() {
    const breaks = TIE_BREAKS.map((kind) => [
      kind,
      t(`short-${kind}`).replace(/^./u, (first) => first.toUpperCase()),
    ]);
    const made = await ask(
      t("tour-new"),
      t("tour-create"),
      [
        ["name", t("tour-name"), { maxlength: 80 }],
        ["game", t("tour-game"), Object.entries(GAMES)],
        ["size", t("tour-size"), [2, 3, 4, 5].map((n) => [n, n])],
        ["rounds", t("tour-rounds"), { type: "number", min: 1, max: 99, value: 3 }],
        ["minutes", t("tour-minutes"), { type: "number", min: 1, max: 1440, value: 60 }],
        [
          "points",
          t("tour-scheme"),
          [
            ["", t("tour-usual")],
            ...["championship", "wins", "own"].map((kind) => [kind, t(`tour-scheme-${kind}`)]),
          ],
        ],
        ...Object.entries(PLACES).map(([n, value]) => [
          `own${n}`,
          t("tour-own-points", { number: n }),
          { value, maxlength: 60 },
          (told) => told.points === "own" && SIZES[told.size].includes(Number(n)),
        ]),
        ["bye", t("tour-bye-points"), { type: "number", min: 0, max: 1000, step: "any" }],
        [
          "first",
          t("tour-break-first"),
          [["", t("tour-usual")], ["none", t("tour-break-none")], ...breaks],
        ],
        [
          "second",
          t("tour-break-second"),
          [["", t("tour-break-none")], ...breaks],
          (told) => told.first && told.first !== "none",
        ],
        [
          "third",
          t("tour-break-third"),
          [["", t("tour-break-none")], ...breaks],
          (told) => told.second,
        ],
        ["rated", t("tour-rated"), { type: "checkbox", checked: true }],
      ],
      (told) => post("/api/tournaments", { settings: asSettings(told) }),
    );
    if (made) go(`/tournament/${made.id}/director`);
  }
}

// What the form says, as the hall takes it; what is left as usual is left to the hall.
function asSettings(told) {
  const settings = {
    name: told.name,
    game: told.game,
    size: Number(told.size),
    rounds: Number(told.rounds),
    round_minutes: Number(told.minutes),
    rated: told.rated,
  };
  if (told.points) settings.points = told.points;
  if (told.points === "own")
    settings.own_points = SIZES[told.size].map((n) =>
      told[`own${n}`].split(/[\s,;]+/).filter(Boolean),
    );
  if (told.bye) settings.bye_points = told.bye;
  if (told.first)
    settings.tie_breaks = [...new Set([told.first, told.second, told.third])].filter(
      (kind) => kind && kind !== "none",
    );
  return settings;
}

// Pairings and standings, as the public may see them; on the wall they turn by themselves.
export class TournamentView {
  constructor(id, wall = false) {
    this.id = id;
    this.wall = wall;
    this.page = 0;
    this.clock = new Clock(wall);
    this.element = h("section.hall");
    this.at = `/api/hall/tournaments/${id}`;
    this.line = new Line(
      () => `${this.at}/events`,
      ["tournament"],
      () => this.show(),
    );
    if (wall)
      this.turning = setInterval(() => {
        this.page += 1;
        this.draw();
      }, EVERY_PAGE_MS);
  }

  close() {
    this.line.close();
    this.clock.close();
    clearInterval(this.turning);
  }

  async show() {
    this.whole = await reached(
      () => get(`/api/hall/tournaments/${this.id}`),
      () => this.element.isConnected,
    ).catch((error) => {
      toast(error.message, "bad");
      return null;
    });
    this.draw();
  }

  draw() {
    const whole = this.whole;
    if (!whole) return;
    const round = whole.rounds.at(-1);
    this.clock.show(round);
    this.element.replaceChildren(
      h(
        "div.row.wrap",
        {},
        h("h1.grow", {}, whole.settings.name || GAMES[whole.settings.game]),
        this.clock.element,
      ),
      ...(this.wall ? this.onTheWall(whole, round) : this.onAPhone(whole, round)),
    );
  }

  onAPhone(whole, round) {
    return [
      h(
        "p.row.wrap",
        {},
        whole.over ? t("tour-over") : null,
        link(`/tournament/${this.id}/me`, t("tour-mine")),
        link(`/tournament/${this.id}/tv`, icon("tv"), t("tour-wall")),
        me.arbiter ? link(`/tournament/${this.id}/director`, t("tour-director")) : null,
      ),
      ...(round
        ? [
            h("h2", {}, `${t("tour-round", { round: round.round })} – ${t("tour-pairings")}`),
            pairings(round),
            byes(round, whole),
          ]
        : [h("p", {}, t("tour-no-round"))]),
      ...this.standings(whole, whole.overall),
      h("h2", {}, t("tour-tie-breaks")),
      h(
        "ol",
        {},
        whole.tie_breaks.map((one) => h("li", {}, one)),
      ),
      h("h2", {}, t("tour-exports")),
      h(
        "p.row.wrap",
        {},
        EXPORTS.map((kind) =>
          h(
            "a.button",
            { href: `/api/hall/tournaments/${this.id}/export?as=${kind}`, download: true },
            t(`tour-export-${kind.split(".")[0]}`),
          ),
        ),
      ),
    ];
  }

  onTheWall(whole, round) {
    const pages = Math.max(1, Math.ceil(whole.overall.length / ROWS));
    const turn = this.page % (pages + 1);
    if (round && round.stage !== "closed" && turn === 0) {
      return [
        h("h2", {}, `${t("tour-round", { round: round.round })} – ${t("tour-pairings")}`),
        round.rated ? h("p", {}, t("tour-help-off")) : null,
        pairings(round),
        byes(round, whole),
      ].filter(Boolean);
    }
    const first = (Math.max(0, turn - 1) % pages) * ROWS;
    return this.standings(whole, whole.overall.slice(first, first + ROWS));
  }

  standings(whole, rows) {
    const kinds = whole.settings.tie_breaks;
    const named = (n) => t("tour-break", { number: n + 1 });
    const why = async (one, two) => {
      const said = await attempt(() =>
        get(
          `/api/hall/tournaments/${this.id}/why?one=${one.player}&two=${two.player}&lang=${document.documentElement.lang}`,
        ),
      );
      if (said) sheet(t("tour-why-title"), h("p.tour-why", {}, said.text));
    };
    return [
      h("h2", {}, t("tour-standings")),
      h(
        "div.hall-scroll",
        { tabindex: 0, role: "region", "aria-label": t("tour-standings") },
        h(
          "table.hall-list.tour-standings",
          {},
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              h("th", { scope: "col" }, t("tour-place")),
              h("th", { scope: "col" }, t("tour-player")),
              h("th", { scope: "col" }, t("tour-points")),
              ...kinds.map((_, n) => h("th", { scope: "col" }, named(n))),
            ),
          ),
          h(
            "tbody",
            {},
            rows.map((row, n) =>
              h(
                "tr",
                {},
                h("td", {}, row.rank),
                h(
                  "td",
                  {},
                  n && !this.wall
                    ? h(
                        "button.ghost",
                        {
                          "aria-label": t("tour-why", { one: rows[n - 1].name, two: row.name }),
                          onclick: () => why(rows[n - 1], row),
                        },
                        row.name,
                      )
                    : row.name,
                  row.provisional ? h("small", {}, ` ${t("tour-provisional")}`) : null,
                ),
                h("td", {}, h("b", {}, row.points)),
                ...kinds.map((kind, n) => h("td", { "data-is": named(n) }, row.tie_breaks[kind])),
              ),
            ),
          ),
        ),
      ),
    ];
  }
}

// A player's own phone: where I sit, how I stand, whether the result is right.
export class MyView {
  constructor(id) {
    this.id = id;
    this.at = `/api/tournaments/${id}`;
    this.clock = new Clock();
    this.element = h("section.hall");
    this.show();
  }

  close() {
    this.line?.close();
    this.clock.close();
  }

  async show() {
    try {
      this.draw(
        await reached(
          () => get(`${this.at}/me`),
          () => this.element.isConnected,
        ),
      );
      if (this.element.isConnected)
        this.line ??= new Line(
          () => `${this.at}/me/events`,
          ["tournament"],
          () => this.show(),
        );
    } catch (error) {
      if (error.code === "no-player") this.element.replaceChildren(this.login());
      else toast(error.message, "bad");
    }
  }

  login() {
    const code = h("input.code", {
      type: "text",
      maxlength: 12,
      autocomplete: "off",
      autocapitalize: "characters",
      "aria-label": t("tour-code"),
    });
    const problem = h("p.problem", { role: "alert" });
    return h(
      "form.card",
      {
        onsubmit: async (e) => {
          e.preventDefault();
          try {
            await post(`${this.at}/me`, { code: code.value });
            this.show();
          } catch (error) {
            problem.textContent = error.message;
            code.select();
          }
        },
      },
      h("h1", {}, t("tour-code")),
      h("p", {}, t("tour-code-why")),
      code,
      problem,
      h("button.primary.wide.big", {}, icon("check"), t("tour-enter")),
    );
  }

  async do(what, data = {}) {
    const whole = await attempt(() => post(`${this.at}/my`, { do: what, data }));
    if (whole) this.draw(whole);
  }

  draw(whole) {
    if (!whole) return;
    const { round, standing } = whole;
    this.clock.show(round);
    this.element.replaceChildren(
      h("h1", {}, t("tour-hello", { name: whole.name })),
      h("p", {}, link(`/tournament/${this.id}`, whole.tournament.name || t("tour-standings"))),
      standing
        ? h(
            "p.tour-mine",
            {},
            t("tour-my-place", {
              place: standing.rank,
              all: whole.places,
              points: standing.points,
            }),
          )
        : null,
      h("article.card", {}, ...this.round(whole, round)),
      h(
        "div.row.wrap",
        {},
        whole.here
          ? h("button", { onclick: () => this.do("leave") }, t("tour-leave"))
          : h("button.primary.big", { onclick: () => this.do("check-in") }, t("tour-here")),
        h(
          "button",
          { onclick: () => this.do("hide-player", { hidden: !whole.hidden }) },
          t(whole.hidden ? "tour-show-name" : "tour-hide-name"),
        ),
        h(
          "button",
          {
            onclick: async () => {
              if (await ask(t("tour-erase-sure"), t("tour-erase"), [])) this.do("erase-player");
            },
          },
          t("tour-erase"),
        ),
      ),
    );
  }

  round(whole, round) {
    if (whole.tournament.over) return [h("p", {}, t("tour-over"))];
    if (!round || round.stage === "closed") return [h("p", {}, t("tour-no-round"))];
    const head = h(
      "div.row.wrap",
      {},
      h("h2.grow", {}, t("tour-round", { round: round.round })),
      this.clock.element,
    );
    if (round.bye) return [head, h("p.tour-mine", {}, t("tour-bye"))];
    const table = round.table;
    if (!table) return [head, h("p", {}, t("tour-no-round"))];
    return [
      head,
      h("p.tour-mine", { id: "my-table" }, t("tour-table", { number: table.table })),
      round.rated ? h("p", {}, t("tour-help-off")) : null,
      ...(table.result ? this.result(whole, table) : this.seats(whole, table, round)),
    ].filter(Boolean);
  }

  seats(whole, table, round) {
    return [
      h(
        "ol.lines",
        {},
        table.names.map((name, seat) =>
          h(
            "li.row",
            {},
            h("span.grow", {}, table.players[seat] === whole.player ? h("b", {}, name) : name),
            seat === 0 ? h("small", {}, t("tour-starts")) : null,
          ),
        ),
      ),
      round.stage === "running"
        ? h("button.wide", { onclick: () => this.type(table) }, t("tour-type-in"))
        : null,
    ];
  }

  result(whole, table) {
    const result = table.result,
      agreed = result.confirmed.includes(whole.player);
    // With the result that is shown here: by now, another one may have come.
    const vote = (what) =>
      this.do(what, {
        round: whole.round.round,
        table: table.table,
        scores: result.scores,
        winners: result.winners,
      });
    return [
      h("h3", {}, t("tour-result")),
      resultOf(table),
      stateOf(table),
      ...(result.final
        ? []
        : [
            agreed
              ? h("p", {}, t("tour-confirmed"))
              : h(
                  "button.primary.wide.big",
                  { id: "confirm", onclick: () => vote("confirm") },
                  icon("check"),
                  t("tour-confirm"),
                ),
            result.objected.includes(whole.player)
              ? h("p", {}, t("tour-objected"))
              : h(
                  "button.wide",
                  { id: "object", onclick: () => vote("object") },
                  icon("cross"),
                  t("tour-object"),
                ),
          ]),
    ];
  }

  async type(table) {
    const data = await askResult(table);
    if (data) this.do("result", data);
  }
}

// Asks for the points of everybody at a table; who has most has won, unless somebody says otherwise.
// Who corrects it can take a forfeit back, too.
export async function askResult(table, correcting = false) {
  const gone = correcting ? table.forfeits : [];
  const told = await ask(t("tour-type-in"), t("tour-send"), [
    ...table.players.map((player, seat) => [
      player,
      table.names[seat],
      { type: "number", step: 1, value: table.result?.scores[player] ?? "" },
    ]),
    [
      "winner",
      t("tour-winner"),
      [
        ["", t("tour-most-points")],
        ...table.players.map((player, seat) => [player, table.names[seat]]),
      ],
    ],
    ...gone.map((player) => [
      `gone-${player}`,
      `${table.names[table.players.indexOf(player)]}: ${t("tour-forfeited")}`,
      { type: "checkbox", checked: true },
    ]),
  ]);
  if (!told) return null;
  const forfeits = table.forfeits.filter(
    (player) => !gone.includes(player) || told[`gone-${player}`],
  );
  const scores = Object.fromEntries(
    table.players
      .filter((player) => !forfeits.includes(player))
      .map((player) => [player, told[player] === "" ? null : Number(told[player])]),
  );
  return {
    table: table.table,
    scores,
    winners: told.winner ? [told.winner] : [],
    ...(correcting ? { forfeits } : {}),
  };
}
