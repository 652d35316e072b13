// A new game, step by step: camera, game, players and seats, options in words, start.
// The second time: one tap.
import {
  askPin,
  attempt,
  filling,
  get,
  guideLink,
  h,
  icon,
  me,
  ownNames,
  post,
  sheet,
  t,
} from "./ui.js";
import { mayLeave } from "./leaving.js";
import { CameraStep } from "./wizard_camera.js";
import { machineSeats } from "./machine.js";
import { isMachine, seatList, seatRing } from "./wizard_seats.js";
import { known, knownNames, peopleChips } from "./wizard_people.js";
import { optionList } from "./wizard_options.js";
import { takeUp } from "./wizard_table.js";

const CAMERA = 0,
  GAME = 1,
  PLAYERS = 2,
  READY = 3;

export class SetupView {
  constructor(live, go) {
    this.live = live;
    this.go = go;
    this.element = h(
      "div.page.setup",
      {},
      h("h1", {}, t("new-game")),
      h("p.loading", { role: "status" }, t("loading")),
    );
    this.stays = true;
    this.step = live.state?.game ? GAME : CAMERA;
    this.chosen = null;
    this.names = {};
    this.players = [];
    this.options = {};
    this.machine = {};
    this.same = h("div.same");
    this.load();
  }

  // What somebody is in the middle of is not begun anew.
  async load() {
    if (this.games) return;
    const answers = await filling(this, () => Promise.all([get("/api/games"), get("/api/me")]));
    if (!answers || this.games) return;
    this.games = answers[0].games;
    this.remember();
    this.camera = answers[1].camera;
    if (!this.camera && this.step === CAMERA) this.step = GAME;
    // A box that was just taught is played at once.
    const set = new URLSearchParams(location.search).get("set");
    const game = this.games.find((one) => one.sets.some((own) => own.set === set));
    if (game) this.pick(game, set);
    else this.show();
  }

  // Who played the last time, and what: it may be played again, and the people are known.
  async remember() {
    const { games } = await get("/api/history").catch(() => ({ games: [] }));
    this.past = games.filter((game) => !game.demo);
    this.showSame();
    const written = [...this.element.querySelectorAll(".seats .name")].some(
      (field) => field.value || field === document.activeElement,
    );
    if (this.step === PLAYERS && !written) {
      this.seat(this.chosen);
      this.show();
    }
  }

  // The game that can be played once more is the one that was on last.
  update() {
    if (this.games) this.showSame();
  }

  showSame() {
    const { state } = this.live;
    const last = state?.game && state.source.by_people ? state : (this.past?.[0] ?? null);
    if (last?.key === this.last?.key && this.same.firstChild) return;
    this.last = last;
    this.same.replaceChildren(
      last
        ? h(
            "button.card.again",
            { onclick: () => this.repeat(last) },
            icon("redo"),
            h(
              "span",
              {},
              h("b", {}, t("play-again")),
              h("small", {}, `${last.title} · ${last.players.map((p) => p.name).join(", ")}`),
            ),
          )
        : "",
    );
  }

  close() {
    this.cameraStep?.close();
  }

  show() {
    this.cameraStep?.close();
    this.cameraStep = null;
    const words = ["step-camera", "step-game", "step-players", "step-ready"];
    const bar = h(
      "ol.steps",
      {},
      ...words.map((word, n) => this.stepMark(t(word), n)).slice(this.camera ? 0 : 1),
    );
    this.element.replaceChildren(
      h("h1", {}, t("new-game")),
      bar,
      this.step === GAME && !me.host ? this.hostFirst() : "",
      this.step > GAME ? "" : this.same,
      [
        () => this.seeStep(),
        () => this.gameStep(),
        () => this.playerStep(),
        () => this.readyStep(),
      ][this.step](),
    );
  }

  stepMark(word, n) {
    const done = n < this.step;
    const mark = [
      h("span.n", {}, done ? icon("check") : n + (this.camera ? 1 : 0)),
      h("span", {}, word),
    ];
    return h(
      "li",
      { "aria-current": n === this.step ? "step" : null, class: done ? "done" : null },
      done
        ? h("button.ghost", { onclick: () => this.to(n) }, ...mark)
        : h("span.here", {}, ...mark),
    );
  }

  to(step) {
    this.step = step;
    this.show();
    scrollTo(0, 0);
  }

