// A part of the table, large: the drawing or the camera's picture around some places, one of them ringed.
import { getText } from "./ui.js";

const NS = "http://www.w3.org/2000/svg";
const AROUND = 0.9; // of a tile, left free on every side
const FAR = 5; // tiles: what lies farther apart than that is not shown in one crop
let made = 0;

// The drawing around some places; null where none of them is on it.
export async function drawnPart(url, places, ringed = places) {
  const svg = await fetched(url);
  if (!svg) return null;
  const pitch = Number(svg.dataset.pitch);
  const ring = boxOf(svg, ringed, pitch);
  const whole = boxOf(svg, [...places, ...ringed], pitch);
  const box =
    whole && whole.wide <= FAR * pitch && whole.high <= FAR * pitch ? whole : (ring ?? whole);
  return box ? cropped(svg, box, ring, pitch) : null;
}

// The camera's picture around a tile, from the picture that is asked for; null where the camera does not see it.
export async function seenPart(places, picture = `/api/picture.jpg?t=${Date.now()}`) {
  const svg = await fetched("/api/camera.svg");
  const shapes = [...(svg?.querySelectorAll(".tap") ?? [])].filter((tap) =>
    tap.dataset.spots.split(" ").some((one) => places.includes(one)),
  );
  const points = shapes
    .flatMap((tap) => [...tap.querySelectorAll("polygon")])
    .flatMap((shape) =>
      shape
        .getAttribute("points")
        .split(" ")
        .map((one) => one.split(",").map(Number)),
    );
  if (!points.length) return null;
  const box = around(points.map(([x, y]) => [x, y, 0]));
  svg.querySelector(".picture").setAttribute("href", picture);
  return cropped(svg, box, box, Math.max(box.wide, box.high));
}

export const showPicture = (svg, picture) =>
  svg.querySelector(".picture")?.setAttribute("href", picture);

async function fetched(url) {
  const text = await getText(url).catch(() => null);
  if (!text) return null;
  made += 1; // the parts of two drawings on one page must not share their names
  const own = text.replace(/(\bid="|href="#|url\(#)/g, `$1part${made}-`);
  return document.importNode(
    new DOMParser().parseFromString(own, "image/svg+xml").documentElement,
    true,
  );
}

function boxOf(svg, spots, pitch) {
  const hex = svg.dataset.lattice === "hex";
  const centres = spots.flatMap((spot) => {
    const [f, x, y] = spot.split(":").map(Number);
    const panel = svg.querySelector(`.panel[data-f="${f}"]`);
    if (!panel) return [];
    const [left, top] = panel
      .getAttribute("transform")
      .match(/-?[\d.]+/g)
      .map(Number);
    return [
      hex
        ? [left + pitch * (x + y / 2), top + pitch * 0.8660254 * y, pitch / 2]
        : [left + x * pitch, top + y * pitch, pitch / 2],
    ];
  });
  return centres.length ? around(centres) : null;
}

function around(points) {
  const left = Math.min(...points.map(([x, , r]) => x - r)),
    right = Math.max(...points.map(([x, , r]) => x + r));
  const top = Math.min(...points.map(([, y, r]) => y - r)),
    bottom = Math.max(...points.map(([, y, r]) => y + r));
  return { left, top, wide: right - left, high: bottom - top };
}

function cropped(svg, box, ring, pitch) {
  const free = AROUND * pitch;
  svg.setAttribute(
    "viewBox",
    [box.left - free, box.top - free, box.wide + 2 * free, box.high + 2 * free].join(" "),
  );
  svg.removeAttribute("role");
  svg.setAttribute("aria-hidden", "true");
  svg.classList.add("crop");
  svg.querySelector("title")?.remove();
  for (const tap of svg.querySelectorAll(".tap")) {
    tap.removeAttribute("role");
    tap.removeAttribute("tabindex");
    tap.removeAttribute("aria-label");
  }
  if (ring) for (const kind of ["under", "over"]) svg.append(ellipse(ring, pitch, kind));
  return svg;
}

function ellipse(box, pitch, kind) {
  const shape = document.createElementNS(NS, "ellipse");
  const values = {
    cx: box.left + box.wide / 2,
    cy: box.top + box.high / 2,
    rx: box.wide / 2 + 0.24 * pitch,
    ry: box.high / 2 + 0.24 * pitch,
    class: `ring ${kind}`,
  };
  for (const [name, value] of Object.entries(values)) shape.setAttribute(name, value);
  return shape;
}
