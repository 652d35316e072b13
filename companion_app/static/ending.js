// The end of a game: the score counted line by line on the table, and the winner's moment.
import { card, listed } from "./verdict.js";
import { attempt, avatar, h, icon, me, ours, say, score, t } from "./ui.js";

const STEP_MS = 1700;
const STILL = matchMedia("(prefers-reduced-motion: reduce)");
const RIBBONS = 18;

export function winnerText(state) {
  const winners = state.players.filter((p) => p.winner).map((p) => p.name);
  if (!winners.length) return t("nobody-wins");
  return winners.length === 1
    ? t("wins", { player: winners[0] })
    : t("share-win", { players: listed(winners) });
}

// Everybody's score, the winner first.
export function ranks(state) {
  const best = state.players.toSorted(
    (a, b) => b.winner - a.winner || (b.score ?? -Infinity) - (a.score ?? -Infinity),
  );
  return h(
    "ol.ranks",
    {},
    ...best.map((p) =>
      h(
        `li${p.winner ? ".winner" : ""}`,
        {},
        avatar(p),
        h("span", {}, p.name),
        p.winner ? icon("crown") : null,
        h("b", {}, score(p.score)),
      ),
    ),
  );
}

// Who won, everybody's score, and what comes next.
export function overCard(state, view, celebrated = false) {
  return card(
    "over",
    h("p.kicker", {}, icon("crown"), t("game-over")),
    celebrated && !STILL.matches
      ? h(
          "div.ribbons",
          { "aria-hidden": "true" },
          ...Array.from({ length: RIBBONS }, (_, n) =>
            h("i", {
              "--x": `${(n * 37) % 100}%`,
              "--late": `${(n * 83) % 700}ms`,
              "--ribbon": state.players[n % state.players.length].colour,
            }),
          ),
        )
      : null,
    h("p.headline", {}, winnerText(state)),
    ranks(state),
    h(
      "div.row",
      {},
      h(
        "button",
        { onclick: () => view.count(new Counting(state, view)) },
        icon("hint"),
        t("count-up"),
      ),
      h(
        "button",
        { onclick: () => attempt(async () => (await import("./sharecard.js")).share(state)) },
        icon("share"),
        t("share-card"),
      ),
      h(
        "button",
        { onclick: () => view.go(`/games/${state.key}`) },
        icon("games"),
        t("replay-short"),
      ),
      me.host
        ? h("button.primary", { onclick: () => view.again(state) }, icon("redo"), t("rematch"))
        : null,
    ),
  );
}

// Every line of the score lights up on the table and is added; whoever counts goes on, back, or waits.
export class Counting {
  constructor(state, view) {
    this.state = state;
    this.view = view;
    this.steps = state.players.flatMap((player) => player.lines.map((line) => ({ player, line })));
    this.at = 0;
    const round = (name, word, onclick) =>
      h("button.round", { "aria-label": t(word), title: t(word), onclick }, icon(name));
    this.stop = round("pause", "pause", () => this.run(!this.timer));
    this.words = h("div.counted");
    this.element = h(
      "div.card.counting",
      {},
      this.words,
      ours(state),
      h(
        "div.row",
        {},
        round("back", "count-back", () => {
          this.run(false);
          this.show(this.at - 1);
        }),
        this.stop,
        round("on", "count-on", () => {
          this.run(false);
          this.show(this.at + 1);
        }),
        h("span.grow"),
        h("button", { onclick: () => this.end() }, t("count-end")),
      ),
    );
    this.show(0);
    this.run(!STILL.matches);
  }

  run(on) {
    clearInterval(this.timer);
    this.timer = on ? setInterval(() => this.show(this.at + 1), STEP_MS) : null;
    const word = t(on ? "pause" : "count-play");
    this.stop.setAttribute("aria-label", word);
    this.stop.title = word;
    this.stop.replaceChildren(icon(on ? "pause" : "play"));
  }

  show(at) {
    if (at >= this.steps.length) {
      this.end();
      return;
    }
    this.at = Math.max(0, at);
    const { player, line } = this.steps[this.at];
    const sums = Object.fromEntries(this.state.players.map((p) => [p.id, 0]));
    for (const step of this.steps.slice(0, this.at + 1)) sums[step.player.id] += step.line.points;
    this.view.board.light(line.spots, "points");
    this.view.showSums(sums);
    const why = (line.count > 1 ? `${line.count} × ` : "") + line.why;
    this.words.replaceChildren(
      avatar(player),
      h("div", {}, h("p.headline", {}, player.name), h("p.why", {}, why)),
      h("b.points", {}, (line.points > 0 ? "+" : "") + score(line.points)),
    );
    say(`${player.name}: ${why}: ${line.points}`);
  }

  // Also when somebody has had enough of it.
  end() {
    clearInterval(this.timer);
    this.view.board.dark();
    this.view.showSums(null);
    this.view.counted();
  }
}
