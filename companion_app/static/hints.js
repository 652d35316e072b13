// Legal moves as ghosts on the table: at every place the kinds that fit there, pale; hex cells name the sizes.
import { tileUrl } from "./correct.js";

const NS = "http://www.w3.org/2000/svg";
const MOST = 4; // kinds in one place; more would be too small to be known

export function ghosts(board, state, moves) {
  board.drawOver = (svg) => {
    for (const old of svg.querySelectorAll(".ghost-tile")) old.remove();
    if (svg.dataset.lattice === "square") cards(svg, state, moves);
    if (svg.dataset.lattice === "hex") cells(svg, moves);
  };
  if (board.svg) board.drawOver(board.svg);
}

function cards(svg, state, moves) {
  const places = new Map();
  for (const { move, spots } of moves) {
    if (!move.tile || !spots.length) continue;
    if (!places.has(spots[0])) places.set(spots[0], new Map());
    const kinds = places.get(spots[0]);
    if (!kinds.has(move.tile)) kinds.set(move.tile, move.turns ?? 0);
  }
  const pitch = Number(svg.dataset.pitch);
  for (const [spot, kinds] of places) {
    const [f, x, y] = spot.split(":").map(Number);
    const panel = svg.querySelector(`.panel[data-f="${f}"]`);
    if (!panel) continue;
    const shown = [...kinds].slice(0, MOST);
    const across = shown.length > 1 ? 2 : 1,
      side = (pitch * 0.9) / across;
    const group = make("g", { class: "ghost-tile" });
    shown.forEach(([tile, turns], n) =>
      group.append(
        make("image", {
          href: tileUrl(state, tile, turns),
          width: side,
          height: side,
          x: (x - 0.45) * pitch + (n % across) * side,
          y: (y - 0.45) * pitch + Math.floor(n / across) * side,
        }),
      ),
    );
    panel.append(group);
  }
}

function cells(svg, moves) {
  const sizes = new Map();
  for (const { move, spots } of moves)
    for (const spot of spots) {
      if (!sizes.has(spot)) sizes.set(spot, new Set());
      sizes.get(spot).add(String(move.tile ?? "").split("/")[0]);
    }
  const pitch = Number(svg.dataset.pitch);
  for (const [spot, kinds] of sizes) {
    const [f, q, r] = spot.split(":").map(Number);
    const panel = svg.querySelector(`.panel[data-f="${f}"]`);
    if (!panel) continue;
    const cx = pitch * (q + r / 2),
      cy = pitch * 0.8660254 * r;
    const group = make("g", { class: "ghost-tile" });
    const words = make("text", { x: cx, y: cy, "font-size": pitch * 0.3 });
    const listed = [...kinds].sort();
    words.textContent = listed.length > 1 ? `${listed[0]}–${listed.at(-1)}` : listed[0];
    group.append(make("circle", { cx, cy, r: pitch * 0.42 }), words);
    panel.append(group);
  }
}

function make(tag, attributes) {
  const element = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}
