// The drawing of the table: loading, zoom by pinch and wheel, highlights, keyboard.
import { getText, reached, t } from "./ui.js";

const NS = "http://www.w3.org/2000/svg";

export class Board {
  constructor(onTap) {
    this.onTap = onTap;
    this.element = document.createElement("div");
    this.element.className = "board";
    this.pointers = new Map();
    this.svg = null;
    this.url = "";
    this.prefix = "";
    this.home = null;
    this.listen();
  }

  async show(url, again = false) {
    if (url === this.url && !again) return;
    this.url = url;
    const drawn = await reached(
      () => getText(url),
      () => url === this.url && this.element.isConnected,
    ).catch(() => null);
    if (url !== this.url) return;
    if (drawn === null) {
      this.url = "";
      return;
    } // it is asked for again with the next news
    // Two drawings on one page must not share the names of their parts.
    const text = drawn.replace(/(\bid="|href="#|url\(#)/g, `$1${this.prefix}`);
    const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
    const svg = document.importNode(parsed.documentElement, true);
    const box = svg.viewBox.baseVal;
    const home = [box.x, box.y, box.width, box.height];
    const zoomed = this.view && this.home && this.view[2] < this.home[2] * 0.98;
    this.home = home;
    this.view = zoomed ? this.view : [...home];
    svg.setAttribute("viewBox", this.view.join(" "));
    svg.setAttribute("aria-label", t("table-drawing"));
    this.svg = svg;
    this.element.replaceChildren(svg);
    this.taps = [...svg.querySelectorAll(".tap")];
    if (this.taps.length) this.taps[0].setAttribute("tabindex", "0");
    this.keepSize();
    if (this.lit) this.light(this.lit, this.litKind);
    this.drawOver?.(svg);
    this.onShown?.(svg);
  }

  // Cards no smaller than so many pixels: what has no room is scrolled to, the newest first.
  least(px) {
    if (px === this.leastPx) return;
    this.leastPx = px;
    this.element.classList.toggle("scrolls", px > 0);
  }

  keepSize() {
    if (!this.leastPx) return;
    const wide = Math.max(
      this.element.clientWidth,
      (this.home[2] / Number(this.svg.dataset.pitch)) * this.leastPx,
    );
    this.svg.style.width = `${wide}px`;
    this.svg.style.height = `${(wide * this.home[3]) / this.home[2]}px`;
    this.lookAt(this.svg.querySelector(".fresh"));
  }

  // The view goes to a part that is out of sight, where the drawing is scrolled or zoomed.
  lookAt(part) {
    if (!part) return;
    const there = part.getBoundingClientRect(),
      seen = this.element.getBoundingClientRect();
    const right = (there.left + there.right - seen.left - seen.right) / 2,
      down = (there.top + there.bottom - seen.top - seen.bottom) / 2;
    const isSeen =
      Math.abs(right) < (seen.width - there.width) / 2 &&
      Math.abs(down) < (seen.height - there.height) / 2;
    if (isSeen) return;
    if (this.leastPx) this.element.scrollBy({ left: right, top: down });
    if (!this.element.classList.contains("zoomed")) return;
    const middle = this.at({
      clientX: (there.left + there.right) / 2,
      clientY: (there.top + there.bottom) / 2,
    });
    this.view[0] = middle.x - this.view[2] / 2;
    this.view[1] = middle.y - this.view[3] / 2;
    this.apply();
  }

  // Marks places; "points" for a score line, "ask" for a question.
  light(spots, kind = "points") {
    this.lit = spots;
    this.litKind = kind;
    if (!this.svg) return;
    for (const old of this.svg.querySelectorAll(".lit")) old.remove();
    for (const tap of this.taps) {
      tap.classList.toggle(
        "lit-up",
        this.svg.dataset.lattice === "picture" &&
          tap.dataset.spots.split(" ").some((s) => spots.includes(s)),
      );
    }
    const pitch = Number(this.svg.dataset.pitch);
    for (const spot of new Set(spots)) {
      const [f, x, y] = spot.split(":").map(Number);
      const panel = this.svg.querySelector(`.panel[data-f="${f}"]`);
      if (!panel) continue;
      const hex = this.svg.dataset.lattice === "hex";
      const shape = document.createElementNS(NS, hex ? "circle" : "rect");
      if (hex) {
        const r = pitch * 0.46;
        shape.setAttribute("cx", pitch * (x + y / 2));
        shape.setAttribute("cy", pitch * 0.8660254 * y);
        shape.setAttribute("r", r);
      } else {
        shape.setAttribute("x", (x - 0.46) * pitch);
        shape.setAttribute("y", (y - 0.46) * pitch);
        shape.setAttribute("width", pitch * 0.92);
        shape.setAttribute("height", pitch * 0.92);
        shape.setAttribute("rx", 4);
      }
      shape.setAttribute("class", `lit ${kind}`);
      panel.append(shape);
    }
  }

  dark() {
    this.light([]);
  }

  fit() {
    if (!this.home) return;
    this.view = [...this.home];
    this.apply();
  }

  apply() {
    const [, , w0, h0] = this.home;
    const least = Math.max(w0, h0) / 8;
    this.view[2] = Math.min(w0, Math.max(least, this.view[2]));
    this.view[3] = this.view[2] * (h0 / w0);
    this.view[0] = Math.min(this.home[0] + w0 - this.view[2], Math.max(this.home[0], this.view[0]));
    this.view[1] = Math.min(this.home[1] + h0 - this.view[3], Math.max(this.home[1], this.view[1]));
    this.svg.setAttribute("viewBox", this.view.join(" "));
    this.element.classList.toggle("zoomed", this.view[2] < w0 * 0.98);
  }

  at(event) {
    const matrix = this.svg.getScreenCTM().inverse();
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
  }

  zoom(factor, x, y) {
    const [vx, vy, w, hgt] = this.view;
    this.view = [x - (x - vx) / factor, y - (y - vy) / factor, w / factor, hgt / factor];
    this.apply();
  }

  listen() {
    const el = this.element;
    el.addEventListener(
      "wheel",
      (e) => {
        if (!this.svg || !(e.ctrlKey || el.classList.contains("zoomed"))) return;
        e.preventDefault();
        const p = this.at(e);
        this.zoom(Math.exp(-e.deltaY / 300), p.x, p.y);
      },
      { passive: false },
    );
    el.addEventListener("pointerdown", (e) => {
      this.pointers.set(e.pointerId, e);
      this.moved = this.pointers.size > 1;
      this.began = [e.clientX, e.clientY];
    });
    el.addEventListener("pointermove", (e) => this.drag(e));
    for (const name of ["pointerup", "pointercancel", "pointerleave"]) {
      el.addEventListener(name, (e) => this.pointers.delete(e.pointerId));
    }
    el.addEventListener("click", (e) => {
      const tap = e.target.closest?.(".tap");
      if (tap && !this.moved) this.onTap?.(tap.dataset, tap);
    });
    el.addEventListener("dblclick", () => this.fit());
    el.addEventListener("keydown", (e) => this.key(e));
  }

  drag(e) {
    const old = this.pointers.get(e.pointerId);
    if (!old || !this.svg) return;
    if (Math.hypot(e.clientX - this.began[0], e.clientY - this.began[1]) > 8) this.moved = true;
    if (this.pointers.size === 1 && this.element.classList.contains("zoomed")) {
      const a = this.at(old),
        b = this.at(e);
      this.view[0] += a.x - b.x;
      this.view[1] += a.y - b.y;
      this.apply();
    } else if (this.pointers.size === 2) {
      const other = [...this.pointers.values()].find((p) => p.pointerId !== e.pointerId);
      const before = Math.hypot(old.clientX - other.clientX, old.clientY - other.clientY);
      const now = Math.hypot(e.clientX - other.clientX, e.clientY - other.clientY);
      const middle = this.at({
        clientX: (e.clientX + other.clientX) / 2,
        clientY: (e.clientY + other.clientY) / 2,
      });
      if (before > 4) this.zoom(now / before, middle.x, middle.y);
    }
    this.pointers.set(e.pointerId, e);
  }

  key(e) {
    const tap = e.target.closest?.(".tap");
    if (!tap) return;
    if (e.key === "Enter" || e.key === " ") {
      e.preventDefault();
      this.onTap?.(tap.dataset, tap);
      return;
    }
    const way = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[
      e.key
    ];
    if (!way) return;
    e.preventDefault();
    const from = middle(tap);
    let best = null,
      least = Infinity;
    for (const other of this.taps) {
      if (other === tap) continue;
      const to = middle(other);
      const along = (to[0] - from[0]) * way[0] + (to[1] - from[1]) * way[1];
      const aside = Math.abs((to[0] - from[0]) * way[1] + (to[1] - from[1]) * way[0]);
      if (along > 1 && along + aside * 2 < least) {
        least = along + aside * 2;
        best = other;
      }
    }
    if (best) {
      tap.setAttribute("tabindex", "-1");
      best.setAttribute("tabindex", "0");
      best.focus();
    }
  }
}

function middle(tap) {
  const box = tap.getBBox();
  return [box.x + box.width / 2, box.y + box.height / 2];
}