  seeStep() {
    this.cameraStep = new CameraStep(() => this.to(GAME), this.go);
    return this.cameraStep.element;
  }

  // Whoever is no host learns it before choosing, not after the last step.
  hostFirst() {
    const line = h(
      "div.card.host-first",
      {},
      h("p", {}, t("host-first")),
      h(
        "button",
        {
          onclick: askPin,
        },
        icon("key"),
        t("be-host"),
      ),
    );
    document.addEventListener("host", () => line.remove(), { once: true });
    return line;
  }

  // --- game ------------------------------------------------------------------------------------

  gameStep() {
    return h(
      "div",
      {},
      h(
        "div.game-grid",
        {},
        ...this.games.map((game) =>
          h(
            "button.card.game-card",
            { onclick: () => this.pick(game) },
            h(
              "span.faces",
              {},
              ...samples(game).map((tile) =>
                h("img", { src: tileUrl(game, tile), alt: "", loading: "lazy" }),
              ),
            ),
            h("b", {}, game.title),
            h("small", {}, game.about),
            h(
              "small.count",
              {},
              game.fewest === game.most
                ? t("players-exactly", { n: game.most })
                : t("players-range", { a: game.fewest, b: game.most }),
            ),
          ),
        ),
      ),
    );
  }

  pick(game, set = game.sets[0].set) {
    this.chosen = game;
    this.set = set;
    this.options = {};
    this.seat(game);
    this.to(PLAYERS);
  }

  // People sit as the last time; the seats of the machine are free, and chosen anew.
  seat(game) {
    const before = this.past?.find((one) => one.game === game.game)?.players;
    const blank = game.players.length ? [...game.at_first] : Array(game.fewest).fill("");
    this.players = before?.map((p) => (isMachine(p.id) ? "" : p.id)) ?? blank;
    this.machine = {};
    this.reordered = false;
    const named = before ?? this.past?.find((one) => one.players.some((p) => p.word))?.players;
    this.names = ownNames((named ?? []).filter((p) => p.word && !isMachine(p.name)));
  }

  // --- players ---------------------------------------------------------------------------------

  playerStep() {
    const game = this.chosen;
    const people = known(this.past, game);
    return h(
      "div.card",
      {},
      h("p", {}, t(game.players.length ? "who-plays-colours" : "who-plays-names")),
      peopleChips(game, this, people, () => this.show()),
      seatList(game, this, () => this.show()),
      knownNames(people),
      this.boxes(game),
      this.buttons(
        GAME,
        h(
          "button.primary.big",
          {
            onclick: () => {
              if (this.read()) this.to(READY);
            },
          },
          t("next"),
        ),
      ),
    );
  }

  // The tiles printed here, a box that was taught, or one from a shop that is taught first.
  boxes(game) {
    const box = (set, title, chosen, onclick) =>
      h("button", { "data-set": set, "aria-pressed": String(chosen), onclick }, title);
    const choices = h(
      "div.row.wrap",
      {},
      ...game.sets.map((one, n) =>
        box(one.set, n ? one.title : t("tiles-printed"), one.set === this.set, () => {
          this.set = one.set;
          for (const other of choices.children)
            other.setAttribute("aria-pressed", String(other.dataset.set === one.set));
        }),
      ),
      box("", t("tiles-bought"), false, () => this.bought()),
    );
    return h(
      "div.field.boxes",
      { role: "group", "aria-label": t("which-tiles") },
      h("span", {}, t("which-tiles")),
      choices,
    );
  }

  bought() {
    const dialog = sheet(
      t("tiles-bought"),
      h("p", {}, t("tiles-bought-text")),
      guideLink("own-boxes"),
      h(
        "div.row.wrap",
        {},
        h("button", { onclick: () => dialog.close() }, t("cancel")),
        h("span.grow"),
        h(
          "button.primary",
          {
            onclick: () => {
              dialog.close();
              this.go("/teach");
            },
          },
          t("teach-title"),
        ),
      ),
    );
  }

  buttons(back, next) {
    return h(
      "div.row.on-bar",
      {},
      h("button", { onclick: () => this.to(back) }, t("back")),
      h("span.grow"),
      next,
    );
  }

