// Moves that gave much away, over all games of a person: each leads to its position, to try again.
import { attempt, get, h, icon, t, when } from "./ui.js";

const AGAIN_MS = 1500;

export class Mistakes {
  constructor(go) {
    this.go = go;
    this.element = h(
      "section.card.mistakes",
      {},
      h("button.wide", { onclick: () => this.load() }, icon("hint"), t("mistakes")),
    );
  }

  async load(name = null) {
    const said = await attempt(() => get("/api/mistakes"));
    if (!said) return;
    const mine = said.players.find((one) => one.name === name) ?? said.players[0];
    const more = said.missing.length
      ? [
          h(
            "button.wide",
            { onclick: (e) => this.lookOver(said.missing[0], e.target, mine?.name) },
            icon("hint"),
            t("mistakes-more", { n: said.missing.length }),
          ),
        ]
      : [];
    this.element.replaceChildren(
      h("h2", {}, t("mistakes")),
      mine ? this.list(said, mine) : h("p.quiet", {}, t("mistakes-none")),
      ...more,
    );
  }

  // What would have been better is not told: that is the question.
  list(said, mine) {
    const chosen = h(
      "select",
      { "aria-label": t("name"), onchange: (e) => this.load(e.target.value) },
      ...said.players.map((one) =>
        h("option", { value: one.name, selected: one === mine }, one.name),
      ),
    );
    return h(
      "div",
      {},
      chosen,
      h(
        "ol.turning-list",
        {},
        ...mine.mistakes.map((one) =>
          h(
            "li",
            {},
            h(
              "button.ghost",
              { onclick: () => this.go(`/games/${one.key}#${one.n}`) },
              h("b", {}, one.title),
              ` · ${t("mistakes-move", { n: one.n })} `,
              h("small", {}, when(one.began_s)),
            ),
          ),
        ),
      ),
    );
  }

  // One more game is looked over, the newest first.
  async lookOver(key, button, name) {
    button.disabled = true;
    button.textContent = t("looking-over");
    for (;;) {
      const said = await attempt(() => get(`/api/games/${key}/look-over`));
      if (!this.element.isConnected) return;
      if (!said || said.ready) {
        this.load(name);
        return;
      }
      await new Promise((done) => setTimeout(done, AGAIN_MS));
    }
  }
}
