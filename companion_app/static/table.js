// The table view: players with their score, the drawing, the verdict, questions, corrections.
import { Board } from "./board.js";
import { moveSheet, tileUrl } from "./correct.js";
import { HallCall } from "./hall_call.js";
import { LivePicture, veil } from "./overlay.js";
import { play, speak } from "./sound.js";
import { stockList, stockSum } from "./stock.js";
import { askSeat, codeShown, mayMove } from "./seats.js";
import { attempt, avatar, choice, choose, get, h, icon, me, post, say, score, sheet, t } from "./ui.js";
import { foulCard, lastCard, nameOf, overCard, questionCard } from "./verdict.js";

export class TableView {
  constructor(live, go, tv = false) {
    this.live = live;
    this.go = go;
    this.tv = tv;
    this.board = new Board((tile) => this.tapped(tile));
    this.board.onShown = (svg) => { this.picture.into(svg); this.showDoubts(); };
    this.picture = new LivePicture();
    this.players = h("section.players", { "aria-label": t("players") });
    this.verdict = h("section.verdict", { "aria-label": t("verdict") });
    this.tools = h("div.tools");
    this.moves = h("section.moves", { "aria-label": t("moves") });
    this.stock = h("section.stock", { "aria-label": t("stock") });
    this.source = h("div.source");
    this.seeing = h("div.seeing");
    this.note = h("p.demo-note", { hidden: true }, icon("hint"), h("span", {}, t("demo-first")),
      h("button.ghost.round", { "aria-label": t("close"), onclick: () => { choose("demo", false); this.note.hidden = true; } }, icon("cross")));
    this.frame = h("div.frame", {}, this.source, this.note, this.board.element, this.seeing, this.tools);
    this.side = h("div.side", {}, this.players, this.verdict, tv ? null : new HallCall().element, this.moves, this.stock);
    this.whole = [this.frame, this.side, ...(tv ? [this.join()] : [])];
    this.element = h(`div.table-view${tv ? ".for-tv" : ""}`, {}, ...this.whole);
    this.open = null;
    this.timer = setInterval(() => this.tick(), 1000);
    this.turnSince = Date.now();
  }

  close() { clearInterval(this.timer); this.picture.stop(); }

  update(state) {
    if (!state) return;
    if (!state.game) { this.nothing(state.trouble); return; }
    if (this.element.classList.contains("empty")) this.element.replaceChildren(...this.whole);
    this.element.classList.remove("empty");
    this.element.classList.toggle("calm", !state.foul && !state.questions?.length && !state.trouble);
    if (this.turn !== state.turn) { this.turn = state.turn; this.turnSince = Date.now(); }
    this.state = state;
    this.showBoard(state);
    this.showPlayers(state);
    this.showVerdict(state);
    this.showTools(state);
    this.showMoves(state);
    this.showStock(state);
    this.showSource(state);
    this.hints(state);
  }

  // The drawing, or the camera's picture with what was read over it.
  showBoard(state) {
    if (this.picture.on && !(hasCamera(state) && me.may.pictures)) this.picture.stop();
    this.board.show(this.picture.on ? `/api/camera.svg?v=${state.version}&lang=${state.language}`
      : `/api/table.svg?v=${state.drawing}&lang=${state.language}`);
    this.showDoubts();
  }

  showDoubts() {
    if (this.board.svg && this.state) veil(this.board.svg, this.state.covered ?? [], this.state.unsure ?? []);
  }

  nothing(trouble) {
    this.element.classList.add("empty");
    this.element.replaceChildren(...(trouble ? [h("div.card.trouble", { role: "alert" }, trouble)] : []), h("section.card.welcome", {},
      h("img", { src: "/static/icon.svg", alt: "", width: 96, height: 96 }),
      h("h1", {}, t("welcome")), h("p", {}, t("welcome-text")),
      this.tv ? this.join() : codeShown(), this.tv ? null : h("button.primary.big", { onclick: () => this.go("/new") }, icon("plus"), t("new-game"))));
  }

  join() {
    return h("div.tv-join", {}, h("img", { src: `/api/qr.svg?for=${me.join_code ? "joined" : "all"}`, alt: t("join") }), h("span", {}, t("join-short")), codeShown());
  }

  happened(event) {
    const state = this.live.state;
    if (event.event === "verdict" && event.legal) { play("legal"); this.saySoon(); }
    if (event.event === "verdict" && event.legal === false) { play("illegal"); this.saySoon(true); }
    if (event.event === "question") { play("ask"); this.saySoon(true); }
    if (event.event === "over") { play("over"); this.saySoon(); }
    if (event.event === "state" && state) this.showSeeing({ ...state, seeing: { state: event.state, text: t("seeing-" + event.state) } });
  }

  saySoon(urgent = false) {
    clearTimeout(this.saying);
    this.saying = setTimeout(() => {
      const text = this.element.querySelector(".verdict .headline")?.textContent;
      if (text) { say(text, urgent); speak(text); }
    }, 350);
  }