  read() {
    const game = this.chosen;
    const nameless = (n) =>
      game.players.length || n >= game.fewest ? "" : t("player-n", { n: n + 1 });
    const list = Array.from(
      { length: Math.max(this.players.length, game.fewest) },
      (_, n) => (this.players[n] ?? "").trim() || nameless(n),
    ).filter(Boolean);
    const wrong = wrongPlayers(game, list);
    if (wrong) {
      attempt(() => {
        throw new Error(wrong);
      });
      return false;
    }
    this.players = list;
    return true;
  }

  // --- ready -----------------------------------------------------------------------------------

  readyStep() {
    const game = this.chosen;
    const options = optionList(game, this);
    return h(
      "div.card",
      {},
      h("h2", {}, game.title),
      h("div.ring-place", {}, seatRing(game, this.players, this.names)),
      options.length ? h("details.options", {}, h("summary", {}, t("options")), ...options) : null,
      h(
        "p.hint-line",
        {},
        icon("hint"),
        h(
          "a",
          {
            href: `/rules?game=${game.game}`,
            onclick: (e) => {
              e.preventDefault();
              history.pushState(null, "", `/rules?game=${game.game}`);
              this.go("/rules", false);
            },
          },
          t("how-to-play"),
        ),
      ),
      h(
        "p.hint-line",
        {},
        icon("print"),
        h(
          "button.ghost",
          {
            onclick: () =>
              attempt(async () => (await import("./print.js")).showPrints(game, this.set)),
          },
          t("print-tiles"),
        ),
      ),
      this.camera
        ? h(
            "div.looks",
            {},
            h("button", { onclick: () => this.takeUp() }, icon("table"), t("take-up")),
          )
        : null,
      this.buttons(
        PLAYERS,
        h(
          "button.primary.big",
          { onclick: () => this.begin(this.wanted()) },
          icon("check"),
          t("start"),
        ),
      ),
    );
  }

  takeUp() {
    const { names, machine, ...wanted } = this.wanted();
    takeUp(
      wanted,
      (id) => names[id] || word(this.chosen, id),
      (body) => this.begin({ ...body, names, machine }),
    );
  }

  wanted() {
    return {
      game: this.chosen.game,
      set: this.set,
      players: this.players,
      names: this.names,
      options: this.options,
      machine: Object.fromEntries(
        Object.entries(this.machine).filter(([id]) => this.players.includes(id)),
      ),
    };
  }

  async repeat(last) {
    const kept = () => get(`/api/games/${last.key}`);
    const state = last.options ? last : await attempt(kept);
    if (!state) return;
    await this.begin({
      game: state.game,
      set: state.set,
      players: state.players.map((p) => p.id),
      names: ownNames(state.players),
      options: state.options,
      machine: machineSeats(state.players),
    });
  }

  async begin(body) {
    if (!(await mayLeave(this.live))) return;
    const state = await attempt(() => post("/api/new", body));
    if (!state) return;
    this.live.take(state);
    this.go("/");
  }
}

export const word = (game, id) => game.players.find((p) => p.id === id)?.word ?? id;
const tileUrl = (game, tile) => `/api/tile.svg?game=${game.game}&tile=${encodeURIComponent(tile)}`;
function samples(game) {
  const tiles = game.tiles.map((one) => one.tile);
  const wanted =
    {
      schlangennest: ["blue/head", "red/curve", "yellow/straight"],
      snekagon: ["red/3/+", "green/4/0+", "red/2"],
      snekagon5g: ["blue/3/+", "yellow/4/0+", "violet/2"],
      sssnake: ["crossing", "curve", "double-curve"],
      carnival: ["yellow/head", "violet/corner", "gift"],
    }[game.game] ?? [];
  const found = wanted.filter((tile) => tiles.includes(tile));
  return (found.length ? found : tiles).slice(0, 3);
}

// Why these players cannot play the game, if they cannot.
function wrongPlayers(game, list) {
  if (list.length < game.fewest || list.length > game.most || new Set(list).size < list.length)
    return game.fewest === game.most
      ? t("players-wrong-exactly", { n: game.most })
      : t("players-wrong", { a: game.fewest, b: game.most });
  const seats = list.map((id) => game.players.findIndex((p) => p.id === id));
  const opposite = Math.abs(seats[0] - seats[1]) === 2;
  return game.two_sit_opposite && list.length === 2 && !opposite ? t("players-opposite") : "";
}
