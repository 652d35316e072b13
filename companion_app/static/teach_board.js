// Tiles on a board, taught: each photo straight from above, what was found framed in it, cells to
// tap where that is wrong, whose colour is whose, and what the photos still have to show.
import { ROW, bareBoard, cellButton, cellName } from "./hexes.js";
import { h, icon, t } from "./ui.js";

const NS = "http://www.w3.org/2000/svg";
const VIEW = [12.6, 11.2]; // what the picture shows, in cells across and down
const STEPS = [
  [1, 0],
  [0, 1],
  [-1, 1],
  [-1, 0],
  [0, -1],
  [1, -1],
];

const drawn = (tag, attributes) => {
  const shape = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) shape.setAttribute(name, value);
  return shape;
};

// The outer sides of cells, each as its own stroke.
export function frame(cells) {
  const own = new Set(cells.map(String));
  const corner = ([q, r], k) => {
    const angle = ((k * 60 - 30) * Math.PI) / 180;
    return `${(q + r / 2 + Math.cos(angle) * 0.5477).toFixed(3)} ${(r * ROW + Math.sin(angle) * 0.5477).toFixed(3)}`;
  };
  return cells
    .flatMap((cell) =>
      STEPS.map(([q, r], k) =>
        own.has(String([cell[0] + q, cell[1] + r]))
          ? ""
          : `M${corner(cell, k)}L${corner(cell, k + 1)}`,
      ),
    )
    .join("");
}

// What kinds of a taught board are called: bare cells, a colour, the two sorts of sides.
export function partWord(kind, colours) {
  const [colour, what] = kind.split(" ");
  if (kind === "empty") return t("teach-part-empty");
  if (what === "joined") return t("teach-part-joined", { colour: colours[colour] ?? colour });
  if (what === "apart") return t("teach-part-apart", { colour: colours[colour] ?? colour });
  return colours[kind] ?? kind;
}

// `view` has `lesson`, `boards` (games with boards), `picked` and `change`.
export function boardSections(view) {
  const colours = view.boards[view.lesson.game].colours;
  return [
    ...view.lesson.boards
      .filter((board) => !board.dropped)
      .map((board) => boardCard(view, board, colours)),
    colourCard(view, colours),
    needCard(view, colours),
  ];
}

function boardCard(view, board, colours) {
  const { lesson } = view;
  const held = new Map(
    board.pieces.flatMap((piece) => piece.cells.map((cell) => [String(cell), piece])),
  );
  const what = (piece) =>
    piece
      ? (view.boards[lesson.game].tiles[piece.tile] ?? colours[piece.colour])
      : t("teach-part-empty");
  const isPicked = (cell) => view.at === board.number && view.picked.has(String(cell));
  const svg = bareBoard(lesson.side, t("teach-board-photo", { n: board.number + 1 }), (cell) => {
    const button = cellButton(
      cell,
      1,
      `${cellName(cell, lesson.side)}: ${what(held.get(String(cell)))}`,
      () => pick(view, board, cell),
    );
    button.setAttribute("aria-pressed", String(isPicked(cell)));
    button.dataset.cell = String(cell);
    return button;
  });
  svg.setAttribute("viewBox", `${-VIEW[0] / 2} ${-VIEW[1] / 2} ${VIEW[0]} ${VIEW[1]}`);
  svg.classList.add("teach-board");
  const frames = board.pieces.flatMap((piece) =>
    ["under", piece.tile ? `in-${piece.colour}` : "odd"].map((name) =>
      drawn("path", { d: frame(piece.cells), class: `tile-frame ${name}` }),
    ),
  );
  svg.prepend(
    drawn("image", {
      href: `/api/teaching/boards/${board.number}.jpg?p=${board.photo}-${lesson.begun}`,
      x: -VIEW[0] / 2,
      y: -VIEW[1] / 2,
      width: VIEW[0],
      height: VIEW[1],
    }),
    ...frames,
  );
  const odd = board.pieces.filter((piece) => !piece.tile).length;
  const here = view.at === board.number ? view.picked.size : 0;
  return h(
    "section.card",
    { "data-board": board.number },
    h(
      "div.row",
      {},
      h("h2.grow", {}, t("teach-board-photo", { n: board.number + 1 })),
      h(
        "button.ghost",
        { onclick: () => view.change({ board: board.number, drop: true }) },
        icon("cross"),
        t("teach-board-drop"),
      ),
    ),
    h(
      "p",
      { role: "status" },
      board.pieces.length
        ? t("teach-board-found", { n: board.pieces.length })
        : t("teach-board-none"),
    ),
    board.pieces.length ? h("p.quiet", {}, t("teach-board-how")) : null,
    odd ? h("p.problem", { role: "alert" }, t("teach-board-odd", { n: odd })) : null,
    svg,
    h(
      "div.teach-tools.below",
      { hidden: !here, role: "toolbar", "aria-label": t("teach-picked", { n: here }) },
      h("span", {}, t("teach-picked", { n: here })),
      ...Object.entries(colours).map(([colour, word]) =>
        h(
          "button",
          { "data-lies": colour, onclick: () => lay(view, board, colour) },
          t("teach-board-one", { colour: word }),
        ),
      ),
      h(
        "button",
        { "data-lies": "bare", onclick: () => lay(view, board, "bare") },
        t("teach-board-bare"),
      ),
    ),
  );
}

function pick(view, board, cell) {
  if (view.at !== board.number) view.picked.clear();
  view.at = board.number;
  if (!view.picked.delete(String(cell))) view.picked.add(String(cell));
  view.show();
  document
    .querySelector(`[data-board="${board.number}"] [data-cell="${cell}"]`)
    ?.focus({ preventScroll: true });
}

async function lay(view, board, lies) {
  const cells = [...view.picked].map((cell) => cell.split(",").map(Number));
  view.picked.clear();
  await view.change({ board: board.number, cells, lies });
}

function colourCard(view, colours) {
  const seen = view.lesson.sorts.filter((sort) => sort.seen);
  if (!seen.length) return null;
  return h(
    "section.card",
    {},
    h("h2", {}, t("teach-colours")),
    h("p.quiet", {}, t("teach-colours-how")),
    ...seen.map((sort) =>
      h(
        "label.row.teach-sort",
        {},
        h("img", {
          src: `/api/teaching/sorts/${sort.number}.jpg?${view.lesson.begun}`,
          alt: "",
          width: 44,
          height: 44,
        }),
        h(
          "select",
          {
            "aria-label": t("teach-colours"),
            "data-sort": sort.number,
            onchange: (e) => view.change({ sort: sort.number, colour: e.target.value }),
          },
          ...Object.entries(colours).map(([colour, word]) =>
            h("option", { value: colour, selected: sort.colour === colour }, word),
          ),
        ),
      ),
    ),
  );
}

function needCard(view, colours) {
  const { needs, boards } = view.lesson;
  const line = (done, text) =>
    h("li", { class: done ? "done" : null }, icon(done ? "check" : "hint"), h("span", {}, text));
  return h(
    "section.card",
    {},
    h("h2", {}, t("teach-needs")),
    h(
      "ul.teach-needs",
      {},
      line(
        boards.some((board) => !board.dropped),
        t("teach-need-board"),
      ),
      ...needs.flatMap((need) => [
        line(
          need.large && need.tiles > 0,
          t("teach-need-tiles", { colour: colours[need.colour], n: need.tiles, of: need.of }),
        ),
        line(need.touch, t("teach-need-touch", { colour: colours[need.colour] })),
      ]),
    ),
  );
}
