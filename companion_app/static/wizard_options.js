// The options of a game in words: ticks, choices, a field of one's own size, who has which two
// colours, and where the boards have their holes.
import { bareBoard, cellButton, cellName } from "./hexes.js";
import { h, t } from "./ui.js";

const SIZES = [3, 12];
const OWN_SIZE = [5, 7];
// Two players with two snakes each lie as four: they are offered the size for four.
const SIZE_FOR_FOUR = [7, 9];
const CONTROLS = { colours, cells };

// An element for every option; `setup` has `players` and `names`, and in `options` what is chosen.
// The game's own list says which values there are and what each option makes sense with.
export function optionList(game, setup) {
  const rows = game.options.map((option) => [option, h("div")]);
  const draw = (row) => {
    const [option, old] = row;
    const control = CONTROLS[option.more] ?? (isTick(option) ? tick : choice);
    row[1] = control(option, { game, setup, changed: () => changed(option) });
    old.replaceWith(row[1]);
  };
  // What only makes sense together with something else is neither shown nor sent without it.
  const sift = () => {
    for (const [option, row] of rows) {
      row.dataset.option = option.name;
      row.hidden = !applies(game, option, setup);
      if (row.hidden) delete setup.options[option.name];
    }
  };
  const changed = ({ name }) => {
    sift();
    offerSize(setup.options);
    if (name === "two_snakes") rows.filter(([option]) => option.more === "size").forEach(draw);
    sift();
  };
  rows.forEach(draw);
  changed({ name: "two_snakes" });
  return rows.map(([, row]) => row);
}

// Only what was offered here is taken back: a size that somebody has chosen stays.
function offerSize(options) {
  const twoSnakes = (options.two_snakes ?? "off") !== "off";
  if (twoSnakes && options.size === undefined) options.size = SIZE_FOR_FOUR;
  if (!twoSnakes && options.size === SIZE_FOR_FOUR) delete options.size;
}

const isTick = ({ values }) => values.every(({ value }) => typeof value === "boolean");

function applies(game, option, { players, options }) {
  const chosen = (name) =>
    options[name] ?? game.options.find((other) => other.name === name).default;
  return (
    (option.players.length === 0 || option.players.includes(players.length)) &&
    Object.entries(option.only_with).every(([name, values]) => values.includes(chosen(name)))
  );
}

function tick(option, { setup: { options }, changed }) {
  return h(
    "label.option",
    {},
    h("input", {
      type: "checkbox",
      checked: options[option.name] ?? option.default,
      onchange: (e) => {
        options[option.name] = e.target.checked;
        changed();
      },
    }),
    h("span", {}, option.text),
  );
}

const stacked = (option, ...content) =>
  h("div.option.stacked", {}, ...content, h("b", {}, option.question));

function choice(option, { setup: { options }, changed }) {
  const choices = [...option.values];
  if (option.more === "size") choices.push({ value: "own", word: t("option-size-own") });
  const now =
    options[option.name] === undefined
      ? option.default
      : Array.isArray(options[option.name])
        ? "own"
        : options[option.name];
  const size = h("div.row.own-size", { hidden: now !== "own" });
  const fill = () => {
    const [a, b] = options[option.name];
    const side = (word, value, n) =>
      h(
        "label.field",
        {},
        h("span", {}, t(word)),
        h("input", {
          type: "number",
          min: SIZES[0],
          max: SIZES[1],
          value,
          onchange: (e) => {
            const kept = Math.min(
              SIZES[1],
              Math.max(SIZES[0], Math.round(Number(e.target.value)) || value),
            );
            options[option.name] = options[option.name].with(n, kept);
            e.target.value = kept; // what counts is what the field says
          },
        }),
      );
    size.replaceChildren(side("size-wide", a, 0), side("size-high", b, 1));
  };
  if (now === "own") fill();
  const select = h(
    "select",
    {
      "aria-label": option.question,
      onchange: (e) => {
        const value = JSON.parse(e.target.value);
        options[option.name] = value === "own" ? OWN_SIZE : value;
        size.hidden = value !== "own";
        if (value === "own") fill();
        changed();
      },
    },
    ...choices.map(({ value, word }) =>
      h("option", { value: JSON.stringify(value), selected: value === now }, word),
    ),
  );
  return stacked(option, size, select);
}

// Two people share four colours: each has the own one and one of the two that are left.
function colours(option, { game, setup }) {
  const { players, names, options } = setup;
  const word = (id) => game.players.find((p) => p.id === id)?.word ?? id;
  const rest = game.players.map((p) => p.id).filter((id) => !players.includes(id));
  const pairs = [rest, rest.toReversed()].map((left) =>
    Object.fromEntries(players.map((id, n) => [id, [id, left[n]]])),
  );
  const said = (pair) =>
    players
      .map((id) => `${names[id] ? `${names[id]}: ` : ""}${pair[id].map(word).join(" + ")}`)
      .join(" · ");
  const now = JSON.stringify(options.colours ?? null);
  const wanted = (pair) => JSON.stringify(pair);
  if (options.colours && !pairs.some((pair) => wanted(pair) === now)) delete options.colours;
  return stacked(
    option,
    h(
      "select",
      {
        "aria-label": option.question,
        onchange: (e) => {
          options.colours = JSON.parse(e.target.value) ?? undefined;
        },
      },
      h("option", { value: "null" }, t("option-colours-null")),
      ...pairs.map((pair) =>
        h("option", { value: wanted(pair), selected: wanted(pair) === now }, said(pair)),
      ),
    ),
  );
}

// A bare board; of the two holes the one that was marked longer ago moves to the tapped cell.
function cells(option, { game, setup: { options } }) {
  const same = (a, b) => a[0] === b[0] && a[1] === b[1];
  const marked = () => options.eyes ?? option.default;
  const buttons = [];
  const show = () => {
    for (const [cell, button] of buttons)
      button.setAttribute("aria-pressed", String(marked().some((eye) => same(eye, cell))));
  };
  const board = bareBoard(game.board_side, option.question, (cell) => {
    const button = cellButton(cell, 1, cellName(cell, game.board_side), () => {
      if (!marked().some((eye) => same(eye, cell))) options.eyes = [marked()[1], cell];
      show();
    });
    buttons.push([cell, button]);
    return button;
  });
  show();
  return stacked(option, h("small", {}, t("option-eyes-text")), board);
}
