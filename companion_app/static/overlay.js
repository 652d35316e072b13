// The camera's picture under the outlines, and signs on tiles that are covered or unsure.
import { t } from "./ui.js";

const NS = "http://www.w3.org/2000/svg";
const EVERY_MS = 450;

// Keeps the newest picture of the camera in the drawing that is shown.
export class LivePicture {
  constructor() {
    this.on = false;
    this.url = "";
  }

  start() {
    if (this.on) return;
    this.on = true;
    this.load();
  }

  stop() {
    this.on = false;
    if (this.url) URL.revokeObjectURL(this.url);
    this.url = "";
  }

  // A new drawing begins with the picture that the last one showed.
  into(svg) {
    this.image = svg.querySelector(".picture");
    if (this.image && this.url) this.image.setAttribute("href", this.url);
  }

  async load() {
    if (!this.on) return;
    try {
      const response = await fetch(`/api/picture.jpg?t=${Date.now()}`);
      if (response.ok && this.on) {
        const old = this.url;
        this.url = URL.createObjectURL(await response.blob());
        this.image?.setAttribute("href", this.url);
        setTimeout(() => {
          if (old) URL.revokeObjectURL(old);
        }, 1000);
      }
    } catch {
      /* the line is down: the last picture stays */
    }
    setTimeout(() => this.load(), EVERY_MS);
  }
}

// Signs over places of the drawing: tiles that lie under something, tiles that nobody is sure of.
export function veil(svg, covered, unsure) {
  for (const old of svg.querySelectorAll(".veil, .veil-sign")) old.remove();
  if (svg.dataset.lattice === "picture") return;
  for (const spot of covered) sign(svg, spot, "covered", "◐");
  for (const spot of unsure) sign(svg, spot, "unsure", "?");
}

function sign(svg, spot, kind, letter) {
  const [f, x, y] = spot.split(":").map(Number);
  const panel = svg.querySelector(`.panel[data-f="${f}"]`);
  if (!panel) return;
  const pitch = Number(svg.dataset.pitch);
  const hex = svg.dataset.lattice === "hex";
  const [cx, cy] = hex ? [pitch * (x + y / 2), pitch * 0.8660254 * y] : [x * pitch, y * pitch];
  const shape = make(
    hex ? "circle" : "rect",
    hex
      ? { cx, cy, r: pitch * 0.46 }
      : {
          x: cx - pitch * 0.47,
          y: cy - pitch * 0.47,
          width: pitch * 0.94,
          height: pitch * 0.94,
          rx: 4,
        },
    `veil ${kind}`,
  );
  const words = make("title", {}, "");
  words.textContent = t(`tile-${kind}`);
  shape.append(words);
  const mark = make("text", { x: cx, y: cy }, "veil-sign");
  mark.textContent = letter;
  panel.append(shape, mark);
}

function make(tag, attributes, className) {
  const element = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (className) element.setAttribute("class", className);
  return element;
}
