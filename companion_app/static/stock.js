// What is left in the box, by colour: a face, how many, greyed where none is left.
import { h, t } from "./ui.js";

// In Snekagon 5G nobody lays tiles of a colour that nobody plays.
function inPlay(state) {
  const own = new Set(state.players.map((p) => p.id));
  return state.stock.filter(
    (one) => state.game !== "snekagon5g" || !one.colour || own.has(one.colour),
  );
}

export function stockList(state, tileUrl) {
  const colours = new Map();
  for (const one of inPlay(state)) {
    const key = one.colour ?? "";
    if (!colours.has(key)) colours.set(key, []);
    colours.get(key).push(one);
  }
  return [...colours.values()].map((tiles) =>
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
  return t("stock") + ": " + inPlay(state).reduce((sum, one) => sum + one.left, 0);
}
