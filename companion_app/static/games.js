// Games that were: the list, statistics by person, and one game with its replay slider and exports.
import { Board } from "./board.js";
import { mayLeave } from "./leaving.js";
import { LookOver } from "./look_over.js";
import { Mistakes } from "./mistakes.js";
import { peopleCard } from "./people.js";
import {
  askSure,
  attempt,
  avatar,
  filling,
  get,
  h,
  icon,
  lettered,
  me,
  post,
  score,
  sheet,
  t,
  when,
} from "./ui.js";

export class GamesView {
  constructor(live, go) {
    this.go = go;
    this.element = h(
      "div.page",
      {},
      h("h1", {}, t("tab-games")),
      h("p.loading", { role: "status" }, t("loading")),
    );
    this.load();
  }

  // A game that begins or ends belongs into the list.
  update(state) {
    const now = `${state?.key} ${state?.over}`;
    const before = this.now ?? now;
    this.now = now;
    if (now !== before) this.load();
  }

  async load() {
    const answers = await filling(this, () =>
      Promise.all([get("/api/history"), get("/api/statistics"), get("/api/series")]),
    );
    if (!answers) return;
    const [{ games, unreadable }, people, { series }] = answers;
    const { players } = people;
    this.element.replaceChildren(
      h("h1", {}, t("tab-games")),
      ...(unreadable.length
        ? [
            h(
              "p.card.problem",
              { id: "unreadable" },
              t("games-unreadable", { n: unreadable.length }),
            ),
          ]
        : []),
    );
    if (!games.length) {
      this.element.append(this.nothing());
      return;
    }
    if (players.length) this.element.append(peopleCard(people, () => this.load()));
    if (players.length) this.element.append(new Mistakes(this.go).element);
    this.element.append(...series.slice(0, 3).map((one) => this.evening(one)));
    this.element.append(
      h(
        "ul.game-list",
        {},
        ...games.map((game) =>
          h(
            "li",
            {},
            h(
              "a.card",
              {
                href: `/games/${game.key}`,
                onclick: (e) => {
                  e.preventDefault();
                  this.go(`/games/${game.key}`);
                },
              },
              h(
                "span.row",
                {},
                h("b", {}, game.title),
                h("span.grow"),
                game.demo ? h("span.badge.demo", {}, t("demo")) : null,
                game.ended ? null : h("span.badge", {}, t("unfinished")),
              ),
              h(
                "span.row.scores",
                {},
                ...lettered(game.players).map((p) =>
                  h(
                    `span.mini${p.winner && game.ended ? ".winner" : ""}`,
                    {},
                    avatar(p),
                    p.name,
                    " ",
                    h("b", {}, score(p.score)),
                  ),
                ),
              ),
              h("small", {}, when(game.began_s), " · ", t("moves-count", { n: game.moves })),
            ),
          ),
        ),
      ),
    );
  }

  nothing() {
    return h(
      "section.card.welcome",
      {},
      icon("games"),
      h("p", {}, t("no-games")),
      h("button.primary.big", { onclick: () => this.go("/new") }, icon("plus"), t("new-game")),
    );
  }

  // Games that the same people played one after the other, added up.
  evening(one) {
    return h(
      "section.card.series",
      {},
      h("h2", {}, t("series"), " · ", one.title),
      h("small", {}, when(one.began_s), " · ", t("series-games", { n: one.games.length })),
      h(
        "div.scroll",
        { tabindex: "0", role: "region", "aria-label": t("series") },
        h(
          "table",
          {},
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              h("th", { scope: "col" }, t("name")),
              ...one.games.map((_, n) => h("th", { scope: "col" }, n + 1)),
              h("th", { scope: "col" }, t("series-total")),
            ),
          ),
          h(
            "tbody",
            {},
            ...one.players.map((p) =>
              h(
                "tr",
                {},
                h("th", { scope: "row" }, p.name),
                ...p.scores.map((n) => h("td", {}, score(n))),
                h("td", {}, h("b", {}, score(p.total))),
              ),
            ),
          ),
        ),
      ),
    );
  }
}

export class ReplayView {
  constructor(key, live, go) {
    this.key = key;
    this.live = live;
    this.go = go;
    this.board = new Board();
    this.element = h("div.page.replay", {}, h("p.loading", {}, t("loading")));
    this.load();
  }

  // The game that is on changes while it is looked through.
  update(state) {
    if (state?.key !== this.key || state.drawing === this.drawing) return;
    const seen = this.drawing;
    this.drawing = state.drawing;
    if (seen) this.load();
  }

  async load() {
    const game = await filling(this, () => get(`/api/games/${this.key}`));
    if (!game && !this.game) this.element.replaceChildren(h("p.card", {}, t("error-no-game")));
    if (!game) return;
    const at = Math.min(this.place ?? game.length, game.length);
    this.length = game.length;
    this.curve = game.curve;
    this.game = game;
    lettered(game.players);
    this.slider = h("input.slider", {
      type: "range",
      min: 0,
      max: game.length,
      step: 1,
      value: at,
      "aria-label": t("replay"),
      oninput: () => this.at(Number(this.slider.value)),
    });
    this.line = h("p.headline", { "aria-live": "polite" });
    this.scores = h("div.row.scores");
    const step = (by) => {
      this.slider.value = String(
        Math.max(0, Math.min(game.length, Number(this.slider.value) + by)),
      );
      this.at(Number(this.slider.value));
    };
    this.element.replaceChildren(
      h("h1", {}, game.title, h("small", {}, when(game.began_s))),
      h(
        "div.replay-grid",
        {},
        h("div.frame", {}, this.board.element),
        h(
          "div",
          {},
          this.scores,
          this.line,
          h(
            "div.row.slide",
            {},
            h("button.round", { "aria-label": t("step-back"), onclick: () => step(-1) }, "‹"),
            this.slider,
            h("button.round", { "aria-label": t("step-on"), onclick: () => step(1) }, "›"),
          ),
          this.chart(game),
          this.lookOver(game).element,
          this.exports(game),
        ),
      ),
    );
    this.at(at, true);
  }

