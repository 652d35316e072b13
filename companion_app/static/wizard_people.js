// People who have played here before: a tap seats each where they sat the last time.
import { avatar, h, initial, t } from "./ui.js";

const MOST_SHOWN = 12;

// Everybody with a name, who has played last first: the last seat in this game, or in any.
export function known(past, game) {
  const people = new Map();
  for (const one of past ?? [])
    one.players.forEach((player, place) => {
      if (!player.person) return;
      const before = people.get(player.person);
      const is_here = one.game === game.game;
      if (!before || (is_here && !before.is_here))
        people.set(player.person, { name: player.person, player, place, is_here });
    });
  return [...people.values()];
}

// Names to be completed as one types, each with colour and seat of the last time.
export const knownNames = (people) =>
  h(
    "datalist",
    { id: "known-names" },
    ...people
      .slice(0, 30)
      .map(({ name, player, place }) =>
        h("option", { value: name, label: `${name} · ${sat(player, place)}` }),
      ),
  );

const sat = ({ word }, place) =>
  word ? t("sat-there", { colour: word, n: place + 1 }) : t("sat-at", { n: place + 1 });

export function peopleChips(game, setup, people, again) {
  if (!people.length) return null;
  const chip = (person) =>
    h(
      "button.chip",
      {
        "aria-pressed": String(seatOf(game, setup, person.name) >= 0),
        title: sat(person.player, person.place),
        onclick: () => {
          toggle(game, setup, people, person);
          again();
        },
      },
      person.is_here && person.player.word
        ? avatar({ ...person.player, name: person.name, letter: initial(person.name) })
        : h("span.avatar", { "aria-hidden": "true" }, initial(person.name)),
      person.name,
    );
  return h(
    "div.field",
    { role: "group", "aria-label": t("who-played") },
    h("span", {}, t("who-played")),
    h("div.row.wrap.chips", {}, ...people.slice(0, MOST_SHOWN).map(chip)),
  );
}

// Names are shown with a capital letter first.
const shown = (name = "") => name.trim().replace(/^./u, (letter) => letter.toUpperCase());

const seatOf = (game, setup, name) =>
  setup.players.findIndex((id) => shown(game.players.length ? setup.names[id] : id) === name);

function toggle(game, setup, people, person) {
  const place = seatOf(game, setup, person.name);
  if (!game.players.length) toggleName(game, setup, place, person.name);
  else if (place >= 0) delete setup.names[setup.players[place]];
  else seat(game, setup, people, person);
}

function toggleName(game, setup, place, name) {
  const players = [...setup.players];
  const empty = players.findIndex((one) => !one?.trim());
  if (place >= 0) players.splice(place, 1, "");
  else if (empty >= 0) players[empty] = name;
  else if (players.length < game.most) players.push(name);
  setup.players = players;
}

// The colour of the last time, if nobody has it now; else the next one that is free.
function seat(game, setup, people, { name, player }) {
  const isFree = (id) => !setup.names[id] && !setup.machine[id];
  const free = setup.players.filter(isFree);
  const ids = game.players.map((one) => one.id);
  const own = ids.includes(player.id) && isFree(player.id) ? player.id : null;
  const id = own ?? free[0] ?? ids.find(isFree);
  if (!id) return;
  if (!setup.players.includes(id)) {
    // A colour that was only offered makes room.
    if (free.length) setup.players = setup.players.filter((one) => one !== free.at(-1));
    if (setup.players.length === game.most) return;
    setup.players = [...setup.players, id];
  }
  setup.names[id] = name;
  if (!setup.reordered) setup.players = asLastTime(ids, setup, people);
}

function asLastTime(ids, setup, people) {
  const places = new Map(people.filter((one) => one.is_here).map((one) => [one.name, one.place]));
  const place = (id) => places.get(setup.names[id]) ?? ids.indexOf(id);
  return setup.players.toSorted((a, b) => place(a) - place(b) || ids.indexOf(a) - ids.indexOf(b));
}
