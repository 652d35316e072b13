// The hall: every table small, one large with its replay, the television, the overlay, the arbiter.
import { Board } from "./board.js";
import {
  attempt,
  avatar,
  choice,
  choose,
  get,
  h,
  icon,
  loadMe,
  loadWords,
  me,
  post,
  reached,
  score,
  t,
  toast,
  when,
} from "./ui.js";
import { ArbiterView } from "./hall_arbiter.js";
import { DirectorView } from "./hall_director.js";
import { MyView, TournamentView, TournamentsView } from "./hall_tournament.js";

const main = document.getElementById("main");
const EVERY_PAGE_MS = 12000;
const SILENCE_MS = 25000;
let view = null;

export function playerName(player) {
  if (player.name) return player.name;
  if (!player.coloured) return player.id;
  const word = t(`colour-${player.id}`);
  return word[0].toUpperCase() + word.slice(1);
}

// One stream of the server; begins anew after sleep and silence.
export class Line {
  constructor(url, names, onRead) {
    this.url = url;
    this.names = names;
    this.onRead = onRead;
    this.timer = setInterval(() => {
      if (Date.now() - this.heard > SILENCE_MS && !document.hidden) this.open();
    }, 5000);
    this.seen = () => {
      if (!document.hidden) this.open();
    };
    document.addEventListener("visibilitychange", this.seen);
    this.open();
  }

  open() {
    this.source?.close();
    this.heard = Date.now();
    const source = (this.source = new EventSource(this.url()));
    source.onopen = () => {
      this.heard = Date.now();
      mark(true);
    };
    source.onerror = () => {
      mark(false);
      if (source.readyState === EventSource.CLOSED)
        setTimeout(() => {
          if (source === this.source) this.open();
        }, 2000);
    };
    source.addEventListener("beat", () => {
      this.heard = Date.now();
    });
    for (const name of this.names) {
      source.addEventListener(name, (e) => {
        this.heard = Date.now();
        this.onRead(JSON.parse(e.data), e.lastEventId);
      });
    }
  }

  close() {
    this.source?.close();
    this.source = null;
    clearInterval(this.timer);
    document.removeEventListener("visibilitychange", this.seen);
  }
}

function mark(on) {
  document.getElementById("line")?.setAttribute("data-live", on ? "yes" : "no");
}

export function badges(table) {
  const made = [];
  if (table.calls?.includes("hand") || table.hand)
    made.push(h("span.badge.red", {}, icon("hand"), t("hall-hand")));
  if (table.foul) made.push(h("span.badge.red", {}, icon("flag"), t("hall-foul")));
  if (table.calls?.includes("camera"))
    made.push(h("span.badge.amber", {}, icon("camera"), t("hall-camera")));
  if (table.calls?.includes("question"))
    made.push(h("span.badge.amber", {}, icon("ask"), t("hall-question")));
  if (table.update)
    made.push(h("span.badge.amber", {}, t("hall-update", { when: heardOf(table) })));
  else if (table.away) made.push(h("span.badge.amber", {}, t("hall-away")));
  if (table.over) made.push(h("span.badge", {}, icon("crown"), t("hall-over")));
  return made;
}

const heardOf = ({ heard_s: at }) => (at ? when(at) : "–");

function scores(table) {
  return h(
    "ul",
    {},
    (table.players ?? []).map((player) =>
      h(
        `li${player.turn ? ".turn" : ""}${player.winner && table.over ? ".winner" : ""}`,
        {},
        avatar({ ...player, name: playerName(player) }),
        h("span.name", {}, playerName(player)),
        h("b", {}, score(player.score)),
      ),
    ),
  );
}

class Small {
  constructor(table) {
    this.image = h("img", { alt: "", loading: "lazy" });
    this.element = h("li.hall-table");
    this.update(table);
  }

  update(table) {
    this.table = table;
    const drawing = table.drawing
      ? `/api/hall/tables/${table.id}/table.svg?v=${table.drawing}`
      : "";
    if (drawing && this.image.getAttribute("src") !== drawing)
      this.image.setAttribute("src", drawing);
    this.element.className = `hall-table${table.calls?.length ? " calls" : ""}${table.away ? " away" : ""}`;
    this.element.replaceChildren(
      h(
        "a",
        { href: `/table/${table.id}`, onclick: (e) => follow(e, `/table/${table.id}`) },
        h(
          "header",
          {},
          h("b", {}, table.name),
          h("small", {}, table.title ?? ""),
          ...badges(table),
        ),
        h(
          "div.small",
          {},
          table.broken
            ? h("small", {}, t("hall-broken"))
            : drawing
              ? this.image
              : h("small", {}, t("hall-no-game")),
        ),
        scores(table),
      ),
    );
  }

