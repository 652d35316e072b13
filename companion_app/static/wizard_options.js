// The options of a game in words: ticks, choices, and a field of one's own size.
import { h, t } from "./ui.js";

const CHOICES = {
  "schlangennest.size": ["recommended", "easy", "hard", null, "own"],
  "schlangennest.border": ["grows", "fixed"],
  "schlangennest.two_snakes": ["off", "both", "one"],
  "sssnake.rolls": ["told", "trust"],
  "carnival.hands": ["trust", "ask"],
};
const SIZES = [3, 12];
const OWN_SIZE = [5, 7];

// Elements for every option that has words; what is chosen is written into `options`.
export function optionList(game, options) {
  return game.options.flatMap((option) => {
    const choices = CHOICES[`${game.game}.${option.name}`];
    if (choices) return [choice(option, choices, options)];
    return typeof option.default === "boolean" ? [tick(option, options)] : [];
  });
}

function tick(option, options) {
  return h("label.option", {}, h("input", { type: "checkbox", checked: options[option.name] ?? option.default,
    onchange: (e) => { options[option.name] = e.target.checked; } }), h("span", {}, option.text));
}

function choice(option, choices, options) {
  const now = options[option.name] === undefined ? option.default : Array.isArray(options[option.name]) ? "own" : options[option.name];
  const size = h("div.row.own-size", { hidden: now !== "own" });
  const fill = () => {
    const [a, b] = options[option.name];
    const side = (word, value, n) => h("label.field", {}, h("span", {}, t(word)), h("input", { type: "number", min: SIZES[0], max: SIZES[1], value,
      onchange: (e) => { options[option.name] = options[option.name].with(n, Math.min(SIZES[1], Math.max(SIZES[0], Number(e.target.value) || value))); } }));
    size.replaceChildren(side("size-wide", a, 0), side("size-high", b, 1));
  };
  if (now === "own") fill();
  const select = h("select", { "aria-label": t(`opt-${option.name}`), onchange: (e) => {
    const value = JSON.parse(e.target.value);
    options[option.name] = value === "own" ? OWN_SIZE : value;
    size.hidden = value !== "own";
    if (value === "own") fill();
  } }, ...choices.map((value) => h("option", { value: JSON.stringify(value), selected: value === now }, t(`option-${option.name}-${value}`))));
  return h("div.option.stacked", {}, size, select, h("b", {}, t(`opt-${option.name}`)));
}
