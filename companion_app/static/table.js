// The table view: players with their score, the drawing, the verdict, questions, corrections.
// Nothing on it moves when something happens: what is new comes into its own place, or over the rest.
import { Board } from "./board.js";
import { moveSheet, tileUrl } from "./correct.js";
import { overCard } from "./ending.js";
import { HallCall } from "./hall_call.js";
import { ghosts } from "./hints.js";
import { ghostOn, machineCard, machineSeats, showIdeas, whoPlays } from "./machine.js";
import { mayLeave } from "./leaving.js";
import { LivePicture, veil } from "./overlay.js";
import { buzz, play, speak } from "./sound.js";
import { stockList, stockSum } from "./stock.js";
import { askSeat, codeShown, mayMove } from "./seats.js";
import {
  askSure,
  attempt,
  avatar,
  choice,
  choose,
  get,
  h,
  icon,
  me,
  ours,
  ownNames,
  post,
  say,
  score,
  sheet,
  t,
  toast,
} from "./ui.js";
import { waitingCard } from "./waiting.js";
import { foulCard, lastCard, nameOf, questionCard } from "./verdict.js";

const WIDE = matchMedia("(min-width: 56.25em)");
const UPRIGHT = matchMedia("(max-width: 599px) and (orientation: portrait)");

export class TableView {
  constructor(live, go, tv = false) {
    this.live = live;
    this.go = go;
    this.tv = tv;
    this.board = new Board((tile) => this.tapped(tile));
    this.board.onShown = (svg) => {
      this.picture.into(svg);
      this.showDoubts();
    };
    this.picture = new LivePicture();
    this.players = h("section.players", { "aria-label": t("players") });
    this.verdict = h("section.verdict", { "aria-label": t("last-move") });
    this.moment = h("section.moment", { "aria-label": t("verdict"), onfold: () => this.cover() });
    this.tools = h("div.tools");
    this.moves = h("section.moves", { "aria-label": t("moves") });
    this.stock = h("section.stock", { "aria-label": t("stock") });
    this.source = h("div.source");
    this.seeing = h("div.seeing-place");
    this.note = h(
      "p.demo-note",
      { hidden: true },
      icon("hint"),
      h("span", {}, t("demo-first")),
      h(
        "button.ghost.round",
        {
          "aria-label": t("close"),
          onclick: () => {
            choose("demo", false);
            this.note.hidden = true;
          },
        },
        icon("cross"),
      ),
    );
    this.hallCall = tv ? null : new HallCall();
    this.hall = this.hallCall?.element ?? null;
    this.frame = h(
      "div.frame",
      {},
      this.source,
      this.note,
      h("div.board-place", {}, this.board.element, this.seeing),
      this.tools,
    );
    this.element = h(`div.table-view${tv ? ".for-tv" : ""}`);
    this.arrange = () => {
      this.arranged();
      this.cover();
      if (this.state) this.showBoard(this.state);
    };
    for (const query of [WIDE, UPRIGHT]) query.addEventListener("change", this.arrange);
    this.arranged();
    this.open = null;
    this.timer = setInterval(() => this.tick(), 1000);
    this.turnSince = Date.now();
  }

  close() {
    clearInterval(this.timer);
    clearInterval(this.counting?.timer);
    this.picture.stop();
    for (const query of [WIDE, UPRIGHT]) query.removeEventListener("change", this.arrange);
  }

  // Keys go through the page as the eye does: beside the table on a wide screen, around it on a phone.
  arranged() {
    const parts = WIDE.matches
      ? [
          this.frame,
          h(
            "div.side",
            {},
            this.players,
            h("div.below", {}, this.verdict, this.moment, this.hall, this.moves, this.stock),
          ),
        ]
      : [
          h("div.first", {}, this.players, this.frame, this.verdict),
          this.moment,
          this.hall,
          this.moves,
          this.stock,
        ].filter(Boolean);
    this.whole = [
      ...(this.tv ? [this.wayBack()] : []),
      ...parts,
      ...(this.tv ? [this.join()] : []),
    ];
    if (!this.element.classList.contains("empty")) this.element.replaceChildren(...this.whole);
  }

  wayBack() {
    return h(
      "a.tv-back.round",
      {
        href: "/",
        title: t("tab-table"),
        "aria-label": t("tab-table"),
        onclick: (e) => {
          e.preventDefault();
          this.go("/");
        },
      },
      icon("back"),
    );
  }

