// Cells of a hex board that can be tapped, and tiles that are turned, flipped and shifted on them.
import { t } from "./ui.js";

const NS = "http://www.w3.org/2000/svg";
export const ROW = 0.8660254; // how far rows lie apart, in cells

export function hexes(side) {
  const cells = [];
  for (let r = 1 - side; r < side; r++)
    for (let q = 1 - side; q < side; q++) if (Math.abs(q + r) < side) cells.push([q, r]);
  return cells;
}

// A cell as people count: rows from the top and places from the left, from 1.
export const cellName = ([q, r], side) =>
  t("cell-at", { row: r + side, column: q + side + Math.min(r, 0) });

// A round button over a cell; `press` is called by tap and by keyboard.
export function cellButton([q, r], pitch, label, press) {
  const shape = document.createElementNS(NS, "circle");
  const given = {
    cx: pitch * (q + r / 2),
    cy: pitch * ROW * r,
    r: pitch * 0.44,
    class: "cell-choice",
    role: "button",
    tabindex: "0",
    "aria-label": label,
    "aria-pressed": "false",
  };
  for (const [name, value] of Object.entries(given)) shape.setAttribute(name, value);
  shape.addEventListener("click", press);
  shape.addEventListener("keydown", (e) => {
    if (e.key === " " || e.key === "Enter") {
      e.preventDefault();
      press();
    }
  });
  return shape;
}

// A bare board of its own: every cell a button.
export function bareBoard(side, label, cell) {
  const svg = document.createElementNS(NS, "svg");
  const wide = 2 * side,
    high = ROW * (2 * side - 2) + 1.2;
  svg.setAttribute("viewBox", `${-wide / 2} ${-high / 2} ${wide} ${high}`);
  svg.setAttribute("class", "bare-board");
  svg.setAttribute("role", "group");
  svg.setAttribute("aria-label", label);
  svg.append(...hexes(side).map(cell));
  return svg;
}

// A tile somewhere: its cells at turns 0, so many sixths clockwise, its other side up or not, and
// where its middle cell lies.
export class Lying {
  constructor(cells, side) {
    this.side = side;
    this.take(cells);
    this.turns = 0;
    this.flipped = false;
    this.at = [0, 0];
  }

  take(cells) {
    this.base = cells;
    this.middle = cells[Math.floor(cells.length / 2)];
  }

  cells(at = this.at) {
    return this.base
      .map(([q, r]) => this.turned([q - this.middle[0], r - this.middle[1]]))
      .map(([q, r]) => [q + at[0], r + at[1]]);
  }

  turned([q, r]) {
    if (this.flipped) [q, r] = [r, q];
    for (let n = 0; n < this.turns; n++) [q, r] = [-r, q + r];
    return [q, r];
  }

  // Lays its middle on a cell, or on the nearest one where all of it lies on the board.
  lay(at) {
    const far = ([q, r]) =>
      Math.max(Math.abs(q - at[0]), Math.abs(r - at[1]), Math.abs(q + r - at[0] - at[1]));
    const fits = (cell) =>
      this.cells(cell).every(
        ([q, r]) => Math.max(Math.abs(q), Math.abs(r), Math.abs(q + r)) < this.side,
      );
    this.at = hexes(this.side)
      .filter(fits)
      .toSorted((a, b) => far(a) - far(b))[0] ?? [0, 0];
  }

  // Finds out how it lies where it covers given cells; says whether it can.
  cover(cells) {
    const wanted = new Set(cells.map(String));
    for (this.flipped of [false, true]) {
      for (this.turns = 0; this.turns < 6; this.turns++) {
        for (this.at of cells)
          if (this.cells().every((cell) => wanted.has(String(cell)))) return true;
      }
    }
    this.flipped = false;
    this.turns = 0;
    return false;
  }
}
