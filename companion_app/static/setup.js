// A new game, step by step: game, players, options in words, start. The second time: one tap.
import { attempt, get, h, icon, me, post, t } from "./ui.js";

const SEATS = 4;

export class SetupView {
  constructor(live, go) {
    this.live = live;
    this.go = go;
    this.element = h("div.page.setup");
    this.step = 0;
    this.chosen = null;
    this.names = {};
    this.players = [];
    this.options = {};
    this.load();
  }

  async load() {
    this.games = (await get("/api/games")).games;
    this.show();
  }

  show() {
    const steps = [t("step-game"), t("step-players"), t("step-ready")];
    const bar = h("ol.steps", {}, ...steps.map((word, n) => h("li", {
      "aria-current": n === this.step ? "step" : null, class: n < this.step ? "done" : null,
    }, h("span.n", {}, n < this.step ? icon("check") : n + 1), h("span", {}, word))));
    this.element.replaceChildren(h("h1", {}, t("new-game")), bar,
      [() => this.gameStep(), () => this.playerStep(), () => this.readyStep()][this.step]());
  }

  gameStep() {
    const last = this.live.state?.game ? this.live.state : null;
    return h("div", {},
      last ? h("button.card.again", { onclick: () => this.repeat(last) }, icon("redo"),
        h("span", {}, h("b", {}, t("play-again", { game: last.title })), h("small", {}, last.players.map((p) => p.name).join(", ")))) : null,
      h("div.game-grid", {}, ...this.games.map((game) => h("button.card.game-card", { onclick: () => this.pick(game) },
        h("span.faces", {}, ...samples(game).map((tile) => h("img", { src: tileUrl(game, tile), alt: "", loading: "lazy" }))),
        h("b", {}, game.title), h("small", {}, game.about),
        h("small.count", {}, t("players-range", { a: game.fewest, b: game.most }))))));
  }

  pick(game) {
    this.chosen = game;
    this.options = {};
    this.players = game.players.length ? game.players.slice(0, game.fewest).map((p) => p.id) : [];
    this.names = {};
    this.step = 1;
    this.show();
  }

  playerStep() {
    const game = this.chosen;
    const next = h("button.primary.big", { onclick: () => { if (this.read()) { this.step = 2; this.show(); } } }, t("next"));
    const rows = game.players.length ? this.colourRows(game) : this.nameRows(game);
    return h("div.card", {}, h("p", {}, game.players.length ? t("who-plays-colours") : t("who-plays-names")), rows,
      h("div.row", {}, h("button", { onclick: () => { this.step = 0; this.show(); } }, t("back")), h("span.grow"), next));
  }

  colourRows(game) {
    return h("div.seats", {}, ...game.players.map((player) => {
      const plays = this.players.includes(player.id);
      return h(`div.seat-row${plays ? ".on" : ""}`, { "--player": player.colour },
        h("label.pick", {}, h("input", { type: "checkbox", checked: plays, name: player.id, onchange: (e) => this.toggle(player.id, e.target.checked) }),
          h("span.avatar", { "--player": player.colour }, [...player.word][0].toUpperCase()), h("span", {}, player.word)),
        h("input.name", { type: "text", maxlength: 24, placeholder: t("name-optional"), "aria-label": t("name-of", { player: player.word }),
          value: this.names[player.id] ?? "", disabled: !plays, oninput: (e) => { this.names[player.id] = e.target.value; } }));
    }));
  }

  toggle(id, on) {
    const order = this.chosen.players.map((p) => p.id);
    this.players = order.filter((p) => (p === id ? on : this.players.includes(p)));
    this.show();
  }

  nameRows(game) {
    return h("div.seats", {}, ...Array.from({ length: SEATS }, (_, n) => h("div.seat-row.on", {},
      h("span.avatar.n", {}, n + 1),
      h("input.name", { type: "text", maxlength: 24, placeholder: n < game.fewest ? t("name") : t("name-nobody"), "aria-label": t("name-n", { n: n + 1 }),
        value: this.players[n] ?? "", oninput: (e) => { this.players[n] = e.target.value; } }))));
  }

  read() {
    const game = this.chosen;
    const list = this.players.map((p) => (p ?? "").trim()).filter(Boolean);
    if (list.length < game.fewest || list.length > game.most || new Set(list).size < list.length) {
      attempt(() => { throw new Error(t("players-wrong", { a: game.fewest, b: game.most })); });
      return false;
    }
    this.players = list;
    return true;
  }

  readyStep() {
    const game = this.chosen;
    const shown = game.options.filter((o) => typeof o.default === "boolean" || CHOICES[`${game.game}.${o.name}`]);
    return h("div.card", {},
      h("h2", {}, game.title), h("p", {}, this.players.map((p) => this.names[p] || word(game, p)).join(", ")),
      shown.length ? h("details.options", {}, h("summary", {}, t("options")), ...shown.map((o) => this.option(game, o))) : null,
      h("p.hint-line", {}, icon("print"), h("a", { href: `/api/print/${game.game}.zip`, download: "" }, t("print-tiles"))),
      h("div.row", {}, h("button", { onclick: () => { this.step = 1; this.show(); } }, t("back")), h("span.grow"),
        h("button.primary.big", { onclick: () => this.start() }, icon("check"), t("start"))));
  }

  option(game, option) {
    const now = this.options[option.name] ?? option.default;
    const choices = CHOICES[`${game.game}.${option.name}`];
    if (!choices) {
      return h("label.option", {}, h("input", { type: "checkbox", checked: now, onchange: (e) => { this.options[option.name] = e.target.checked; } }), h("span", {}, option.text));
    }
    const select = h("select", { "aria-label": option.text, onchange: (e) => { this.options[option.name] = JSON.parse(e.target.value); } },
      ...choices.map((value) => h("option", { value: JSON.stringify(value), selected: value === now }, t(`option-${option.name}-${value}`))));
    return h("label.option.stacked", {}, select, h("span", {}, option.text));
  }

  async start() {
    await this.begin({ game: this.chosen.game, players: this.players, names: this.names, options: this.options });
  }

  async repeat(state) {
    const names = Object.fromEntries(state.players.map((p) => [p.id, p.name]));
    await this.begin({ game: state.game, set: state.set, players: state.players.map((p) => p.id), names, options: state.options });
  }

  async begin(body) {
    const state = await attempt(() => post("/api/new", body));
    if (!state) return;
    this.live.take(state);
    this.go("/");
  }
}

const CHOICES = {
  "schlangennest.size": ["recommended", "easy", "hard", null],
  "schlangennest.border": ["grows", "fixed"],
  "schlangennest.two_snakes": ["off", "both", "one"],
  "sssnake.rolls": ["told", "trust"],
  "carnival.hands": ["trust", "ask"],
};
const word = (game, id) => game.players.find((p) => p.id === id)?.word ?? id;
const tileUrl = (game, tile) => `/api/tile.svg?game=${game.game}&tile=${encodeURIComponent(tile)}`;
function samples(game) {
  const tiles = game.tiles.map((one) => one.tile);
  const wanted = { schlangennest: ["blue/head", "red/curve", "yellow/straight"], snekagon: ["red/3/+", "green/4/0+", "red/2"],
    snekagon5g: ["blue/3/+", "yellow/4/0+", "violet/2"], sssnake: ["crossing", "curve", "double-curve"],
    carnival: ["yellow/head", "violet/corner", "gift"] }[game.game] ?? [];
  const found = wanted.filter((tile) => tiles.includes(tile));
  return (found.length ? found : tiles).slice(0, 3);
}
