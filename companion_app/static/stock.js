// What is left in the box, by colour: a face, how many, greyed where none is left.
import { h, t } from "./ui.js";

export function stockList(state, tileUrl) {
  const colours = new Map();
  for (const one of state.stock) {
    const key = one.colour ?? "";
    if (!colours.has(key)) colours.set(key, []);
    colours.get(key).push(one);
  }
  const own = new Set(state.players.map((p) => p.id));
  const several = [...colours.keys()].some((c) => own.has(c));
  const shown = [...colours].filter(
    ([c]) => !several || c === "" || own.has(c) || state.game !== "snekagon5g",
  );
  return shown.map(([, tiles]) =>
    h(
      "div.stock-row",
      {},
      ...tiles.map((one) =>
        h(
          `span.stock-tile${one.left ? "" : ".none"}`,
          { title: one.label, role: "img", "aria-label": `${one.left} × ${one.label}` },
          h("img", { src: tileUrl(state, one.tile), alt: "", loading: "lazy" }),
          h("b", {}, one.left),
        ),
      ),
    ),
  );
}

export function stockSum(state) {
  return t("stock") + ": " + state.stock.reduce((sum, one) => sum + one.left, 0);
}
