// Who plays, what they are called, which colour they have, and where they sit: clockwise, the
// first begins. A small round table shows it.
import { whoPlays } from "./machine.js";
import { h, icon, initial, lettered, t } from "./ui.js";

const MACHINE = "Snake Eye";
export const isMachine = (name) => /^Snake Eye( \d+)?$/.test(name);
const COLOURS = ["#35b58a", "#f0802a", "#9552cf", "#2d74da"];

// Rows to fill in; `setup` holds `players` and `names`, `again` draws the step anew.
export function seatList(game, setup, again) {
  return game.players.length ? colourRows(game, setup, again) : nameRows(game, setup, again);
}

function colourRows(game, setup, again) {
  const rest = game.players.map((p) => p.id).filter((id) => !setup.players.includes(id));
  const letters = new Map(
    lettered(game.players.map((p) => ({ ...p, name: p.word }))).map((p) => [p.id, p.letter]),
  );
  return h(
    "div.seats",
    {},
    ...[...setup.players, ...rest].map((id) => {
      const player = game.players.find((p) => p.id === id);
      const place = setup.players.indexOf(id);
      const plays = place >= 0;
      return h(
        `div.seat-row.coloured${plays ? ".on" : ""}`,
        { "--player": player.colour },
        h(
          "label.pick",
          {},
          h("input", {
            type: "checkbox",
            checked: plays,
            name: id,
            onchange: (e) => {
              setup.players = e.target.checked
                ? inOrder(game, [...setup.players, id], setup.reordered)
                : setup.players.filter((p) => p !== id);
              again();
            },
          }),
          h("span.avatar", { "--player": player.colour }, letters.get(id)),
          h("span", {}, player.word),
        ),
        h("input.name", {
          type: "text",
          maxlength: 24,
          placeholder: t("name"),
          "aria-label": t("name-of", { player: player.word }),
          list: "known-names",
          value: setup.names[id] ?? "",
          disabled: !plays,
          oninput: (e) => {
            setup.names[id] = e.target.value;
          },
        }),
        plays
          ? whoPlays(player.word, setup.machine[id], (level) => {
              setup.machine = { ...setup.machine, [id]: level };
              if (!level) delete setup.machine[id];
              if (level) setup.names[id] = MACHINE;
              else if (setup.names[id] === MACHINE) delete setup.names[id];
              again();
            })
          : null,
        plays ? up(place, player.word, setup, again) : h("span.round"),
      );
    }),
  );
}

// Until somebody changes seats, colours stand as the rulebook names them.
const inOrder = (game, players, reordered) =>
  reordered ? players : game.players.map((p) => p.id).filter((id) => players.includes(id));

// A row more comes by itself below the last one that is filled; rows that stand stay as they are, so
// that no tap goes to something that has just been replaced.
function nameRows(game, setup, again) {
  const rows = h("div.seats");
  // Whoever is renamed stays the machine, or a person.
  const levels = Array.from(setup.players, (name) => setup.machine[name?.trim()]);
  const rename = (n, name) => {
    setup.players[n] = name;
    setup.machine = Object.fromEntries(
      setup.players
        .map((one, seat) => [one.trim(), levels[seat]])
        .filter(([one, level]) => one && level),
    );
  };
  const row = (n) =>
    h(
      "div.seat-row.on",
      {},
      h("span.avatar", { "--player": COLOURS[n % COLOURS.length] }, n + 1),
      h("input.name", {
        type: "text",
        maxlength: 24,
        placeholder: n < game.fewest ? t("player-n", { n: n + 1 }) : t("name-nobody"),
        "aria-label": t("name-n", { n: n + 1 }),
        list: "known-names",
        value: setup.players[n] ?? "",
        oninput: (e) => {
          if (e.target.value && n === rows.children.length - 1 && n + 1 < game.most)
            rows.append(row(n + 1));
          rename(n, e.target.value);
        },
        onchange: (e) => {
          if (levels[n] && !e.target.value.trim())
            rename(n, (e.target.value = freeName(setup.players)));
        },
      }),
      whoPlays(setup.players[n] || String(n + 1), levels[n], (level) => {
        levels[n] = level;
        rename(n, level ? freeName(setup.players) : "");
        again();
      }),
      up(n, setup.players[n] || String(n + 1), setup, again),
    );
  const most = Math.min(
    game.most,
    Math.max(game.fewest, setup.players.length + (setup.players.at(-1) ? 1 : 0)),
  );
  for (let n = 0; n < Math.max(most, setup.players.length); n += 1) rows.append(row(n));
  return rows;
}

// Two seats of the machine have two names.
function freeName(players) {
  for (let n = 1; ; n += 1)
    if (!players.includes(n > 1 ? `${MACHINE} ${n}` : MACHINE))
      return n > 1 ? `${MACHINE} ${n}` : MACHINE;
}

function up(place, name, setup, again) {
  if (place === 0) return h("span.round");
  return h(
    "button.ghost.round",
    {
      title: t("seat-up", { player: name }),
      "aria-label": t("seat-up", { player: name }),
      onclick: () => {
        const list = [...setup.players];
        [list[place - 1], list[place]] = [list[place] ?? "", list[place - 1] ?? ""];
        setup.players = list;
        setup.reordered = true;
        again();
      },
    },
    icon("up"),
  );
}

// The round table from above, the first player at its near side.
export function seatRing(game, players, names) {
  const seated = players.map((id, n) => ({ id, n })).filter(({ id }) => id);
  const label = (id) => names[id] || game.players.find((p) => p.id === id)?.word || id;
  return h(
    "div.ring",
    {
      role: "img",
      "aria-label": `${t("seats-around")}: ${seated.map(({ id }) => label(id)).join(", ")}`,
    },
    h("span.table-top"),
    ...seated.map(({ id, n }, place) => {
      const angle = Math.PI / 2 + (2 * Math.PI * place) / seated.length;
      const colour = game.players.find((p) => p.id === id)?.colour ?? COLOURS[n % COLOURS.length];
      return h(
        `span.sitter${place === 0 ? ".begins" : ""}`,
        { "--x": `${50 + 38 * Math.cos(angle)}%`, "--y": `${50 + 36 * Math.sin(angle)}%` },
        h("span.avatar", { "--player": colour }, initial(label(id))),
        h("small", {}, label(id)),
      );
    }),
  );
}
