// Saying what a tile really is: a square card by its face and turn, a hex tile by its cells.
import { Board } from "./board.js";
import { h, icon, sheet, t } from "./ui.js";

const NS = "http://www.w3.org/2000/svg";
export const tileUrl = (state, tile, turns = 0) => `/api/tile.svg?game=${state.game}&set=${encodeURIComponent(state.set)}&tile=${encodeURIComponent(tile)}&turns=${turns}`;

// One move and its tile: what it was, what is wrong with it, and how to put it right.
export function moveSheet(state, move, tile, act) {
  const content = [];
  if (tile) content.push(h("div.tile-shown", {}, h("img", { src: tileUrl(state, tile.tile, tile.turns ?? 0), alt: "" }),
    h("p", {}, tile.label, h("br"), h("small", {}, move ? t("laid-in-move", { n: move.n }) + ": " + move.text : t("lay-from-start")))));
  else if (move) content.push(h("p", {}, move.text));
  for (const broken of move?.violations ?? []) content.push(h("blockquote", {}, broken.text, h("cite", {}, broken.source)));
  const correct = (changes) => act("/api/tell", { correct: move.n, move: changes });
  if (move && ["place", "replace", "turn"].includes(move.move.do)) {
    const square = state.lattice === "square";
    content.push(h("button.wide", { onclick: () => {
      dialog.close();
      if (square) pickTile(state, (name, turns) => correct({ tile: name, turns }), tile);
      else pickCells(state, move, correct);
    } }, t(square ? "is-another-tile" : "is-other-cells")));
  }
  if (move) content.push(h("button.wide", { onclick: () => { dialog.close(); act("/api/undo", { count: state.moves.length - move.n + 1 }); } },
    icon("undo"), t("back-to-before", { n: move.n })));
  const dialog = sheet(move ? t("move-n", { n: move.n }) : t("tile"), ...content);
  return dialog;
}

export function pickTile(state, done, tile = null) {
  let turns = tile?.turns ?? 0;
  const grid = h("div.tile-grid");
  const colour = tile?.tile.split("/")[0];
  const fill = () => grid.replaceChildren(...state.stock
    .toSorted((a, b) => (b.tile.split("/")[0] === colour) - (a.tile.split("/")[0] === colour))
    .map((one) => h(`button.tile-choice${one.tile === tile?.tile ? ".now" : ""}`, { onclick: () => { dialog.close(); done(one.tile, turns); } },
      h("img", { src: tileUrl(state, one.tile, turns), alt: "", loading: "lazy" }), h("span", {}, one.label))));
  const turner = h("button.wide", { onclick: () => { turns = (turns + 1) % 4; fill(); } }, icon("redo"), t("turn-quarter"));
  const dialog = sheet(t("which-tile"), state.lattice === "square" ? turner : null, grid);
  fill();
}

// The cards that were drawn with a roll, in their order: as many as the die shows.
export function pickDrawn(state, done) {
  const drawn = [];
  const row = h("div.row.wrap.drawn", { "aria-live": "polite" });
  const button = h("button.primary.wide", { onclick: () => { dialog.close(); done({ roll: drawn.length, tiles: drawn }); } });
  const fill = () => {
    row.replaceChildren(...drawn.map((tile, n) => h("button.tile-choice", { "aria-label": t("delete"), onclick: () => { drawn.splice(n, 1); fill(); } },
      h("img", { src: tileUrl(state, tile), alt: "" }))));
    button.disabled = !drawn.length;
    button.replaceChildren(icon("check"), t("roll-is", { n: drawn.length }));
  };
  const kinds = state.stock.filter((one) => !one.tile.startsWith("big/") && one.left);
  const grid = h("div.tile-grid", {}, ...kinds.map((one) => h("button.tile-choice", { onclick: () => { if (drawn.length < 3) { drawn.push(one.tile); fill(); } } },
    h("img", { src: tileUrl(state, one.tile), alt: "" }), h("span", {}, one.label))));
  const dialog = sheet(t("roll-cards"), row, grid, button);
  fill();
}

// The board as it lay before a move; the cells that its tile covers are tapped on and off.
export function pickCells(state, move, done) {
  const chosen = new Set(move.spots);
  const board = new Board();
  board.prefix = "pick-";
  const button = h("button.primary.wide", { onclick: () => {
    dialog.close();
    const places = [...chosen].map((spot) => spot.split(":").map(Number));
    const cells = places.map(([, q, r]) => [q, r]);
    done(move.move.board === undefined ? { cells } : { cells, board: places[0][0] });
  } }, icon("check"), t("cells-done"));
  const mark = () => {
    const boards = new Set([...chosen].map((spot) => spot.split(":")[0]));
    button.disabled = chosen.size === 0 || boards.size > 1;
  };
  board.onShown = (svg) => {
    for (const tap of svg.querySelectorAll(".tap")) { tap.setAttribute("pointer-events", "none"); tap.removeAttribute("tabindex"); tap.setAttribute("role", "img"); }
    for (const panel of svg.querySelectorAll(".panel")) {
      for (const [q, r] of hexes(state.board_side)) panel.append(cell(svg, `${panel.dataset.f}:${q}:${r}`, q, r));
    }
  };
  function cell(svg, spot, q, r) {
    const pitch = Number(svg.dataset.pitch);
    const shape = document.createElementNS(NS, "circle");
    const set = (name, value) => shape.setAttribute(name, value);
    const toggle = () => {
      if (!chosen.delete(spot)) chosen.add(spot);
      set("aria-checked", String(chosen.has(spot)));
      mark();
    };
    set("cx", pitch * (q + r / 2));
    set("cy", pitch * 0.8660254 * r);
    set("r", pitch * 0.44);
    set("class", "cell-choice");
    set("role", "checkbox");
    set("tabindex", "0");
    set("aria-label", t("cell-at", { q, r }));
    set("aria-checked", String(chosen.has(spot)));
    shape.style.setProperty("--player", move.colour);
    shape.dataset.spot = spot;
    shape.addEventListener("click", () => { if (!board.moved) toggle(); });
    shape.addEventListener("keydown", (e) => { if (e.key === " " || e.key === "Enter") { e.preventDefault(); toggle(); } });
    return shape;
  }
  mark();
  const dialog = sheet(t("which-cells"), h("p", {}, t("which-cells-text")), h("div.frame.flat", {}, board.element), button);
  board.show(`/api/games/${state.key}/table.svg?n=${move.n - 1}&lang=${state.language}`);
}

function hexes(side) {
  const cells = [];
  for (let q = 1 - side; q < side; q++) for (let r = 1 - side; r < side; r++) if (Math.abs(q + r) < side) cells.push([q, r]);
  return cells;
}