  update(state) {
    if (!state) return;
    if (!state.game) {
      this.nothing(state.trouble);
      return;
    }
    if (this.element.classList.contains("empty")) {
      this.element.classList.remove("empty");
      this.element.replaceChildren(...this.whole);
    }
    const turned = this.turn !== state.turn;
    if (turned) {
      this.turn = state.turn;
      this.turnSince = Date.now();
    }
    this.state = state;
    this.showBoard(state);
    this.showVerdict(state);
    this.showMoment(state);
    if (!this.counting) this.showPlayers(state);
    this.showTools(state);
    this.showMoves(state);
    this.showStock(state);
    this.showSource(state);
    this.hints(state);
    if (turned && isMine(state)) buzz();
    this.due?.();
    this.due = null;
  }

  // The drawing, or the camera's picture with what was read over it.
  showBoard(state) {
    if (this.picture.on && !(hasCamera(state) && me.may.pictures)) this.picture.stop();
    const stacked = UPRIGHT.matches && !this.picture.on && state.fields > 1;
    this.board.least(stacked ? LEAST_CARD_PX : 0);
    this.board.show(
      this.picture.on
        ? `/api/camera.svg?v=${state.version}&lang=${state.language}`
        : `/api/table.svg?v=${state.drawing}&lang=${state.language}${stacked ? "&stacked=1" : ""}`,
    );
    this.showDoubts();
  }

  showDoubts() {
    if (!this.board.svg || !this.state) return;
    veil(this.board.svg, this.state.covered ?? [], this.state.unsure ?? []);
    ghostOn(this.board.svg, this.state, this.state.machine?.ghost);
    this.seeWish();
    if (this.idea && this.idea.moves !== this.state.moves.length) this.idea = null;
    ghostOn(this.board.svg, this.state, this.idea?.ghost, "idea");
  }

  // Once for each wish, and for each drawing of it: whoever looks elsewhere then is left there.
  seeWish() {
    const { svg } = this.board;
    const wish = JSON.stringify(this.state.machine?.ghost ?? []);
    if (wish === this.wish && svg === this.wishOn) return;
    this.wish = wish;
    this.wishOn = svg;
    this.board.lookAt(svg.querySelector(".ghost-of-move.wanted"));
  }

  nothing(trouble) {
    this.element.classList.add("empty");
    this.element.replaceChildren(
      ...(this.tv ? [this.wayBack()] : []),
      ...(trouble ? [h("div.card.trouble", { role: "alert" }, trouble)] : []),
      h(
        "section.card.welcome",
        {},
        h("img", { src: "/static/icon.svg", alt: "", width: 96, height: 96 }),
        h("h1", {}, t("welcome")),
        h("p", {}, t("welcome-text")),
        this.tv ? this.join() : codeShown(),
        this.tv
          ? null
          : h(
              "button.primary.big",
              { onclick: () => this.go("/new") },
              icon("plus"),
              t("new-game"),
            ),
      ),
    );
  }

  join() {
    return h(
      "div.tv-join",
      {},
      h("img", { src: `/api/qr.svg?for=${me.join_code ? "joined" : "all"}`, alt: t("join") }),
      h("span", {}, t("join-short")),
      codeShown(),
    );
  }

  // What is to be said waits for the state that shows it.
  happened(event) {
    const state = this.live.state;
    if (event.event === "verdict" && event.legal) {
      play("legal");
      this.due = () => this.saySoon();
    }
    if (event.event === "verdict" && event.legal === false) {
      play("illegal");
      this.due = () => this.saySoon(true);
    }
    if (event.event === "question") {
      play("ask");
      this.due = () => this.saySoon(true);
    }
    if (event.event === "machine" && event.belongs) {
      play("ask");
      this.due = () => this.sayWanted();
    }
    if (event.event === "over") {
      play("over");
      this.due = () => this.saySoon();
    }
    if (event.event === "settings") this.hallCall?.update();
    if (event.event === "state" && state)
      this.showSeeing({
        ...state,
        seeing: { state: event.state, text: t("seeing-" + event.state) },
      });
  }