  // --- players -------------------------------------------------------------------------------

  showPlayers(state) {
    const key = JSON.stringify([state.players, state.over, this.open, state.language]);
    if (key === this.playersKey) return;
    this.playersKey = key;
    this.players.style.setProperty("--columns", Math.min(state.players.length, state.players.length > 4 ? 3 : 4));
    this.players.replaceChildren(...state.players.map((player) => {
      const open = this.open === player.id;
      const chip = h(`button.player${player.turn ? ".turn" : ""}${player.winner && state.over ? ".winner" : ""}`, {
        "--player": player.colour, "aria-expanded": String(open), onclick: () => this.openScore(player.id),
      }, avatar(player),
        h("span.who", {}, h("b", {}, player.name),
          (state.over ? player.winner : player.turn) ? h("small", {}, t(state.over ? "winner" : "to-move")) : null),
        h("span.points", { "aria-label": t("points-are", { n: score(player.score), count: player.score ?? 0 }) },
          player.winner && state.over ? icon("crown") : null, score(player.score)));
      return h(`div.seat${open ? ".open" : ""}`, {}, chip, open ? this.scoreLines(player) : null);
    }));
  }

  openScore(id) {
    this.open = this.open === id ? null : id;
    this.board.dark();
    this.showPlayers(this.state);
    this.players.querySelector("[aria-expanded=true]")?.focus();
  }

  scoreLines(player) {
    if (!player.lines.length) return h("p.lines.none", {}, t("no-points-yet"));
    return h("ul.lines", {}, ...player.lines.map((line) => h("li", {}, h("button.ghost", {
      onclick: () => this.board.light(line.spots, "points"),
    }, h("span", {}, (line.count > 1 ? `${line.count} × ` : "") + line.why), h("b", {}, score(line.points))))));
  }

  // --- verdicts ------------------------------------------------------------------------------

  showVerdict(state) {
    const key = JSON.stringify([state.key, state.trouble, state.foul, state.over, state.winners, state.moves.at(-1), state.turn, state.questions, state.language]);
    if (key === this.verdictKey) return;
    this.verdictKey = key;
    const cards = [];
    if (state.trouble) cards.push(h("div.card.trouble", { role: "alert" }, state.trouble));
    if (state.foul) cards.push(foulCard(state.foul, this));
    else if (state.over) cards.push(overCard(state, this));
    else if (state.moves.length) cards.push(lastCard(state.moves.at(-1), state));
    else cards.push(h("p.quiet.headline", {}, t("first-move", { player: nameOf(state, state.turn) })));
    if (state.last_round && !state.over) cards.push(h("p.quiet.last-round", {}, t(`last-round-${state.last_round}`)));
    for (const question of state.questions ?? []) cards.push(questionCard(question, state, this));
    this.verdict.replaceChildren(...cards);
  }

  async again(state) {
    const names = Object.fromEntries(state.players.map((p) => [p.id, p.name]));
    await this.act("/api/new", { game: state.game, set: state.set, players: state.players.map((p) => p.id),
      names, options: state.options });
  }

  // --- tools ---------------------------------------------------------------------------------

  showTools(state) {
    const button = (name, word, onclick, extra = {}) => h("button.tool", { title: t(word), onclick, ...extra }, icon(name), h("span", {}, t(word)));
    const on = choice("hints");
    const shown = [
      button("fit", "fit", () => this.board.fit()),
      ...(hasCamera(state) && me.may.pictures ? [this.picture.on ? button("table", "drawing-view", () => this.showCamera(false))
        : button("camera", "camera-view", () => this.showCamera(true))] : []),
      button("hint", "hints-short", () => { choose("hints", !on); this.update(this.state); }, { "aria-pressed": String(on) }),
      ...(this.tv ? [] : [
        me.host ? button("undo", "undo", () => this.act("/api/undo"), { disabled: !state.can_undo }) : null,
        me.host ? button("redo", "redo", () => this.act("/api/redo"), { disabled: !state.can_redo }) : null,
        state.over || !mayMove(state) ? null : button("pass", "pass", () => this.act("/api/tell", { pass: true })),
        state.actions.includes("finale") && !state.over && !state.last_round && mayMove(state) ? button("flag", "finale", () => this.act("/api/tell", { finale: true })) : null,
        me.host ? null : button("hand", "take-seat", () => askSeat(this.state)),
        !me.host ? null : state.over ? button("pass", "resume", () => this.act("/api/resume", { key: state.key }))
          : button("flag", "end", () => this.askEnd())].filter(Boolean))];
    this.tools.style.setProperty("--columns", shown.length > 4 ? Math.ceil(shown.length / 2) : shown.length);
    this.tools.replaceChildren(...shown);
  }

