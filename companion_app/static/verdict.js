// The referee's words: the last move in its strip, and the cards of a moment: a foul, a question.
import { pickDrawn, pickTile, tileUrl } from "./correct.js";
import { drawnPart, seenPart, showPicture } from "./crop.js";
import { askSeat, mayAnswer } from "./seats.js";
import { askSure, guideLink, h, icon, me, sheet, t } from "./ui.js";

const SHORT_MS = 300; // a press that is shorter turns the picture over, a longer one shows it while it lasts

export function lastCard(move, state) {
  const bad = !move.legal;
  const note = state.last_round
    ? t(`last-round-${state.last_round}`)
    : bad
      ? t("overruled-note")
      : t("legal-note", { n: move.n });
  return h(
    `div.last${bad ? ".overruled" : ""}${state.last_round ? ".long" : ""}`,
    {},
    h("span.mark", {}, icon(bad ? "flag" : "check")),
    h(
      "div",
      {},
      h("p.headline", {}, move.text),
      h(
        "small",
        {},
        note,
        state.turn && !state.last_round
          ? ` · ${t("now", { player: nameOf(state, state.turn) })}`
          : "",
      ),
    ),
  );
}

// A card of a moment can be folded to its headline, to look at the table behind it.
function card(kind, head, ...content) {
  const fold = h(
    "button.ghost.round.fold",
    {
      "aria-expanded": "true",
      "aria-label": t("fold"),
      title: t("fold"),
      onclick: () => {
        const folded = whole.classList.toggle("folded");
        fold.setAttribute("aria-expanded", String(!folded));
        fold.setAttribute("aria-label", t(folded ? "unfold" : "fold"));
        whole.dispatchEvent(new Event("fold", { bubbles: true }));
      },
    },
    icon("fold"),
  );
  const whole = h(`div.card.${kind}`, {}, h("div.card-head", {}, head, fold), ...content);
  return whole;
}

// An illegal move in one glance: the place, large, the tile ringed; what was done, and what it breaks.
export function foulCard(foul, view) {
  const [first] = foul.violations;
  const shown = h("div.glance", {}, h("div.pictures"));
  partShown(shown, foul, view.state);
  return card(
    "foul",
    h("p.kicker", {}, icon("cross"), t("not-allowed")),
    shown,
    h(
      "div.words",
      {},
      h("p.headline", {}, foul.said),
      h("p.why", {}, first.text),
      view.state.machine?.move ? h("p.quiet", {}, view.state.machine.words) : null,
    ),
    h(
      "div.row",
      {},
      h("button.ghost", { onclick: () => ruleSheet(foul) }, icon("hint"), t("the-rule")),
      ...(me.host
        ? [
            h(
              "button",
              { onclick: () => view.act("/api/tell", { overrule: foul.n }) },
              icon("flag"),
              t("overrule"),
            ),
            h(
              "button.primary",
              { onclick: () => view.act("/api/foul/take-back") },
              icon("undo"),
              t("take-back-foul"),
            ),
          ]
        : []),
    ),
  );
}

function ruleSheet(foul) {
  sheet(
    t("the-rule"),
    ...foul.violations.map((broken) =>
      h(
        "blockquote",
        {},
        h("b", {}, broken.text),
        h("p", {}, broken.rulebook),
        h("cite", {}, broken.source),
      ),
    ),
  );
}

// The photo where there is one and this phone may see it, else the drawing; before and after lie over each other.
async function partShown(shown, foul, state) {
  const kept = (name) => `/api/games/${state.key}/pictures/${foul.seq}/${name}.jpg`;
  const places = foul.violations.flatMap((one) => one.spots);
  const photo =
    me.may.pictures &&
    foul.pictures.after &&
    foul.pictures.before &&
    !["none", "recorded"].includes(state.source.kind)
      ? await seenPart(foul.spots, kept("after"))
      : null;
  const url = (show) =>
    `/api/table.svg?show=${show}&v=${state.key}-${foul.n}&lang=${state.language}`;
  const after = photo ?? (await drawnPart(url("after"), places, foul.spots));
  if (!after) {
    shown.hidden = true;
    return;
  }
  const before = photo ? null : await drawnPart(url("before"), places, foul.spots);
  if (before) before.setAttribute("viewBox", after.getAttribute("viewBox"));
  const place = shown.querySelector(".pictures");
  const show = (early) => {
    if (photo) showPicture(photo, kept(early ? "before" : "after"));
    place.replaceChildren(early && before ? before : after);
    button.setAttribute("aria-pressed", String(early));
    button.lastChild.textContent = t(early ? "seen-before" : "hold-before");
  };
  const button = h(
    "button.hold",
    { "aria-pressed": "false" },
    icon("redo"),
    h("span", {}, t("hold-before")),
  );
  shown.append(button);
  show(false);
  holdable(shown, button, show);
}