  has(words, friends) {
    const names = [this.table.name, ...(this.table.players ?? []).map(playerName)].map((name) =>
      name.toLowerCase(),
    );
    const found = words.every((word) => names.some((name) => name.includes(word)));
    return found && (!friends || names.some((name) => friends.includes(name)));
  }
}

// All tables; what changed is put in its place, the rest stays as it is.
class AllView {
  constructor(tv) {
    this.tv = tv;
    this.cards = new Map();
    this.list = h("ul.hall-tables");
    this.count = h("small", { role: "status" });
    this.field = h("input", {
      type: "search",
      "aria-label": t("hall-search"),
      placeholder: t("hall-search"),
      value: new URLSearchParams(location.search).get("q") ?? "",
      oninput: () => this.filter(),
    });
    this.only = h("input", { type: "checkbox", checked: false, onchange: () => this.filter() });
    this.element = h(
      "section.hall",
      {},
      h(
        "div.hall-search",
        {},
        this.field,
        h("label.row", {}, this.only, t("hall-friends-only")),
        this.count,
      ),
      this.list,
    );
    this.page = 0;
    this.start();
  }

  async start() {
    const whole = await reached(
      () => get("/api/hall"),
      () => this.element.isConnected,
    ).catch(() => null);
    if (!whole || !this.element.isConnected) return;
    this.serial = whole.serial;
    for (const table of whole.tables) this.put(table);
    this.sort();
    this.line = new Line(
      () => `/api/hall/events?since=${this.serial}`,
      ["tables"],
      (news, id) => this.take(news, id),
    );
    if (this.tv)
      this.turning = setInterval(() => {
        this.page += 1;
        this.filter();
      }, EVERY_PAGE_MS);
  }

  take(news, id) {
    this.serial = Number(id);
    const before = [...this.cards.keys()].join();
    for (const table of news.tables) this.put(table);
    if ([...this.cards.keys()].join() !== before) this.sort();
    else this.filter();
  }

  put(table) {
    if (table.gone) {
      this.cards.get(table.id)?.element.remove();
      this.cards.delete(table.id);
      return;
    }
    const card = this.cards.get(table.id);
    if (card) card.update(table);
    else this.cards.set(table.id, new Small(table));
  }

  sort() {
    const order = new Intl.Collator(document.documentElement.lang, { numeric: true });
    const cards = [...this.cards.values()].sort((a, b) =>
      order.compare(a.table.name, b.table.name),
    );
    this.list.replaceChildren(...cards.map((card) => card.element));
    this.filter();
  }

  filter() {
    const words = this.field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const friends = this.only.checked ? (choice("hall-friends") ?? []) : null;
    const fit = [...this.cards.values()].filter((card) => card.has(words, friends));
    const shown = this.tv ? turn(fit, this.page, 6) : fit;
    for (const card of this.cards.values()) card.element.hidden = !shown.includes(card);
    this.count.textContent = this.cards.size
      ? t("hall-tables", { n: fit.length })
      : t("hall-empty");
  }

  close() {
    this.line?.close();
    clearInterval(this.turning);
  }
}

function turn(cards, page, size) {
  const pages = Math.max(1, Math.ceil(cards.length / size));
  const first = (page % pages) * size;
  return cards.slice(first, first + size);
}

// One table large: as it stands, or as it stood after any move.
class OneView {
  constructor(id) {
    this.id = id;
    this.board = new Board();
    this.at = null; // null: as it stands
    this.slider = h("input", {
      type: "range",
      min: 0,
      max: 0,
      "aria-label": t("replay"),
      oninput: () => this.move(Number(this.slider.value)),
    });
    this.side = h("aside.card");
    this.where = h("small");
    this.element = h(
      "section.hall-large",
      {},
      h("div.frame", {}, this.board.element, h("div.hall-replay", {}, this.slider, this.where)),
      this.side,
    );
    this.line = new Line(
      () => `/api/hall/tables/${encodeURIComponent(id)}/events`,
      ["table"],
      (table) => this.take(table),
    );
  }

  take(table) {
    this.table = table;
    this.show();
  }

  move(n) {
    this.at = n >= (this.length ?? 0) ? null : n;
    this.show();
  }

