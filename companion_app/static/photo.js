// One photo of a table scored: what was read outlined in it, tiles put right by a tap, who won and why.
import { pickTile } from "./correct.js";
import { Lying } from "./hexes.js";
import {
  attempt,
  avatar,
  filling,
  get,
  h,
  icon,
  lettered,
  me,
  ours,
  post,
  score,
  t,
  toast,
  upload,
  working,
} from "./ui.js";
import { listed } from "./verdict.js";

const NS = "http://www.w3.org/2000/svg";

export class PhotoView {
  constructor() {
    this.result = h("div.photo-result", { "aria-live": "polite" });
    this.game = h("select", { "aria-label": t("step-game"), id: "photo-game" });
    this.element = h(
      "div.page.photo",
      {},
      h("h1", {}, t("photo-score")),
      h(
        "section.card",
        {},
        h("p", {}, t("photo-text")),
        me.reads_photos ? null : h("p.problem", {}, t("error-no-reader")),
        h("label.field", {}, h("span", {}, t("step-game")), this.game),
        me.reads_photos
          ? h(
              "div.row.wrap",
              {},
              ...this.source("photo-file", "camera", "take-photo", { capture: "environment" }),
              ...this.source("photo-kept", "photo", "from-gallery"),
            )
          : null,
      ),
      this.result,
    );
    this.stays = true;
    this.load();
  }

  close() {
    if (this.url) URL.revokeObjectURL(this.url);
  }

  source(id, name, word, how = {}) {
    const file = h("input.file", {
      type: "file",
      accept: "image/*",
      id,
      ...how,
      onchange: () => {
        this.send(file.files[0]);
        file.value = "";
      },
    });
    return [
      file,
      h(`label.button.big${how.capture ? ".primary" : ""}`, { for: id }, icon(name), t(word)),
    ];
  }

  async load() {
    if (this.game.length) return;
    const answer = await filling(this, () => get("/api/games"));
    if (answer)
      this.game.replaceChildren(
        ...answer.games.map((g) => h("option", { value: g.game }, g.title)),
      );
  }

  async send(file) {
    if (!file) return;
    this.file = file;
    this.result.replaceChildren(working(t("reading")));
    const game = this.game.value;
    const form = new FormData();
    form.append("photo", file);
    form.append("game", game);
    try {
      const answer = await upload("/api/photo-score", form);
      this.close();
      this.url = URL.createObjectURL(file);
      this.seen = { ...answer.seen, game };
      this.told = answer;
      this.show(answer);
      this.result.scrollIntoView();
    } catch (error) {
      this.result.replaceChildren(h("p.card.problem", { role: "alert" }, error.message));
    }
  }

  show(answer) {
    const unsure = this.seen.tiles.filter((tile) => !tile.sure && !tile.gone).length;
    const problems = [...(unsure ? [t("photo-unsure", { n: unsure })] : []), ...answer.broken];
    const drawn = document.importNode(
      new DOMParser().parseFromString(answer.svg, "image/svg+xml").documentElement,
      true,
    );
    for (const tap of drawn.querySelectorAll(".tap")) {
      tap.setAttribute("role", "img");
      tap.removeAttribute("tabindex");
    }
    this.result.replaceChildren(
      ...this.offered(this.told.looks_like),
      ...(this.told.advice ?? []).map((text) => h("p.card", {}, text)),
      ...(this.seen.tiles.length
        ? [
            h("section.card.photo-picture", {}, this.picture(), h("p.quiet", {}, t("photo-tap"))),
            verdict(answer, ours(this.seen)),
          ]
        : [h("p.card.problem", {}, t("photo-none"))]),
      ...(problems.length
        ? [h("ul.card.problem.list", {}, ...problems.map((text) => h("li", {}, text)))]
        : []),
      ...(this.seen.tiles.length
        ? [h("details.card", {}, h("summary", {}, t("photo-drawn")), h("div.board", {}, drawn))]
        : []),
    );
  }

  // The photo shows another game than the chosen one.
  offered(game) {
    const option = [...this.game.options].find((one) => one.value === game);
    const again = () => {
      this.game.value = game;
      this.send(this.file);
    };
    return option
      ? [
          h(
            "button.primary.big.wide",
            { onclick: again },
            icon("redo"),
            t("photo-as", { game: option.text }),
          ),
        ]
      : [];
  }

  // --- the picture -----------------------------------------------------------------------------

  picture() {
    const [wide, high] = this.seen.size;
    const svg = made("svg", {
      viewBox: `0 0 ${wide} ${high}`,
      class: "seen photo-seen",
      role: "group",
      "aria-label": t("photo-seen"),
    });
    const image = made("image", {
      href: this.url,
      width: wide,
      height: high,
      preserveAspectRatio: "none",
    });
    // Some browsers cannot show what phones of others take; the outlines stay.
    image.addEventListener("error", () => image.remove());
    svg.append(
      made("rect", { width: wide, height: high, class: "photo-ground" }),
      image,
      ...this.seen.tiles.filter((tile) => !tile.gone).map((tile) => this.outline(tile)),
    );
    return svg;
  }

