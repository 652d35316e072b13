// Choosing a legal move on the drawing: tap a place, choose among what fits there, see it, lay it.
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
    this.legal = [];
    board.drawOver = (svg) => this.draw(svg);
  }

  show(state, legal) {
    this.state = state;
    this.legal = legal;
    this.choose(null);
    if (this.board.svg) this.draw(this.board.svg);
  }

  choose(one) {
    this.chosen = one;
    const silent = this.legal.filter((other) => !other.spots.length);
    this.element.replaceChildren(...(one
      ? [h("button.primary.big", { onclick: () => this.done(one.move) }, icon("check"), one.text), h("button", { onclick: () => this.choose(null) }, t("cancel"))]
      : silent.map((other) => h("button", { onclick: () => this.done(other.move) }, other.text))));
    if (this.board.svg) ghostOn(this.board.svg, this.state, one ? [asGhost(this.state, one)] : []);
  }

  draw(svg) {
    for (const old of svg.querySelectorAll(".place-choice")) old.remove();
    const pitch = Number(svg.dataset.pitch), hex = svg.dataset.lattice === "hex";
    for (const spot of new Set(this.legal.flatMap((one) => one.spots))) {
      const [f, x, y] = spot.split(":").map(Number);
      const panel = svg.querySelector(`.panel[data-f="${f}"]`);
      if (!panel) continue;
      const [cx, cy] = hex ? [pitch * (x + y / 2), pitch * 0.8660254 * y] : [x * pitch, y * pitch];
      const shape = document.createElementNS(NS, "circle");
      const given = { cx, cy, r: pitch * (hex ? 0.4 : 0.3), class: "place-choice", role: "button", tabindex: "0", "aria-label": t("alone-choose") };
      for (const [name, value] of Object.entries(given)) shape.setAttribute(name, value);
      shape.addEventListener("click", () => this.ask(spot));
      shape.addEventListener("keydown", (e) => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); this.ask(spot); } });
      panel.append(shape);
    }
    // Places lie above the tiles, which would else take the tap.
    const taps = svg.querySelector(".taps");
    if (taps) svg.prepend(taps);
    ghostOn(svg, this.state, this.chosen ? [asGhost(this.state, this.chosen)] : []);
  }

  ask(spot) {
    const here = this.legal.filter((one) => one.spots.includes(spot));
    if (here.length === 1) { this.choose(here[0]); return; }
    const dialog = sheet(t("alone-choose"), h("div.answers", {}, ...here.slice(0, MOST_LISTED).map((one) => {
      const ghost = asGhost(this.state, one);
      return h("button.answer.pictured", { onclick: () => { dialog.close(); this.choose(one); } },
        h("img", { src: tileUrl(this.state, ghost.tile, ghost.turns), alt: "" }), h("span", {}, one.text));
    })));
  }
}

function asGhost(state, { move, spots }) {
  const own = `${move.player}/${move.tile}`;
  const tile = state.stock.some((one) => one.tile === own) ? own : move.tile ?? state.tiles.find((one) => one.spots.includes(spots[0]))?.tile ?? "";
  return { tile, turns: move.turns ?? 0, spots };
}