  saySoon(urgent = false) {
    clearTimeout(this.saying);
    this.saying = setTimeout(() => {
      const where = this.moment.firstChild ? this.moment : this.verdict;
      const shown = [...where.querySelectorAll(".headline, .foul .why")];
      const words = (some) => some.map((one) => one.textContent).join(". ");
      const heard = words(
        this.live.state?.machine?.muted
          ? shown.filter((one) => !one.closest(".card.machine"))
          : shown,
      );
      if (shown.length) say(words(shown), urgent);
      if (heard) speak(heard);
    }, 350);
  }

  // What the machine wants is said by phones that speak, unless people have muted it.
  sayWanted() {
    clearTimeout(this.saying);
    this.saying = setTimeout(() => {
      const wanted = this.live.state?.machine;
      if (!wanted?.words) return;
      say(wanted.words);
      if (!wanted.muted) speak(wanted.words);
    }, 350);
  }

  showIdea(idea) {
    this.idea = { ghost: idea.ghost, moves: this.state.moves.length };
    this.showDoubts();
    toast(idea.text);
  }

  // --- players -------------------------------------------------------------------------------

  showPlayers(state) {
    const key = JSON.stringify([state.players, state.over, this.open, state.language, me.host]);
    if (key === this.playersKey) return;
    this.playersKey = key;
    this.players.style.setProperty(
      "--columns",
      Math.min(state.players.length, state.players.length > 4 ? 3 : 4),
    );
    this.players.replaceChildren(
      ...state.players.map((player) => {
        const open = this.open === player.id;
        const chip = h(
          `button.player${player.turn ? ".turn" : ""}${player.winner && state.over ? ".winner" : ""}`,
          {
            "--player": player.colour,
            "aria-expanded": String(open),
            onclick: () => this.openScore(player.id),
          },
          avatar(player),
          h(
            "span.who",
            {},
            h("b", {}, player.name),
            (state.over ? player.winner : player.turn)
              ? h("small", {}, t(state.over ? "winner" : "to-move"))
              : null,
          ),
          h(
            "span.points",
            { "aria-label": t("points-are", { n: score(player.score), count: player.score ?? 0 }) },
            player.winner && state.over ? icon("crown") : null,
            score(player.score),
          ),
        );
        return h(
          `div.seat${open ? ".open" : ""}`,
          {},
          chip,
          open ? this.scoreLines(player) : null,
          open ? ours(state) : null,
          open && me.host && !state.over && !this.tv
            ? whoPlays(player.name, player.machine, (level) =>
                this.act("/api/machine/seat", { player: player.id, level }),
              )
            : null,
        );
      }),
    );
  }

  openScore(id) {
    this.open = this.open === id ? null : id;
    this.board.dark();
    this.showPlayers(this.state);
    this.players.querySelector("[aria-expanded=true]")?.focus();
  }

  scoreLines(player) {
    if (!player.lines.length) return h("p.lines.none", {}, t("no-points-yet"));
    return h(
      "ul.lines",
      {},
      ...player.lines.map((line) =>
        h(
          "li",
          {},
          h(
            "button.ghost",
            {
              onclick: () => this.board.light(line.spots, "points"),
            },
            h("span", {}, (line.count > 1 ? `${line.count} × ` : "") + line.why),
            h("b", {}, score(line.points)),
          ),
        ),
      ),
    );
  }

  // While the score is counted the players have what was counted so far.
  showSums(sums) {
    this.playersKey = "";
    this.showPlayers(
      sums
        ? {
            ...this.state,
            over: false,
            players: this.state.players.map((p) => ({ ...p, score: sums[p.id] })),
          }
        : this.state,
    );
  }

  // --- verdicts ------------------------------------------------------------------------------

  showVerdict(state) {
    const mine = isMine(state);
    const thinks = Boolean(state.machine?.thinking);
    const key = JSON.stringify([
      state.key,
      state.moves.at(-1),
      state.turn,
      state.last_round,
      state.over,
      mine,
      thinks,
      state.language,
    ]);
    if (key === this.verdictKey) return;
    this.verdictKey = key;
    const last = state.moves.at(-1);
    if (mine)
      this.verdict.replaceChildren(
        h(
          "div.last.mine",
          {},
          h("span.mark", {}, icon("hand")),
          h(
            "div",
            {},
            h("p.headline", {}, t("your-turn", { player: nameOf(state, state.turn) })),
            h("small", {}, last?.text ?? ""),
          ),
        ),
      );
    else if (thinks) this.verdict.replaceChildren(h("p.quiet.headline", {}, state.machine.words));
    else
      this.verdict.replaceChildren(
        last
          ? lastCard(last, state)
          : h("p.quiet.headline", {}, t("first-move", { player: nameOf(state, state.turn) })),
      );
  }

