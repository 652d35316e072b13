// A finished game looked over: the curve of expected results, turning points, luck and choices, and
// positions to try again.
import { ghostOn } from "./machine.js";
import { MovePicker } from "./pick_move.js";
import { attempt, avatar, get, h, icon, post, t } from "./ui.js";

const NS = "http://www.w3.org/2000/svg";
const AGAIN_MS = 1500;
const GAVE_AWAY = 0.05; // less than that is nobody's mistake

export class LookOver {
  constructor(view, game) {
    this.view = view;
    this.game = game;
    this.element = h(
      "section.card.look-over",
      {},
      h("button.wide", { onclick: () => this.load() }, icon("hint"), t("look-over")),
    );
  }

  // The whole game; or, of a game looked over before, the question about one move.
  async load(only = null) {
    this.element.replaceChildren(h("p.loading", { role: "status" }, t("looking-over")));
    for (;;) {
      const said = await attempt(() => get(`/api/games/${this.game.key}/look-over`));
      if (!said) {
        this.element.replaceChildren(
          h("button.wide", { onclick: () => this.load() }, icon("hint"), t("look-over")),
        );
        return;
      }
      if (said.ready) {
        this.show(said);
        if (only) this.learn(only);
        return;
      }
      await new Promise((done) => setTimeout(done, AGAIN_MS));
      if (!this.element.isConnected) return;
    }
  }

  show(said) {
    this.said = said;
    this.view.onPlace = (n) => this.better(n);
    this.view.board.drawOver = () => this.better(Number(this.view.slider.value));
    const turning = said.moves.filter((one) => one.turning);
    this.element.replaceChildren(
      h("h2", {}, t("expected-curve")),
      this.curve(said),
      h("h2", {}, t("luck"), " · ", t("skill")),
      h("p.quiet", {}, t("luck-why")),
      this.table(said),
      ...(turning.length
        ? [
            h("h2", {}, t("turning-points")),
            h(
              "ol.turning-list",
              {},
              ...turning.map((one) =>
                h(
                  "li",
                  {},
                  h(
                    "button.ghost",
                    { onclick: () => this.to(one.n) },
                    h("b", {}, `${one.n}. `),
                    this.game.moves[one.n - 1]?.text ?? "",
                    one.best
                      ? h("small", {}, ` · ${t("better-move", { move: one.best.text })}`)
                      : null,
                  ),
                ),
              ),
            ),
          ]
        : []),
      h("button.wide", { onclick: () => this.learn() }, icon("play"), t("learn")),
    );
  }

  to(n) {
    this.view.slider.value = String(n - 1);
    this.view.at(n - 1);
  }

  // The better move lies on the table as a ghost, before the one that was made.
  better(n) {
    const svg = this.view.board.svg;
    if (svg && !this.learning) ghostOn(svg, this.game, this.said.moves[n]?.best?.ghost ?? []);
  }

  curve(said) {
    const svg = document.createElementNS(NS, "svg");
    for (const [name, value] of Object.entries({
      viewBox: "0 0 300 90",
      class: "curve",
      role: "img",
      "aria-label": t("expected-curve"),
    }))
      svg.setAttribute(name, value);
    const x = (n) => 4 + (n / Math.max(1, said.moves.length)) * 292;
    said.players.forEach((player, number) => {
      const values = [
        said.moves[0]?.before[player.id] ?? 0,
        ...said.moves.map((one) => one.after[player.id]),
      ];
      const line = document.createElementNS(NS, "polyline");
      line.setAttribute(
        "points",
        values.map((v, n) => `${x(n).toFixed(1)},${(84 - v * 78).toFixed(1)}`).join(" "),
      );
      line.setAttribute("stroke", player.colour);
      line.setAttribute("stroke-dasharray", ["", "7 4", "2 4", "10 3 2 3", "4 2"][number % 5]);
      svg.append(line);
    });
    for (const one of said.moves.filter((move) => move.turning)) {
      const mark = document.createElementNS(NS, "line");
      for (const [name, value] of Object.entries({
        x1: x(one.n),
        x2: x(one.n),
        y1: 2,
        y2: 88,
        "stroke-dasharray": "2 3",
      }))
        mark.setAttribute(name, value);
      svg.append(mark);
    }
    return svg;
  }

  table(said) {
    const wins = (n) => (n > 0 ? "+" : "") + n.toFixed(2).replace("-", "−");
    // What the draws leave open is not told; what is told comes with its interval.
    const figure = (one, name) =>
      one[name]
        ? [wins(one[name]), h("small", {}, ` (${one[`${name}_interval`].map(wins).join(" … ")})`)]
        : t("not-sure");
    return h(
      "table",
      {},
      h(
        "thead",
        {},
        h("tr", {}, ...["name", "luck", "skill"].map((word) => h("th", { scope: "col" }, t(word)))),
      ),
      h(
        "tbody",
        {},
        ...said.players.map((one) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, avatar(one), one.name),
            h("td", {}, figure(one, "luck")),
            h("td", {}, figure(one, "skill")),
          ),
        ),
      ),
    );
  }

  // --- the positions again ---------------------------------------------------------------------

  learn(only = null) {
    this.left = this.said.moves
      .filter((one) => one.best && (only ? one.n === only : one.skill <= -GAVE_AWAY))
      .sort((a, b) => a.skill - b.skill);
    this.end = this.left.length ? "learn-done" : "learn-none";
    this.next();
  }

  async next() {
    const one = this.left.shift();
    if (!one) {
      this.learnt();
      return;
    }
    this.learning = true;
    const said = await attempt(() => post(`/api/games/${this.game.key}/try`, { n: one.n }));
    if (!said) return;
    this.to(one.n);
    const answer = h("p.headline", { role: "status" });
    const picker = new MovePicker(this.view.board, (move) => this.tried(one, move, answer));
    const name = this.game.players.find((p) => p.id === one.player)?.name ?? "";
    this.element.replaceChildren(
      h("p.headline", {}, t("learn-ask", { player: name })),
      answer,
      picker.element,
      h(
        "div.row.wrap",
        {},
        h(
          "button",
          {
            onclick: () => {
              answer.textContent = one.best.text;
              ghostOn(this.view.board.svg, this.game, one.best.ghost);
            },
          },
          icon("hint"),
          t("learn-show"),
        ),
        h("button.primary", { onclick: () => this.next() }, t("learn-next")),
      ),
    );
    picker.show(this.game, said.legal);
  }

  // The whole game is shown again, without the places of the last question.
  learnt() {
    this.learning = false;
    for (const place of this.view.board.svg?.querySelectorAll(".place-choice") ?? [])
      place.remove();
    this.show(this.said);
    this.element.prepend(h("p", { role: "status" }, t(this.end)));
    this.better(Number(this.view.slider.value));
  }

  async tried(one, move, answer) {
    const said = await attempt(() => post(`/api/games/${this.game.key}/try`, { n: one.n, move }));
    if (said) answer.textContent = t(said.good ? "learn-good" : "learn-other");
  }
}
