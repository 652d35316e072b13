// The people of this home: what their games say about each, and another name for one, or none.
import { askSure, attempt, get, h, icon, initial, me, post, score, sheet, t, toast } from "./ui.js";

const MOST_SHOWN = 8;

// The card of everybody; `changed` is called when somebody is called otherwise.
export function peopleCard({ players, played }, changed) {
  const list = h("div");
  const show = (people, is_one_game) => {
    const row = (person) => personRow(person, is_one_game, people, changed);
    const rest = people.slice(MOST_SHOWN);
    list.replaceChildren(
      h("ul.people", {}, ...people.slice(0, MOST_SHOWN).map(row)),
      rest.length
        ? h(
            "details",
            {},
            h("summary", {}, t("more-people", { n: rest.length })),
            h("ul.people", {}, ...rest.map(row)),
          )
        : "",
    );
  };
  const choose = async (game) => {
    const asked = await attempt(() => get(`/api/statistics?game=${game}`));
    if (asked) show(asked.players, Boolean(game));
  };
  show(players, played.length === 1);
  return h(
    "section.card.people-card",
    {},
    h(
      "div.row.wrap",
      {},
      h("h2.grow", {}, t("statistics")),
      played.length > 1
        ? h(
            "select",
            { "aria-label": t("tab-games"), onchange: (e) => choose(e.target.value) },
            h("option", { value: "" }, t("all-games")),
            ...played.map(({ game, title }) => h("option", { value: game }, title)),
          )
        : null,
    ),
    list,
    h("small", {}, t("names-stay")),
  );
}

const told = (parts) =>
  parts.map(([word, value]) => h("span", {}, `${t(word)}: `, h("b", {}, value)));

function personRow(person, is_one_game, people, changed) {
  const [best] = Object.values(person.best),
    [average] = Object.values(person.average);
  return h(
    "li",
    {},
    h(
      "button.ghost.person",
      { "data-person": person.name, onclick: () => personSheet(person, people, changed) },
      face(person.name),
      h(
        "span.about",
        {},
        h("b", {}, person.name),
        h(
          "small",
          {},
          ...told([
            ["games-played", person.games],
            ["games-won", person.won],
            ...(is_one_game && best !== undefined
              ? [
                  ["best", score(best)],
                  ["average", score(average)],
                ]
              : []),
          ]),
        ),
      ),
      icon("on"),
    ),
  );
}

const face = (name) => h("span.avatar", { "aria-hidden": "true" }, initial(name));

// Everything that is known of a person, and for the host what can be done about the name.
async function personSheet({ name }, people, changed) {
  const asked = await attempt(() => get("/api/statistics"));
  const person = asked?.players.find((one) => one.name === name);
  if (!person) return;
  const close = () => dialog.close();
  const dialog = sheet(
    name,
    h(
      "p.told",
      {},
      ...told([
        ["games-played", person.games],
        ["games-won", person.won],
        ["fouls-made", person.fouls],
      ]),
    ),
    byGame(person),
    ...(person.against.length ? against(person) : []),
    ...(me.host
      ? [
          h(
            "div.row.wrap",
            {},
            h(
              "button",
              {
                onclick: () => {
                  close();
                  rename(name, asked.players, changed);
                },
              },
              icon("hand"),
              t("rename-person"),
            ),
            h("span.grow"),
            h(
              "button.ghost",
              {
                onclick: () => {
                  close();
                  forget(name, changed);
                },
              },
              icon("cross"),
              t("forget-person"),
            ),
          ),
        ]
      : []),
  );
}

const sums = (rows) =>
  h(
    "ul.people",
    {},
    ...rows.map(([name, ...parts]) =>
      h("li.about", {}, h("b", {}, name), h("small", {}, ...told(parts))),
    ),
  );

const byGame = ({ by_game, best, average }) =>
  sums(
    by_game.map(({ title, games, won }) => [
      title,
      ["games-played", games],
      ["games-won", won],
      ["best", score(best[title])],
      ["average", score(average[title])],
    ]),
  );

const against = (person) => [
  h("h3", {}, t("against")),
  sums(
    person.against.map(({ name, games, won, lost }) => [
      name,
      ["games-played", games],
      ["games-won", won],
      ["games-lost", lost],
    ]),
  ),
];

function rename(name, people, changed) {
  const field = h("input.wide", {
    type: "text",
    maxlength: 40,
    value: name,
    "aria-label": t("name"),
    list: "people-here",
  });
  const one = h("p.quiet", { "aria-live": "polite" }, t("rename-person-text"));
  field.addEventListener("input", () => {
    const to = field.value.trim();
    const known = to !== name && people.some((other) => other.name === to);
    one.textContent = known ? t("merge-people", { name, to }) : t("rename-person-text");
  });
  const form = h(
    "form",
    {
      onsubmit: async (e) => {
        e.preventDefault();
        const to = field.value.trim();
        if (to && (to === name || (await call(name, to, changed)))) dialog.close();
      },
    },
    field,
    h(
      "datalist",
      { id: "people-here" },
      ...people
        .filter((other) => other.name !== name)
        .map((other) => h("option", { value: other.name })),
    ),
    one,
    h("button.primary.wide", {}, icon("check"), t("save")),
  );
  const dialog = sheet(`${t("rename-person")}: ${name}`, form);
  field.select();
}

function forget(name, changed) {
  const text = t("forget-person-text", { name });
  askSure(t("forget-person"), text, t("forget-person"), () => call(name, "", changed));
}

async function call(name, to, changed) {
  const done = await attempt(() => post("/api/people", { name, to }));
  if (!done) return false;
  toast(t("games-changed", { n: done.games }));
  changed();
  return true;
}