  // A foul, a question or the end comes over the page, so that nothing on it is pushed away.
  showMoment(state) {
    const key = JSON.stringify([
      state.key,
      state.trouble,
      state.paused,
      state.foul,
      state.over,
      state.winners,
      state.over && state.scores,
      state.questions,
      state.machine,
      state.source.waits,
      state.language,
      me.host,
      me.seats,
    ]);
    if (key === this.momentKey) return;
    this.momentKey = key;
    if (this.board.litKind === "ask" || this.counting) this.board.dark();
    clearInterval(this.counting?.timer);
    this.counting = null;
    const cards = [];
    if (state.trouble) cards.push(h("div.card.trouble", { role: "alert" }, state.trouble));
    if (state.paused && !state.over) cards.push(this.pauseCard());
    if (state.foul) cards.push(foulCard(state.foul, this));
    else if (state.over) cards.push(overCard(state, this));
    else if (state.source.waits) cards.push(waitingCard(state, this));
    const wanted = state.foul ? null : machineCard(state, this);
    if (wanted) cards.push(wanted);
    for (const question of state.questions ?? []) cards.push(questionCard(question, state, this));
    this.moment.replaceChildren(...cards);
    this.cover();
  }

  // A foul takes the whole of a phone's screen; what lies behind it is out of reach of keys meanwhile.
  cover() {
    const full =
      !this.tv && !WIDE.matches && Boolean(this.moment.querySelector(".foul:not(.folded)"));
    this.moment.classList.toggle("full", full);
    for (const part of [this.players, this.frame, this.verdict, this.moves, this.stock])
      part.inert = full;
  }

  pauseCard() {
    return h(
      "div.card.paused",
      {},
      h("p.headline", {}, icon("pause"), " ", t("paused")),
      me.host
        ? h(
            "button.primary",
            { onclick: () => this.act("/api/pause", { on: false }) },
            icon("play"),
            t("go-on"),
          )
        : null,
    );
  }

  count(counting) {
    this.counting = counting;
    this.moment.replaceChildren(counting.element);
    counting.element.querySelector("button")?.focus();
  }

  counted() {
    this.counting = null;
    this.moment.replaceChildren(overCard(this.state, this, true));
  }

  async again(state) {
    if (!(await mayLeave(this.live))) return;
    await this.act("/api/new", {
      game: state.game,
      set: state.set,
      players: state.players.map((p) => p.id),
      names: ownNames(state.players),
      options: state.options,
      machine: machineSeats(state.players),
    });
  }

  // --- tools ---------------------------------------------------------------------------------