  outline(tile) {
    const points = tile.outline.map(([x, y]) => `${x},${y}`).join(" ");
    const name = tile.label || t("tile");
    const group = made("g", {
      class: `tap outline${tile.sure ? "" : " unsure"}`,
      tabindex: 0,
      role: "button",
      stroke: tile.ink,
      "aria-label": tile.sure ? name : t("photo-doubtful", { tile: name }),
    });
    group.append(made("polygon", { points, class: "under" }), made("polygon", { points }));
    if (!tile.sure) group.append(sign(tile.outline));
    group.addEventListener("click", () => this.ask(tile));
    group.addEventListener("keydown", (e) => {
      if (e.key === " " || e.key === "Enter") {
        e.preventDefault();
        this.ask(tile);
      }
    });
    return group;
  }

  // --- putting right ---------------------------------------------------------------------------

  ask(tile) {
    const { game, set, lattice } = this.seen;
    pickTile(
      { game, set, lattice, stock: this.fitting(tile) },
      (name, turns) =>
        this.put(
          tile,
          {
            lies: { ...tile.lies, tile: name, ...(lattice === "square" ? { turns } : {}) },
            sure: true,
          },
          name,
        ),
      tile.lies,
      () => this.put(tile, { gone: true }),
    );
  }

  // What can lie where a tile lies: cards of its size, pieces of its shape.
  fitting({ lies }) {
    const { kinds } = this.seen;
    if (!lies.cells) {
      const size = kinds.find((one) => one.tile === lies.tile)?.cells.length ?? 1;
      return kinds.filter((one) => one.cells.length === size);
    }
    return kinds.filter(
      (one) => one.cells.length === lies.cells.length && new Lying(one.cells, 0).cover(lies.cells),
    );
  }

  async put(tile, change, name = null) {
    const before = {
      lies: tile.lies,
      sure: tile.sure,
      gone: tile.gone,
      label: tile.label,
      ink: tile.ink,
    };
    const kind = this.seen.kinds.find((one) => one.tile === name);
    Object.assign(tile, change, kind ? { label: kind.label, ink: kind.ink } : {});
    if (!(await this.again())) {
      Object.assign(tile, before);
      return;
    }
    toast(
      kind ? t("photo-put-right", { tile: kind.label }) : t("photo-taken-out"),
      "",
      t("undo"),
      async () => {
        Object.assign(tile, before);
        await this.again();
      },
    );
  }

  async again() {
    const tiles = this.seen.tiles
      .filter((tile) => tile.sure && !tile.gone)
      .map((tile) => tile.lies);
    const answer = await attempt(() =>
      post("/api/photo-score", {
        game: this.seen.game,
        set: this.seen.set,
        table: { tiles, clay: this.seen.clay },
      }),
    );
    if (answer) this.show(answer);
    return answer;
  }
}

// Who won, and everybody's score line by line.
function verdict({ over, players }, note) {
  const best = players.filter((p) => p.winner),
    names = listed(best.map((p) => p.name));
  const words = over
    ? [t("wins", { player: names }), t("share-win", { players: names })]
    : [
        t("most-points", { player: names, n: score(best[0]?.score) }),
        t("same-points", { players: names, n: score(best[0]?.score) }),
      ];
  return h(
    "section.card.over.photo-scores",
    {},
    over ? null : h("p.kicker", {}, icon("flag"), t("not-over")),
    best.length ? h("p.headline", {}, words[best.length > 1 ? 1 : 0]) : null,
    ...lettered(players)
      .toSorted((a, b) => b.winner - a.winner || (b.score ?? -Infinity) - (a.score ?? -Infinity))
      .map((p) =>
        h(
          "details",
          { open: p.winner },
          h(
            "summary",
            {},
            p.colour ? avatar(p) : null,
            h("b", {}, p.name),
            p.winner ? icon("crown") : null,
            h("span.grow"),
            h("b.points", {}, score(p.score)),
          ),
          ...p.lines.map((line) =>
            h(
              "p.row",
              {},
              h("span", {}, (line.count > 1 ? `${line.count} × ` : "") + line.why),
              h("span.grow"),
              h("b", {}, score(line.points)),
            ),
          ),
        ),
      ),
    note,
  );
}

function sign(outline) {
  const middle = [0, 1].map(
    (n) => outline.reduce((sum, point) => sum + point[n], 0) / outline.length,
  );
  const text = made("text", {
    x: middle[0],
    y: middle[1],
    "font-size": Math.hypot(outline[0][0] - middle[0], outline[0][1] - middle[1]),
  });
  text.textContent = "?";
  return text;
}

function made(tag, attributes) {
  const element = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}
