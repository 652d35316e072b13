// Choosing a legal move on the drawing: tap a place, choose among what fits there, see it, lay it.
// A hex tile fits in so many ways that its other places are tapped too, until one way is left.
import { tileUrl } from "./correct.js";
import { ghostOn } from "./machine.js";
import { h, icon, sheet, t } from "./ui.js";

const NS = "http://www.w3.org/2000/svg";
const MOST_LISTED = 60;

export class MovePicker {
  // `done` gets the move; `element` holds what can be done without a tile, and the button that lays it.
  constructor(board, done) {
    this.board = board;
    this.done = done;
    this.element = h("div.alone-legal");
    this.legal = this.open = [];
    board.drawOver = (svg) => this.draw(svg);
  }

  show(state, legal) {
    this.state = state;
    this.legal = legal;
    this.among(legal);
  }

  // What may still be meant: every move, or the ways of one hex tile over the places tapped so far.
  among(moves) {
    this.open = moves;
    this.choose(null);
    if (this.board.svg) this.draw(this.board.svg);
  }

  choose(one) {
    this.chosen = one;
    const silent = this.legal.filter((other) => !other.spots.length);
    const cancel = h("button", { onclick: () => this.among(this.legal) }, t("cancel"));
    this.element.replaceChildren(
      ...(one
        ? [
            h(
              "button.primary.big",
              { onclick: () => this.done(one.move) },
              icon("check"),
              one.text,
            ),
            cancel,
          ]
        : this.begun
          ? [h("p", { role: "status" }, `${this.open[0].text} · ${t("alone-tap")}`), cancel]
          : silent.map((other) =>
              h("button", { onclick: () => this.done(other.move) }, other.text),
            )),
    );
    if (this.board.svg) ghostOn(this.board.svg, this.state, this.ghost());
  }

  get begun() {
    return this.open !== this.legal;
  }

  // The tile that was chosen; of one whose places are still being tapped, those that are sure.
  ghost() {
    const [first] = this.chosen ? [this.chosen] : this.begun ? this.open : [];
    return first
      ? [{ ...asGhost(this.state, first), spots: this.chosen ? first.spots : this.shared() }]
      : [];
  }

  shared() {
    return this.open[0].spots.filter((spot) => this.open.every((one) => one.spots.includes(spot)));
  }

  draw(svg) {
    for (const old of svg.querySelectorAll(".place-choice")) old.remove();
    const pitch = Number(svg.dataset.pitch),
      hex = svg.dataset.lattice === "hex";
    const sure = this.begun ? this.shared() : [];
    for (const spot of new Set(this.open.flatMap((one) => one.spots))) {
      const [f, x, y] = spot.split(":").map(Number);
      const panel = svg.querySelector(`.panel[data-f="${f}"]`);
      if (!panel || sure.includes(spot)) continue;
      const [cx, cy] = hex ? [pitch * (x + y / 2), pitch * 0.8660254 * y] : [x * pitch, y * pitch];
      const shape = document.createElementNS(NS, "circle");
      const given = {
        cx,
        cy,
        r: pitch * (hex ? 0.47 : 0.42),
        class: "place-choice",
        role: "button",
        tabindex: "0",
        "aria-label": t("alone-choose"),
        "data-spot": spot,
      };
      for (const [name, value] of Object.entries(given)) shape.setAttribute(name, value);
      shape.addEventListener("click", () => this.ask(spot));
      shape.addEventListener("keydown", (e) => {
        if (e.key === "Enter" || e.key === " ") {
          e.preventDefault();
          this.ask(spot);
        }
      });
      panel.append(shape);
    }
    // Places lie above the tiles, which would else take the tap.
    const taps = svg.querySelector(".taps");
    if (taps) svg.prepend(taps);
    ghostOn(svg, this.state, this.ghost());
    if (!svg.querySelector(".fresh")) this.board.lookAt(svg.querySelector(".place-choice"));
  }

  ask(spot) {
    const here = this.open.filter((one) => one.spots.includes(spot));
    if (this.state.lattice !== "hex") {
      this.list(here, (one) => this.choose(one));
      return;
    }
    const kinds = [...new Map(here.map((one) => [one.move.tile, one])).values()];
    this.list(kinds, ({ move }) => this.narrow(here.filter((one) => one.move.tile === move.tile)));
  }

  // Ways over the same places differ only in where the snake comes from.
  narrow(ways) {
    if (ways.every((one) => String(one.spots) === String(ways[0].spots)))
      this.list(ways, (one) => this.choose(one));
    else this.among(ways);
  }

  list(moves, picked) {
    if (moves.length === 1) {
      picked(moves[0]);
      return;
    }
    const dialog = sheet(
      t("alone-choose"),
      h(
        "div.answers",
        {},
        ...moves.slice(0, MOST_LISTED).map((one) => {
          const ghost = asGhost(this.state, one);
          return h(
            "button.answer.pictured",
            {
              onclick: () => {
                dialog.close();
                picked(one);
              },
            },
            h("img", { src: tileUrl(this.state, ghost.tile, ghost.turns), alt: "" }),
            h("span", {}, one.text),
          );
        }),
      ),
    );
  }
}

function asGhost(state, { move, spots }) {
  const own = `${move.player}/${move.tile}`;
  const tile = state.stock.some((one) => one.tile === own)
    ? own
    : (move.tile ?? state.tiles.find((one) => one.spots.includes(spots[0]))?.tile ?? "");
  return { tile, turns: move.turns ?? 0, spots };
}
