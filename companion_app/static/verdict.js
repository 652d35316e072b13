// The referee's cards: the last move, a foul, a question, the end of the game.
import { pickDrawn, pickTile, tileUrl } from "./correct.js";
import { askSeat, mayAnswer } from "./seats.js";
import { h, icon, me, say, score, sheet, t } from "./ui.js";

export function lastCard(move, state) {
  const bad = !move.legal;
  return h(`div.last${bad ? ".overruled" : ""}`, {},
    h("span.mark", {}, icon(bad ? "flag" : "check")),
    h("div", {}, h("p.headline", {}, move.text), h("small", {}, bad ? t("overruled-note") : t("legal-note", { n: move.n }),
      state.turn ? ` · ${t("now", { player: nameOf(state, state.turn) })}` : "")));
}

// An illegal move, clearly: the sentence, the rulebook's words, before and after, what can be done.
export function foulCard(foul, view) {
  const [first, ...rest] = foul.violations;
  const pictures = Object.entries(me.may.pictures ? foul.pictures : {}).filter(([, has]) => has).map(([name]) => h("figure", {},
    h("img", { src: `/api/games/${view.state.key}/pictures/${foul.seq}/${name}.jpg`, alt: t("picture-" + name), loading: "lazy" }),
    h("figcaption", {}, t("picture-" + name))));
  return h("div.card.foul", {},
    h("p.kicker", {}, icon("cross"), t("not-allowed")),
    h("p.headline", {}, first.text),
    ...rest.map((broken) => h("p", {}, broken.text)),
    h("p.what", {}, foul.text),
    ...foul.violations.map((broken) => h("blockquote", {}, broken.rulebook, h("cite", {}, broken.source))),
    pictures.length ? h("div.before-after", {}, ...pictures) : null,
    h("div.row", {},
      h("button.ghost", { onclick: (e) => showBefore(view, e.currentTarget) }, t("show-before")),
      ...(me.host ? [
        h("button", { onclick: () => view.act("/api/tell", { overrule: foul.n }) }, icon("flag"), t("overrule")),
        h("button.primary", { onclick: () => view.act("/api/foul/take-back") }, icon("undo"), t("take-back-foul"))] : [])));
}

function showBefore(view, button) {
  view.showingBefore = !view.showingBefore;
  button.textContent = t(view.showingBefore ? "show-after" : "show-before");
  const show = view.showingBefore ? "before" : "after";
  view.board.show(`/api/table.svg?show=${show}&v=${view.state.key}-${view.state.foul.n}&lang=${view.state.language}`);
}

// What the referee wants to know; guesses at a tile come with big pictures.
export function questionCard(question, state, view) {
  view.board.light(question.spots ?? [], "ask");
  if (!mayAnswer(question)) return questionOfOthers(question, state);
  const tell = (value, more = {}) => view.act("/api/tell", { answer: question.id, value, ...more });
  const pick = (value) => (question.drops ? askDrop(() => tell(value, { confirm: true })) : tell(value));
  const buttons = (question.answers ?? []).map((answer) => h(`button.answer${answer.tile ? ".pictured" : ""}`,
    { onclick: () => pick(answer.value) },
    answer.tile ? h("img", { src: tileUrl(state, answer.tile, answer.turns ?? 0), alt: "" }) : null,
    question.about === "roll" ? h("span.die", { "data-n": answer.label }, answer.label) : h("span", {}, answer.label)));
  if (question.about === "tile" && question.spots.length && typeof question.answers[0]?.value !== "number") buttons.push(
    state.lattice === "square" ? h("button.answer", { onclick: () => pickTile(state, (tile, turns) => pick({ tile, turns })) }, t("another-tile")) : null,
    question.answers.some((answer) => answer.value === "none") ? null : h("button.answer", { onclick: () => pick("none") }, t("nothing-there")));
  if (question.about === "roll") buttons.push(h("button.answer.more", { onclick: () => pickDrawn(state, pick) }, t("roll-cards")));
  return h("div.card.question", {}, h("p.kicker", {}, icon("ask"), t("question")),
    h("p.headline", {}, question.text), h("div.answers", {}, ...buttons));
}

// Who may not answer sees what is asked, and of whom.
function questionOfOthers(question, state) {
  const who = question.concerns.map((id) => nameOf(state, id));
  return h("div.card.question", {}, h("p.kicker", {}, icon("ask"), t("question")), h("p.headline", {}, question.text),
    h("p.quiet", {}, me.players_answer ? t("answer-by", { player: listed(who) }) : t("pin-why")),
    me.seats.length ? null : h("button", { onclick: () => askSeat(state) }, icon("hand"), t("take-seat")));
}

// An answer that begins the game anew says so first.
function askDrop(done) {
  const dialog = sheet(t("drop-sure"), h("p", {}, t("drop-text")), h("div.row", {},
    h("button", { onclick: () => dialog.close() }, t("cancel")), h("span.grow"),
    h("button.danger", { onclick: () => { dialog.close(); done(); } }, t("drop-moves"))));
}

export function overCard(state, view) {
  const winners = state.players.filter((p) => p.winner).map((p) => p.name);
  const text = winners.length === 1 ? t("wins", { player: winners[0] }) : t("share-win", { players: listed(winners) });
  return h("div.card.over", {}, h("p.kicker", {}, icon("crown"), t("game-over")),
    h("p.headline", {}, text),
    h("div.row", {},
      h("button", { onclick: () => countUp(state, view) }, t("count-up")),
      h("button", { onclick: () => view.go(`/games/${state.key}`) }, icon("share"), t("replay-share")),
      me.host ? h("button.primary", { onclick: () => view.again(state) }, icon("plus"), t("again")) : null));
}

// Final scoring step by step: every line lights up and is added.
async function countUp(state, view) {
  for (const player of state.players) {
    let sum = 0;
    view.open = player.id;
    view.showPlayers(state);
    const points = view.players.querySelector(".seat.open .points");
    const rows = [...view.players.querySelectorAll(".seat.open .lines li")];
    for (const [number, line] of player.lines.entries()) {
      view.board.light(line.spots, "points");
      sum += line.points;
      if (points) points.textContent = score(sum);
      rows[number]?.classList.add("counted");
      say(`${line.why}: ${line.points}`);
      await new Promise((done) => setTimeout(done, matchMedia("(prefers-reduced-motion: reduce)").matches ? 300 : 900));
    }
  }
  view.board.dark();
  view.open = null;
  view.playersKey = "";
  view.showPlayers(state);
}

export const nameOf = (state, id) => state.players.find((p) => p.id === id)?.name ?? "";
const listed = (names) => new Intl.ListFormat(document.documentElement.lang).format(names);
