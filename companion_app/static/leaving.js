// A game that people are in the middle of is left only by an answer: it stays as it is, or counts.
import { ranks, winnerText } from "./ending.js";
import { attempt, avatar, h, icon, post, score, sheet, t } from "./ui.js";

const isOn = (state) => Boolean(state?.game) && !state.over && state.source.by_people;

// True once another game may begin: nobody is in the middle of one, or somebody has said what
// becomes of it.
export async function mayLeave(live) {
  if (!isOn(live.state)) return true;
  const way = await asked(live.state);
  if (way !== "end") return way === "keep";
  const ended = await attempt(() => post("/api/end"));
  if (!ended) return false;
  live.take(ended);
  return asksOn(ended);
}

// A sheet whose buttons answer it; closing it is the last answer.
function answered(title, content, buttons, otherwise) {
  return new Promise((done) => {
    const dialog = sheet(
      title,
      ...content,
      h(
        "div.ways",
        {},
        ...buttons.map(({ answer, name, word, about, kind = "" }) =>
          h(
            `button.way${kind}`,
            {
              "data-way": answer,
              onclick: () => {
                otherwise = answer;
                dialog.close();
              },
            },
            icon(name),
            h("span", {}, h("b", {}, word), about ? h("small", {}, about) : null),
          ),
        ),
      ),
    );
    dialog.addEventListener("close", () => done(otherwise));
  });
}

const asked = (state) =>
  answered(
    t("leave-title"),
    [
      h("p", {}, t("leave-text", { game: state.title })),
      h(
        "p.row.wrap.scores",
        {},
        ...state.players.map((p) =>
          h("span.mini", {}, avatar(p), p.name, " ", h("b", {}, score(p.score))),
        ),
      ),
    ],
    [
      { answer: "keep", name: "pause", word: t("leave-keep"), about: t("leave-keep-text") },
      { answer: "end", name: "crown", word: t("leave-end"), about: t("leave-end-text") },
      { answer: "stay", name: "back", word: t("leave-not"), kind: ".ghost" },
    ],
    "stay",
  );

// Whoever has won is told before the next game covers it.
const asksOn = async (state) =>
  (await answered(
    winnerText(state),
    [ranks(state)],
    [{ answer: "on", name: "check", word: t("leave-on"), kind: ".primary" }],
    "stay",
  )) === "on";