  async show() {
    const here = `/api/hall/tables/${encodeURIComponent(this.id)}`;
    const asked = this.at === null ? "" : `?n=${this.at}`;
    const whole = await reached(
      () => get(here + asked),
      () => this.element.isConnected,
    ).catch(() => null);
    if (!whole || asked !== (this.at === null ? "" : `?n=${this.at}`)) return;
    this.length = whole.length ?? 0;
    this.slider.max = this.length;
    this.slider.value = whole.n ?? 0;
    this.where.textContent = t("move-n", { n: whole.n ?? 0 });
    if (whole.key && !whole.broken) {
      this.board.show(
        `${here}/table.svg?game=${encodeURIComponent(whole.key)}&n=${whole.n}&v=${whole.number}-${whole.drawing}`,
      );
    }
    const friends = choice("hall-friends") ?? [];
    this.side.replaceChildren(
      h("h1", {}, whole.name, h("small", {}, whole.title ?? "")),
      h("div.row.wrap", {}, ...badges(whole)),
      whole.broken
        ? h("p", {}, t("hall-broken"))
        : h(
            "ul.lines",
            {},
            (whole.players ?? []).map((player) => {
              const name = playerName(player);
              const friend = friends.includes(name.toLowerCase());
              return h(
                "li.row",
                {},
                avatar({ ...player, name }),
                h("span.grow", {}, name),
                h("b.points", {}, score(whole.scores?.[player.id])),
                h(
                  "button.ghost.round",
                  {
                    "aria-pressed": String(friend),
                    "aria-label": t("hall-follow", { name }),
                    onclick: () => {
                      choose(
                        "hall-friends",
                        friend
                          ? friends.filter((f) => f !== name.toLowerCase())
                          : [...friends, name.toLowerCase()],
                      );
                      this.show();
                    },
                  },
                  friend ? "★" : "☆",
                ),
                me.arbiter && player.name
                  ? h(
                      "button.ghost.round",
                      {
                        "data-act": "hide",
                        "aria-label": t("hall-hide", { name }),
                        onclick: () => this.hide(name),
                      },
                      icon("cross"),
                    )
                  : null,
              );
            }),
          ),
      h("p", {}, whole.last ?? ""),
      h("p", {}, h("a", { href: `/overlay/${encodeURIComponent(whole.name)}` }, t("hall-overlay"))),
    );
  }

  async hide(name) {
    const told = (hidden) => attempt(() => post("/api/arbiter/hide", { name, hidden }));
    if (await told(true)) toast(t("hall-hidden", { name }), "", t("undo"), () => told(false));
  }

  close() {
    this.line.close();
  }
}

// For streams: transparent, the score alone.
class OverlayView {
  constructor(id) {
    this.element = h("section.hall-overlay", { "aria-live": "polite" });
    this.line = new Line(
      () => `/api/hall/tables/${encodeURIComponent(id)}/events`,
      ["table"],
      (table) => {
        this.element.replaceChildren(
          h("div.row", {}, h("b.grow", {}, table.name), h("small", {}, table.title ?? "")),
          h(
            "ul",
            {},
            (table.players ?? []).map((player) =>
              h(
                `li${player.turn ? ".turn" : ""}`,
                {},
                avatar({ ...player, name: playerName(player) }),
                h("span.name", {}, playerName(player)),
                h("b.points", {}, score(player.score)),
              ),
            ),
          ),
        );
      },
    );
  }

  close() {
    this.line.close();
  }
}

function viewFor(path) {
  const [, kind, id, part] = path.split("/");
  if (kind === "tournaments") return new TournamentsView();
  if (kind === "tournament" && part === "director") return new DirectorView(id);
  if (kind === "tournament" && part === "me") return new MyView(id);
  if (kind === "tournament") return new TournamentView(id, part === "tv");
  if (kind === "table") return new OneView(decodeURIComponent(id));
  if (kind === "overlay") return new OverlayView(decodeURIComponent(id));
  if (kind === "arbiter") return new ArbiterView();
  return new AllView(kind === "tv");
}

function follow(e, path) {
  if (e.metaKey || e.ctrlKey) return;
  e.preventDefault();
  go(path);
}

export function go(path, push = true) {
  if (push && path !== location.pathname) history.pushState(null, "", path);
  view?.close?.();
  view = viewFor(location.pathname);
  main.replaceChildren(view.element);
  bars();
  if (push) {
    main.focus({ preventScroll: true });
    scrollTo(0, 0);
  }
}

function link(path, ...content) {
  return h(
    "a",
    {
      href: path,
      "aria-current": path === location.pathname ? "page" : null,
      onclick: (e) => follow(e, path),
    },
    ...content,
  );
}

function bars() {
  const logo = h("img", { src: "/static/icon.svg", alt: "", width: 34, height: 34 });
  document
    .getElementById("top")
    .replaceChildren(
      link("/", logo, h("strong", {}, t("hall"))),
      h("span.grow"),
      h("span.line", { id: "line", "data-live": "yes" }, h("span.dot"), t("live")),
    );
  document
    .getElementById("tabs")
    .replaceChildren(
      link("/", icon("table"), h("span", {}, t("hall-all"))),
      link("/tournaments", icon("crown"), h("span", {}, t("tour"))),
      link("/tv", icon("tv"), h("span", {}, t("hall-tv"))),
      link("/arbiter", icon("flag"), h("span", {}, t("hall-arbiter"))),
    );
}

await reached(
  () => loadWords(document.documentElement.lang),
  () => true,
);
await loadMe().catch(() => {});
addEventListener("popstate", () => go(location.pathname, false));
go(location.pathname, false);