  showTools(state) {
    const button = (name, word, onclick, extra = {}) =>
      h("button.tool", { title: t(word), onclick, ...extra }, icon(name), h("span", {}, t(word)));
    const on = choice("hints");
    const sits = me.host || (me.may_answer && me.seats.length > 0);
    const key = JSON.stringify([
      on,
      choice("sound"),
      choice("voice"),
      state.can_undo,
      state.can_redo,
      state.over,
      state.last_round,
      state.turn,
      state.paused,
      state.can_pause,
      state.source.kind,
      state.machine?.move,
      state.language,
      this.picture.on,
      me,
    ]);
    if (key === this.toolsKey) return;
    this.toolsKey = key;
    // What cannot be done right now stays where it is, greyed: buttons do not change places under a finger.
    this.looked ||= hasCamera(state) && me.may.pictures;
    this.pausable ||= state.can_pause;
    const shown = [
      button("fit", "fit", () => this.board.fit()),
      ...(this.looked
        ? [
            this.picture.on
              ? button("table", "drawing-view", () => this.showCamera(false))
              : button("camera", "camera-view", () => this.showCamera(true), {
                  disabled: !(hasCamera(state) && me.may.pictures),
                }),
          ]
        : []),
      button(
        "hint",
        "hints-short",
        () => {
          choose("hints", !on);
          this.update(this.state);
        },
        { "aria-pressed": String(on), disabled: me.help_off },
      ),
      ...(this.tv
        ? []
        : [
            button("sound", "sound-short", () => this.askSound(), {
              "aria-pressed": String(choice("sound") || choice("voice")),
            }),
            me.ideas && !me.help_off && sits
              ? button("ask", "ideas", () => showIdeas(this.state, this), {
                  disabled: state.over || Boolean(state.machine?.move) || !mayMove(state),
                })
              : null,
            me.host
              ? button("undo", "undo", () => this.act("/api/undo"), { disabled: !state.can_undo })
              : null,
            me.host
              ? button("redo", "redo", () => this.act("/api/redo"), { disabled: !state.can_redo })
              : null,
            sits
              ? button("pass", "pass", () => this.act("/api/tell", { pass: true }), {
                  disabled: state.over || !mayMove(state),
                })
              : null,
            sits && state.actions.includes("finale")
              ? button("flag", "finale", () => this.act("/api/tell", { finale: true }), {
                  disabled: state.over || Boolean(state.last_round) || !mayMove(state),
                })
              : null,
            me.host
              ? null
              : button("hand", me.seats.length ? "my-seats" : "take-seat", () =>
                  askSeat(this.state),
                ),
            me.host && this.pausable
              ? button("pause", "pause", () => this.act("/api/pause", { on: true }), {
                  disabled: state.over || state.paused || !state.can_pause,
                })
              : null,
            !me.host
              ? null
              : state.over
                ? button("play", "resume", () => this.act("/api/resume", { key: state.key }))
                : button("crown", "end", () => this.askEnd()),
          ].filter(Boolean)),
    ];
    this.tools.style.setProperty(
      "--columns",
      shown.length > 4 ? Math.ceil(shown.length / 2) : shown.length,
    );
    const held = [...this.tools.children].indexOf(document.activeElement);
    this.tools.replaceChildren(...shown);
    if (held >= 0) this.tools.children[held]?.focus();
  }

  // The camera's picture in place of the drawing, with the same places to tap and to zoom into.
  showCamera(on) {
    if (on) this.picture.start();
    else this.picture.stop();
    this.board.view = this.board.home = null;
    this.showBoard(this.state);
    this.showTools(this.state);
  }

  // Both begin with a tap, as browsers want it; what was chosen is heard at once.
  askSound() {
    const option = (name, word, heard) =>
      h(
        "label.option",
        {},
        h("input", {
          type: "checkbox",
          checked: choice(name),
          onchange: (e) => {
            choose(name, e.target.checked);
            if (e.target.checked) heard();
            this.showTools(this.state);
          },
        }),
        h("span", {}, t(word)),
      );
    sheet(
      t("sound-short"),
      h("p.quiet", {}, t("sound-text")),
      option("sound", "sound", () => play("legal")),
      "speechSynthesis" in window
        ? option("voice", "voice", () =>
            speak(this.verdict.querySelector(".headline")?.textContent ?? t("voice")),
          )
        : null,
    );
  }

  askEnd() {
    askSure(t("end-sure"), t("end-text"), t("end"), () => this.act("/api/end"));
  }

  async act(url, body) {
    const before = body?.correct ? this.state.moves[body.correct - 1] : null;
    const state = await attempt(() => post(url, body));
    if (!state) return;
    this.live.take(state);
    const after = before ? state.moves[body.correct - 1] : null;
    if (after)
      toast(
        after.text === before.text
          ? t("changed-place", { tile: after.text })
          : t("changed-to", { before: before.text, after: after.text }),
        "",
        t("undo"),
        () => this.putBack(state, body.correct, before.move),
      );
  }

  // Undoes a correction; one that more moves came after is corrected back, so that these stay.
  putBack({ key, moves }, correct, move) {
    if (this.state.key !== key) return;
    if (JSON.stringify(this.state.moves) === JSON.stringify(moves)) this.act("/api/undo");
    else this.act("/api/tell", { correct, move });
  }

  // How many moves that are is counted now: the camera may have seen more since somebody asked.
  backBefore(key, n) {
    const { moves } = this.state;
    if (this.state.key === key && moves.length >= n)
      this.act("/api/undo", { count: moves.length - n + 1 });
  }

  async hints(state) {
    const wanted =
      choice("hints") && !me.help_off && !state.over && !state.questions?.length && !state.foul;
    if (!wanted) {
      ghosts(this.board, state, []);
      return;
    }
    const { moves } = await get("/api/moves").catch(() => ({ moves: [] }));
    if (state === this.state) ghosts(this.board, state, moves);
  }

