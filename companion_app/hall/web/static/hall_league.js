// Leagues: several evenings in one table, the best of them counted.
import { go } from "./hall.js";
import { attempt, get, h, icon, me, post, reached, t, toast } from "./ui.js";
import { ask, link } from "./hall_tournament.js";

const EXPORTS = { "standings.csv": "standings", "league.json": "tournament" };

// Asks for a league's name, its evenings and how many of them count; null where it was closed.
async function askLeague(title, league) {
  const { tournaments } = await get("/api/hall/tournaments");
  const told = await ask(title, t("tour-apply"), [
    ["name", t("tour-name"), { maxlength: 80, required: true, value: league?.name ?? "" }],
    [
      "counting",
      t("league-counting"),
      { type: "number", min: 1, max: 60, value: league?.counting ?? "" },
    ],
    ...tournaments.toReversed().map((one) => [
      one.id,
      one.name || one.id,
      {
        type: "checkbox",
        checked: Boolean(league?.evenings.some((evening) => evening.id === one.id)),
      },
    ]),
  ]);
  if (!told) return null;
  const evenings = tournaments
    .toReversed()
    .map((one) => one.id)
    .filter((id) => told[id]);
  return { name: told.name, counting: told.counting ? Number(told.counting) : null, evenings };
}

// The leagues in the list of tournaments; who is signed in makes new ones.
export async function leagueList() {
  const { leagues } = await get("/api/hall/leagues");
  if (!leagues.length && !me.arbiter) return null;
  const create = async () => {
    const told = await askLeague(t("league-new"), null);
    const made = told && (await attempt(() => post("/api/leagues", told)));
    if (made) go(`/league/${made.id}`);
  };
  return h(
    "section",
    {},
    h("h2", {}, t("leagues")),
    h(
      "p.row.wrap",
      {},
      leagues.map((one) => link(`/league/${one.id}`, icon("crown"), one.name)),
      me.arbiter
        ? h("button", { id: "league-new", onclick: create }, icon("plus"), t("league-new"))
        : null,
    ),
  );
}

export class LeagueView {
  constructor(id) {
    this.id = id;
    this.element = h("section.hall");
    this.show();
  }

  close() {}

  async show() {
    const league = await reached(
      () => get(`/api/hall/leagues/${this.id}`),
      () => this.element.isConnected,
    ).catch((error) => {
      toast(error.message, "bad");
      return null;
    });
    if (!league) return;
    const column = (text) => h("th", { scope: "col" }, text);
    this.element.replaceChildren(
      h("h1", {}, league.name),
      league.counting ? h("p", {}, t("league-best-of", { n: league.counting })) : "",
      h(
        "div.hall-scroll",
        { tabindex: 0, role: "region", "aria-label": t("tour-standings") },
        h(
          "table.hall-list.tour-standings",
          {},
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              column(t("tour-place")),
              column(t("tour-player")),
              column(t("tour-points")),
              column(t("league-best")),
              column(t("league-evenings-won")),
              league.evenings.map((_, n) => column(t("league-evening", { n: n + 1 }))),
            ),
          ),
          h(
            "tbody",
            {},
            league.standings.map((row) =>
              h(
                "tr",
                {},
                h("td", {}, row.rank),
                h("td", {}, row.name),
                h("td", {}, h("b", {}, row.points)),
                h("td", {}, row.best),
                h("td", {}, row.evenings_won),
                row.evenings.map((points) => h("td", {}, points ?? "–")),
              ),
            ),
          ),
        ),
      ),
      h("h2", {}, t("tour")),
      h(
        "p.row.wrap",
        {},
        league.evenings.map((one) => link(`/tournament/${one.id}`, one.name || one.id)),
      ),
      h("h2", {}, t("tour-exports")),
      h(
        "p.row.wrap",
        {},
        Object.entries(EXPORTS).map(([kind, word]) =>
          h(
            "a.button",
            { href: `/api/hall/leagues/${this.id}/export?as=${kind}`, download: true },
            t(`tour-export-${word}`),
          ),
        ),
      ),
      me.arbiter ? h("button", { onclick: () => this.change(league) }, t("league-change")) : "",
    );
  }

  async change(league) {
    const told = await askLeague(t("league-change"), league);
    if (told && (await attempt(() => post(`/api/leagues/${this.id}`, told)))) this.show();
  }
}