  at(n, again = false) {
    this.place = n < this.length ? n : null; // whoever looks at the end stays there when moves are added
    this.board.show(
      `/api/games/${this.key}/table.svg?n=${n}&lang=${document.documentElement.lang}`,
      again,
    );
    const move = this.game.moves[n - 1];
    this.onPlace?.(n);
    this.line.textContent = move ? `${move.n}. ${move.text}` : t("start-position");
    this.scores.replaceChildren(
      ...this.game.players.map((p) =>
        h("span.mini", {}, avatar(p), p.name, " ", h("b", {}, score(this.curve[n][p.id]))),
      ),
    );
    this.mark?.setAttribute("x1", String(this.x(n)));
    this.mark?.setAttribute("x2", String(this.x(n)));
  }

  // Whoever comes for one move (by its number in the address) finds the question about it.
  lookOver(game) {
    const looked = new LookOver(this, game),
      asked = /^#(\d+)$/.exec(location.hash)?.[1];
    if (asked && !this.place) looked.load(Number(asked));
    return looked;
  }

  x(n) {
    return 4 + (n / Math.max(1, this.length)) * 292;
  }

  // The score of everybody over the game, as lines with different dashes.
  chart(game) {
    const NS = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(NS, "svg");
    svg.setAttribute("viewBox", "0 0 300 90");
    svg.setAttribute("class", "curve");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", t("score-curve"));
    const values = game.curve.flatMap((row) => Object.values(row)).filter((v) => v !== null);
    const low = Math.min(0, ...values),
      high = Math.max(1, ...values);
    const y = (v) => 84 - ((v - low) / (high - low || 1)) * 78;
    game.players.forEach((player, number) => {
      const line = document.createElementNS(NS, "polyline");
      line.setAttribute(
        "points",
        game.curve
          .map((row, n) => (row[player.id] === null ? null : `${this.x(n)},${y(row[player.id])}`))
          .filter(Boolean)
          .join(" "),
      );
      line.setAttribute("stroke", player.colour);
      line.setAttribute("stroke-dasharray", ["", "7 4", "2 4", "10 3 2 3", "4 2"][number % 5]);
      svg.append(line);
    });
    this.mark = document.createElementNS(NS, "line");
    this.mark.setAttribute("y1", "2");
    this.mark.setAttribute("y2", "88");
    svg.append(this.mark);
    return h("div.card", {}, svg);
  }

  exports(game) {
    const url = `/api/games/${this.key}`;
    return h(
      "section.card",
      {},
      h("h2", {}, t("share")),
      h(
        "div.row.wrap",
        {},
        h(
          "button",
          { onclick: () => attempt(async () => (await import("./sharecard.js")).share(game)) },
          icon("share"),
          t("share-card"),
        ),
        h(
          "button",
          {
            onclick: () =>
              attempt(async () => (await import("./sharecard.js")).shareDrawing(game, this.board)),
          },
          t("share-picture"),
        ),
        h("a.button", { href: `${url}/record.json`, download: "" }, t("share-record")),
        h("a.button", { href: `${url}/play.bgsplay`, download: "" }, "BG Stats"),
        !me.host || (this.live.state?.key === this.key && !game.over)
          ? null
          : h("button", { onclick: () => this.resume() }, icon("redo"), t("resume")),
        ...(me.host
          ? [
              h("button", { onclick: () => this.rename(game) }, icon("hand"), t("rename-player")),
              this.live.state?.key === this.key
                ? null
                : h(
                    "button.danger",
                    { onclick: () => this.delete() },
                    icon("cross"),
                    t("delete-game"),
                  ),
            ]
          : []),
      ),
    );
  }

  rename(game) {
    const fields = game.players.map((p) =>
      h(
        "label.field",
        {},
        h("span.row", {}, avatar(p), p.word || p.name),
        h("input", { type: "text", maxlength: 40, value: p.name, name: p.id }),
      ),
    );
    const form = h(
      "form",
      {
        onsubmit: async (e) => {
          e.preventDefault();
          const changed = [...form.querySelectorAll("input")].filter(
            (field) =>
              field.value.trim() &&
              field.value.trim() !== game.players.find((p) => p.id === field.name).name,
          );
          const done = await attempt(async () => {
            for (const field of changed)
              await post("/api/games/rename", {
                key: this.key,
                player: field.name,
                name: field.value.trim(),
              });
            return true;
          });
          if (done) {
            dialog.close();
            this.load();
          }
        },
      },
      ...fields,
      h("button.primary.wide", {}, icon("check"), t("save")),
    );
    const dialog = sheet(t("rename-player"), form);
  }

  delete() {
    askSure(t("delete-game"), t("delete-game-text"), t("delete-game"), async () => {
      if (await attempt(() => post("/api/games/delete", { key: this.key }))) this.go("/games");
    });
  }

  async resume() {
    if (this.live.state?.key !== this.key && !(await mayLeave(this.live))) return;
    const state = await attempt(() => post("/api/resume", { key: this.key }));
    if (state) {
      this.live.take(state);
      this.go("/");
    }
  }
}