  tick() {
    const clock = this.element.querySelector(".clock");
    if (!choice("clock") || !this.state?.turn) {
      clock?.remove();
      return;
    }
    const s = Math.floor((Date.now() - this.turnSince) / 1000);
    const text = `${Math.floor(s / 60)}:${String(s % 60).padStart(2, "0")}`;
    if (clock) clock.textContent = text;
    else this.players.querySelector(".turn .who small")?.append(h("span.clock", {}, text));
  }

  showSource(state) {
    const kind = state.source.kind;
    const covered = state.tiles.filter((one) =>
      one.spots.some((spot) => state.covered?.includes(spot)),
    ).length;
    // Between two rounds of the demo nothing looks at the table for a moment.
    const demo = kind === "demo" || (kind === "none" && !this.note.hidden);
    this.note.hidden = this.tv || !demo || state.source.by_people || !choice("demo");
    this.source.replaceChildren(
      h("h1", {}, state.title),
      ...(kind === "demo" ? [h("span.badge.demo", {}, t("demo"))] : []),
      ...(covered
        ? [
            h(
              "span.badge",
              { title: t("covered-count", { n: covered }) },
              `◐ ${t("tile-covered")}: ${covered}`,
            ),
          ]
        : []),
    );
    this.showSeeing(state);
  }

  showSeeing(state) {
    const why = state.seeing.why?.text; // said once a state has lasted: what is seen, what to do
    const quiet =
      (!why && ["settled", "looking"].includes(state.seeing.state)) ||
      state.over ||
      state.source.kind === "none";
    const amiss = why || AMISS.includes(state.seeing.state) ? ".amiss" : "";
    this.seeing.replaceChildren(
      ...(quiet
        ? []
        : [
            h(
              `div.seeing${amiss}`,
              {},
              icon(state.seeing.state === "hand" ? "hand" : "camera"),
              h("span", {}, why ?? t("seeing-" + state.seeing.state)),
            ),
          ]),
    );
  }

  showMoves(state) {
    const open = this.moves.querySelector("details")?.open ?? innerWidth > 900;
    this.moves.replaceChildren(
      h(
        "details",
        { open },
        h("summary", {}, t("moves-count", { n: state.moves.length })),
        h(
          "ol.move-list",
          { reversed: true },
          ...state.moves
            .toReversed()
            .slice(0, 200)
            .map((move) =>
              h(
                `li${move.legal ? "" : ".bad"}`,
                {
                  value: move.n,
                  "--player": move.colour,
                },
                h(
                  "button.ghost",
                  { onclick: () => this.openMove(move) },
                  h("span.bar"),
                  h("span.n", {}, move.n),
                  move.text,
                  move.legal
                    ? null
                    : h("span.badge.small", {}, t(move.overruled ? "overruled" : "now-illegal")),
                ),
              ),
            ),
        ),
      ),
    );
  }

  showStock(state) {
    const key = JSON.stringify([state.key, state.stock.map((one) => one.left), state.language]);
    if (key === this.stockKey) return;
    this.stockKey = key;
    const open = this.stock.querySelector("details")?.open ?? false;
    this.stock.replaceChildren(
      h("details", { open }, h("summary", {}, stockSum(state)), ...stockList(state, tileUrl)),
    );
  }

  // --- correcting ----------------------------------------------------------------------------

  tapped(tile) {
    const known = this.state.tiles.find((one) =>
      one.spots.some((s) => tile.spots.split(" ").includes(s)),
    );
    if (!known) return;
    this.board.light(known.spots, "points");
    const move = this.state.moves.find((m) => m.n === known.n);
    this.openMove(move, known);
  }

  openMove(move, tile = this.state.tiles.find((one) => one.n === move.n)) {
    if (move?.spots.length) this.board.light(move.spots, "points");
    const dialog = moveSheet(this, move, tile);
    dialog.addEventListener("close", () => {
      if (this.board.litKind === "points") this.board.dark();
    });
  }
}

const LEAST_CARD_PX = 32;
const AMISS = ["unsure", "too-dark", "camera-moved", "camera-lost"];
const hasCamera = (state) => !["none", "recorded"].includes(state.source.kind);
const isMine = (state) =>
  !state.over && me.seats.includes(state.turn) && me.seats.length < state.players.length;
