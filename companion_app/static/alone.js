// A phone alone against the machine, on the drawing: for learning the rules; it counts for nobody.
import { Board } from "./board.js";
import { tileUrl } from "./correct.js";
import { ranks, winnerText } from "./ending.js";
import { MovePicker } from "./pick_move.js";
import {
  attempt,
  avatar,
  choice,
  choose,
  filling,
  get,
  h,
  icon,
  lettered,
  post,
  score,
  t,
} from "./ui.js";

const LEVELS = [1, 2, 3, 4, 5];
const SMALL = matchMedia("(max-width: 599px)");
// Places to tap have 44 pixels on a phone; what has no room is scrolled to.
const LEAST_PX = { square: 54, hex: 48 };

export class AloneView {
  constructor(live) {
    this.live = live;
    this.stays = true;
    this.board = new Board();
    this.picker = new MovePicker(this.board, (move) => this.play(move));
    this.element = h(
      "div.page.alone",
      {},
      h("h1", {}, t("alone-title")),
      h("p.loading", { role: "status" }, t("loading")),
    );
    this.load();
  }

  // A game that this phone has begun is gone on with.
  async load() {
    if (this.state) return;
    const kept = choice("alone");
    const going = kept ? await get(`/api/alone/${kept}`).catch(() => null) : null;
    if (going) {
      this.show(going);
      return;
    }
    const answer = await filling(this, () => get("/api/games"));
    if (answer) this.offer(answer.games);
  }

  offer(games) {
    this.state = null;
    const level = h(
      "select",
      { id: "alone-level" },
      ...LEVELS.map((n) => h("option", { value: n, selected: n === 2 }, t("machine-level", { n }))),
    );
    this.element.replaceChildren(
      h("h1", {}, t("alone-title")),
      h("p", {}, t("alone-text")),
      h("label.field", {}, h("span", {}, t("alone-level")), level),
      h(
        "div.game-grid",
        {},
        ...games.map((game) =>
          h(
            "button.card.game-card",
            { onclick: () => this.begin(game.game, Number(level.value)) },
            h("b", {}, game.title),
            h("small", {}, game.about),
          ),
        ),
      ),
    );
  }

  async begin(game, level) {
    const state = await attempt(() => post("/api/alone", { game, level }));
    if (state) this.show(state);
  }

  async play(move) {
    const state = await attempt(() => post(`/api/alone/${this.state.alone.id}`, { move }));
    if (state) this.show(state);
  }

  async leave() {
    await attempt(() => post(`/api/alone/${this.state.alone.id}`, { leave: true }));
    choose("alone", null);
    this.state = null;
    this.load();
  }

  // Who has won, and what comes next: the same again, or a level that suits the result better.
  ending(state) {
    const { seat, level } = state.alone;
    const hasWon = state.players.find((one) => one.id === seat).winner;
    const other = level + (hasWon ? (level < LEVELS.at(-1) ? 1 : -1) : level > 1 ? -1 : 1);
    return h(
      "div.card.over",
      {},
      h("p.headline", {}, winnerText(state)),
      ranks(state),
      h(
        "div.row",
        {},
        h(
          "button.primary",
          { onclick: () => this.begin(state.game, level) },
          icon("redo"),
          t("rematch"),
        ),
        h(
          "button",
          { onclick: () => this.begin(state.game, other) },
          t("machine-level", { n: other }),
        ),
      ),
    );
  }

  show(state) {
    this.state = state;
    choose("alone", state.over ? null : state.alone.id);
    lettered(state.players);
    const last = state.moves
      .slice(-3)
      .map((one) => one.text)
      .join(" · ");
    const parts = [
      h("h1", {}, state.title),
      h(
        "div.row.scores",
        {},
        ...state.players.map((p) =>
          h(
            `span.mini${p.winner && state.over ? ".winner" : ""}`,
            {},
            avatar(p),
            p.name,
            " ",
            h("b", {}, score(p.score)),
          ),
        ),
      ),
      h(
        "p.headline",
        { "aria-live": "polite" },
        state.over ? t("alone-over") : last || t("alone-tap"),
      ),
      state.alone.hand.length
        ? h(
            "div",
            {},
            h("small", {}, t("alone-hand")),
            h(
              "div.row.wrap.drawn",
              {},
              ...state.alone.hand.map((one) =>
                h("img", { src: tileUrl(state, one.tile), alt: one.label, width: 56, height: 56 }),
              ),
            ),
          )
        : null,
      state.over ? this.ending(state) : null,
      h("div.frame", {}, h("div.board-place", {}, this.board.element)),
      this.picker.element,
      h(
        "div.row",
        {},
        h("button.ghost", { onclick: () => this.leave() }, icon("cross"), t("alone-leave")),
      ),
    ];
    this.element.replaceChildren(...parts.filter(Boolean));
    const small = SMALL.matches;
    this.board.least(small ? LEAST_PX[state.lattice] : 0);
    this.board.show(
      `/api/alone/${state.alone.id}/table.svg?v=${state.drawing}&lang=${state.language}` +
        (small && state.fields > 1 ? "&stacked=1" : ""),
    );
    this.picker.show(state, state.over ? [] : state.legal);
  }
}