  // The camera's picture in place of the drawing, with the same places to tap and to zoom into.
  showCamera(on) {
    if (on) this.picture.start(); else this.picture.stop();
    this.board.view = this.board.home = null;
    this.showBoard(this.state);
    this.showTools(this.state);
  }

  askEnd() {
    const dialog = sheet(t("end-sure"), h("p", {}, t("end-text")), h("div.row", {},
      h("button", { onclick: () => dialog.close() }, t("cancel")), h("span.grow"),
      h("button.danger", { onclick: async () => { dialog.close(); await this.act("/api/end"); } }, t("end"))));
  }

  async act(url, body) {
    this.showingBefore = false;
    const state = await attempt(() => post(url, body));
    if (state) this.live.take(state);
  }

  async hints(state) {
    if (!choice("hints") || state.over || state.questions?.length) {
      if (this.board.litKind === "hint" || this.board.litKind === "ask") if (!state.questions?.length) this.board.dark();
      return;
    }
    const { moves } = await get("/api/moves").catch(() => ({ moves: [] }));
    if (state === this.state) this.board.light(moves.flatMap((m) => m.spots), "hint");
  }

  tick() {
    const clock = this.element.querySelector(".clock");
    if (!choice("clock") || !this.state?.turn) { clock?.remove(); return; }
    const s = Math.floor((Date.now() - this.turnSince) / 1000);
    const text = `${Math.floor(s / 60)}:${String(s % 60).padStart(2, "0")}`;
    if (clock) clock.textContent = text;
    else this.players.querySelector(".turn .who small")?.append(h("span.clock", {}, text));
  }

  showSource(state) {
    const kind = state.source.kind;
    const covered = state.tiles.filter((one) => one.spots.some((spot) => state.covered?.includes(spot))).length;
    this.note.hidden = this.tv || kind !== "demo" || !choice("demo");
    this.source.replaceChildren(h("h1", {}, state.title),
      ...(kind === "recorded" ? [h("span.badge.recorded", { title: t("recorded-why") }, t("recorded"))] : []),
      ...(kind === "demo" ? [h("span.badge.recorded", {}, t("demo"))] : []),
      ...(covered ? [h("span.badge", { title: t("covered-count", { n: covered }) }, `◐ ${t("tile-covered")}: ${covered}`)] : []));
    this.showSeeing(state);
  }

  showSeeing(state) {
    const why = state.seeing.why?.text; // said once a state has lasted: what is seen, what to do
    const quiet = (!why && ["settled", "looking"].includes(state.seeing.state)) || state.over || state.source.kind === "none";
    this.seeing.hidden = quiet;
    this.seeing.classList.toggle("amiss", Boolean(why) || AMISS.includes(state.seeing.state));
    this.seeing.replaceChildren(icon(state.seeing.state === "hand" ? "hand" : "camera"), h("span", {}, why ?? t("seeing-" + state.seeing.state)));
  }

  showMoves(state) {
    const open = this.moves.querySelector("details")?.open ?? innerWidth > 900;
    this.moves.replaceChildren(h("details", { open }, h("summary", {}, t("moves-count", { n: state.moves.length })),
      h("ol.move-list", { reversed: true }, ...state.moves.toReversed().slice(0, 200).map((move) => h(`li${move.legal ? "" : ".bad"}`, {
        value: move.n, "--player": move.colour,
      }, h("button.ghost", { onclick: () => this.openMove(move) }, h("span.bar"), h("span.n", {}, move.n), move.text,
        move.legal ? null : h("span.badge.small", {}, t(move.overruled ? "overruled" : "now-illegal"))))))));
  }

  showStock(state) {
    const key = JSON.stringify([state.key, state.stock.map((one) => one.left), state.language]);
    if (key === this.stockKey) return;
    this.stockKey = key;
    const open = this.stock.querySelector("details")?.open ?? false;
    this.stock.replaceChildren(h("details", { open }, h("summary", {}, stockSum(state)), ...stockList(state, tileUrl)));
  }

  // --- correcting ----------------------------------------------------------------------------

  tapped(tile) {
    const known = this.state.tiles.find((one) => one.spots.some((s) => tile.spots.split(" ").includes(s)));
    if (!known) return;
    this.board.light(known.spots, "points");
    const move = this.state.moves.find((m) => m.n === known.n);
    this.openMove(move, known);
  }

  openMove(move, tile = this.state.tiles.find((one) => one.n === move.n)) {
    if (move?.spots.length) this.board.light(move.spots, "points");
    const dialog = moveSheet(this.state, move, tile, (url, body) => this.act(url, body), (spots) => this.board.light(spots, "points"));
    dialog.addEventListener("close", () => { if (this.board.litKind === "points") this.board.dark(); });
  }
}

const AMISS = ["unsure", "too-dark", "camera-moved", "camera-lost"];
const hasCamera = (state) => !["none", "recorded"].includes(state.source.kind);
