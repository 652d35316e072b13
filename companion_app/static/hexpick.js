// Which hex tile lies there, and how: choose it, tap where it lies, turn it, flip it.
import { Board } from "./board.js";
import { Lying, cellButton, cellName, hexes } from "./hexes.js";
import { h, icon, sheet, t } from "./ui.js";

// The board as it lay before a move, with the tile of that move to be laid anew.
export function pickPiece(state, move, tileUrl, done) {
  const kinds = state.stock.filter((one) => one.colour === move.player);
  const places = move.spots.map((spot) => spot.split(":").map(Number));
  let chosen = kinds.find((one) => one.tile === `${move.player}/${move.move.tile}`) ?? kinds[0];
  let floor = places[0]?.[0] ?? 0;
  const lying = new Lying(chosen.cells, state.board_side);
  if (!lying.cover(places.map(([, q, r]) => [q, r])) && places.length)
    lying.lay(places[0].slice(1));

  const board = new Board();
  board.prefix = "pick-";
  const row = h("div.piece-row", { role: "group", "aria-label": t("which-tile") });
  const buttons = new Map();

  const show = () => {
    const covered = new Set(lying.cells().map(([q, r]) => `${floor}:${q}:${r}`));
    for (const [spot, button] of buttons)
      button.setAttribute("aria-pressed", String(covered.has(spot)));
    for (const one of row.children)
      one.setAttribute("aria-pressed", String(one.dataset.tile === chosen.tile));
  };
  const change = (what) => {
    what();
    lying.lay(lying.at);
    show();
  };
  row.append(
    ...kinds.map((one) =>
      h(
        "button.piece",
        {
          "data-tile": one.tile,
          "aria-label": one.label,
          title: one.label,
          onclick: () =>
            change(() => {
              chosen = one;
              lying.take(one.cells);
            }),
        },
        h("img", { src: tileUrl(state, one.tile), alt: "" }),
      ),
    ),
  );

  board.onShown = (svg) => {
    for (const tap of svg.querySelectorAll(".tap")) {
      tap.setAttribute("pointer-events", "none");
      tap.removeAttribute("tabindex");
      tap.setAttribute("role", "img");
    }
    buttons.clear();
    const panels = svg.querySelectorAll(".panel");
    for (const panel of panels) {
      const onBoard = panels.length > 1 ? `${t("board")} ${Number(panel.dataset.f) + 1}: ` : "";
      for (const cell of hexes(state.board_side)) {
        const button = cellButton(
          cell,
          Number(svg.dataset.pitch),
          onBoard + cellName(cell, state.board_side),
          () => {
            if (!board.moved)
              change(() => {
                floor = Number(panel.dataset.f);
                lying.lay(cell);
              });
          },
        );
        button.style.setProperty("--player", move.colour);
        button.dataset.spot = `${panel.dataset.f}:${cell[0]}:${cell[1]}`;
        buttons.set(button.dataset.spot, button);
        panel.append(button);
      }
    }
    show();
  };
  const dialog = sheet(
    t("which-tile"),
    h("p", {}, t("which-cells-text")),
    row,
    h("div.frame.flat", {}, board.element),
    h(
      "div.row",
      {},
      h(
        "button.half",
        {
          onclick: () =>
            change(() => {
              lying.turns = (lying.turns + 1) % 6;
            }),
        },
        icon("redo"),
        t("turn-tile"),
      ),
      h(
        "button.half",
        {
          onclick: () =>
            change(() => {
              lying.flipped = !lying.flipped;
            }),
        },
        icon("flip"),
        t("flip-tile"),
      ),
    ),
    h(
      "button.primary.wide",
      {
        onclick: () => {
          dialog.close();
          const said = { tile: chosen.tile.slice(move.player.length + 1), cells: lying.cells() };
          done(move.move.board === undefined ? said : { ...said, board: floor });
        },
      },
      icon("check"),
      t("lies-so"),
    ),
  );
  board.show(`/api/games/${state.key}/table.svg?n=${move.n - 1}&lang=${state.language}`);
  show();
}