function holdable(shown, button, show) {
  let early = false,
    began = 0,
    held = false;
  const turn = (now) => {
    early = now;
    show(now);
  };
  shown.addEventListener("pointerdown", (e) => {
    began = e.timeStamp;
    held = true;
    turn(!early);
  });
  for (const name of ["pointerup", "pointercancel", "pointerleave"]) {
    shown.addEventListener(name, (e) => {
      if (held && e.timeStamp - began > SHORT_MS) turn(false);
      held = false;
    });
  }
  shown.addEventListener("contextmenu", (e) => e.preventDefault());
  button.addEventListener("click", (e) => {
    if (e.detail === 0) turn(!early);
  }); // by key; a finger was heard above
}

// What the referee wants to know; guesses at a tile come with big pictures, and the place as the camera sees it.
export function questionCard(question, state, view) {
  view.board.light(question.spots ?? [], "ask");
  if (!mayAnswer(question, state)) return questionOfOthers(question, state);
  const tell = (value, more = {}) => view.act("/api/tell", { answer: question.id, value, ...more });
  const pick = (value) =>
    question.drops ? askDrop(() => tell(value, { confirm: true })) : tell(value);
  const buttons = (question.answers ?? []).map((answer) =>
    h(
      `button.answer${answer.tile ? ".pictured" : ""}`,
      { onclick: () => pick(answer.value) },
      answer.tile
        ? h("img", { src: tileUrl(state, answer.tile, answer.turns ?? 0), alt: "" })
        : null,
      question.about === "roll"
        ? h("span.die", { "data-n": answer.label }, answer.label)
        : h(
            "span",
            {},
            answer.label,
            answer.share ? h("small", {}, ` ${Math.round(answer.share * 100)} %`) : null,
          ),
    ),
  );
  const ofTile = question.about === "tile" && question.spots.length;
  if (ofTile && typeof question.answers[0]?.value !== "number")
    buttons.push(
      state.lattice === "square"
        ? h(
            "button.answer",
            { onclick: () => pickTile(state, (tile, turns) => pick({ tile, turns })) },
            t("another-tile"),
          )
        : null,
      question.answers.some((answer) => answer.value === "none")
        ? null
        : h("button.answer", { onclick: () => pick("none") }, t("nothing-there")),
    );
  if (question.about === "roll")
    buttons.push(
      h("button.answer.more", { onclick: () => pickDrawn(state, pick) }, t("roll-cards")),
    );
  return card(
    "question",
    h("p.kicker", {}, icon("ask"), t("question")),
    h("p.headline", {}, question.text),
    h("div.answers", {}, ...buttons),
    guideLink(`unsure#${question.about}`),
  );
}

// Who may not answer sees what is asked, and of whom.
function questionOfOthers(question, state) {
  const who = question.concerns.map((id) => nameOf(state, id));
  return card(
    "question",
    h("p.kicker", {}, icon("ask"), t("question")),
    h("p.headline", {}, question.text),
    h("p.quiet", {}, me.players_answer ? t("answer-by", { player: listed(who) }) : t("pin-why")),
    me.seats.length
      ? null
      : h("button", { onclick: () => askSeat(state) }, icon("hand"), t("take-seat")),
  );
}

// An answer that begins the game anew says so first.
function askDrop(done) {
  askSure(t("drop-sure"), t("drop-text"), t("drop-moves"), done);
}

export { card };
export const nameOf = (state, id) => state.players.find((p) => p.id === id)?.name ?? "";
export const listed = (names) => new Intl.ListFormat(document.documentElement.lang).format(names);
