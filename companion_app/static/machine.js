// The machine at the table: what it wants laid, as words and as a ghost; what it needs; its seats; hints.
import { tileUrl } from "./correct.js";
import { attempt, h, icon, me, post, sheet, t } from "./ui.js";
import { card } from "./verdict.js";

const NS = "http://www.w3.org/2000/svg";
const LEVELS = [1, 2, 3, 4, 5];
const MOST_TILES = 20;

// --- on the drawing ----------------------------------------------------------------------------

// Tiles that lie nowhere yet, pale and ringed, where they belong.
export function ghostOn(svg, state, ghost, kind = "wanted") {
  for (const old of svg.querySelectorAll(`.ghost-of-move.${kind}`)) old.remove();
  const pitch = Number(svg.dataset.pitch);
  for (const { tile, turns, spots } of ghost ?? []) {
    const places = spots.map((spot) => spot.split(":").map(Number));
    const panel = svg.querySelector(`.panel[data-f="${places[0]?.[0]}"]`);
    if (!panel) continue;
    const group = make("g", { class: `ghost-of-move ${kind}` });
    if (svg.dataset.lattice === "hex")
      group.append(
        ...places.map(([, q, r]) =>
          make("circle", {
            cx: pitch * (q + r / 2),
            cy: pitch * 0.8660254 * r,
            r: pitch * 0.42,
            fill: colourOf(state, tile),
          }),
        ),
      );
    else group.append(...cardAt(state, tile, turns, places[0], pitch));
    panel.append(group);
  }
}

function cardAt(state, tile, turns, [, x, y], pitch) {
  const place = { x: (x - 0.5) * pitch, y: (y - 0.5) * pitch, width: pitch, height: pitch };
  return [
    make("image", { href: tileUrl(state, tile, turns), ...place }),
    make("rect", { ...place, rx: 4 }),
  ];
}

const colourOf = (state, tile) =>
  state.players.find((one) => one.id === tile.split("/")[0])?.colour ?? "#1e5b46";

function make(tag, attributes) {
  const element = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

// --- its card ----------------------------------------------------------------------------------

// What it asks for right now; nothing while it thinks, nor where the question of the roll says it all.
export function machineCard(state, view) {
  const now = state.machine;
  if (!now || state.over || (!now.move && (!now.needs || now.needs === "roll"))) return null;
  const sits = me.host || (me.may_answer && me.seats.length > 0);
  const [first] = now.ghost;
  return card(
    now.laid ? "machine.otherwise" : "machine",
    h(
      "p.kicker",
      {},
      icon("hand"),
      now.name,
      h("small", {}, ` · ${t("machine-level", { n: now.level })}`),
    ),
    h(
      "div.row.machine-asks",
      {},
      now.lies ? figure(state, now.lies, t("machine-lies"), now.laid) : null,
      first ? figure(state, first, now.lies ? t("machine-wants") : "") : null,
      h(
        "div",
        {},
        now.laid && !now.lies ? h("p.quiet", {}, t("machine-laid", { laid: now.laid })) : null,
        h("p.headline", {}, now.words),
      ),
    ),
    sits ? h("div.row.wrap", {}, ...buttons(state, view)) : null,
  );
}

// What lies there and what belongs there stand side by side; alone a picture needs no words.
const figure = (state, { tile, turns }, caption, alt = "") =>
  h(
    "figure",
    {},
    h("img", { src: tileUrl(state, tile, turns), alt }),
    caption ? h("figcaption", {}, caption) : null,
  );

function buttons(state, view) {
  const now = state.machine,
    shown = [];
  if (now.laid)
    shown.push(
      h(
        "button",
        { onclick: () => view.act("/api/tell", { stand: true }) },
        icon("flag"),
        t("let-stand"),
      ),
    );
  const hand = (tiles) => view.act("/api/machine/hand", { player: now.player, tiles });
  const held = (now.hands[now.player] ?? []).map((one) => one.tile);
  if (now.needs === "draw" && state.actions.includes("roll")) {
    shown.push(
      h(
        "button.primary",
        {
          onclick: () =>
            askTiles(state, t("machine-tell-tiles"), [], (tiles) =>
              view.act("/api/machine/draw", { tiles }),
            ),
        },
        icon("check"),
        t("machine-tell-tiles"),
      ),
    );
  } else if (now.needs === "hand" || now.needs === "draw") {
    shown.push(
      h(
        "button.primary",
        { onclick: () => askTiles(state, t("machine-tell-tiles"), held, hand) },
        icon("check"),
        t("machine-tell-tiles"),
      ),
    );
    if (!["none", "recorded"].includes(state.source.kind))
      shown.push(
        h("button", { onclick: () => hand(null) }, icon("camera"), t("machine-read-tiles")),
      );
  }
  shown.push(
    h(
      "button.ghost",
      {
        "aria-pressed": String(now.muted),
        onclick: () => view.act("/api/machine/mute", { on: !now.muted }),
      },
      t(now.muted ? "machine-unmute" : "machine-mute"),
    ),
  );
  return shown;
}

// Several tiles, one tap each; a tap on a chosen one takes it away again.
export function askTiles(state, title, chosen, done) {
  const tiles = [...chosen];
  const picked = h("div.answers.picked", { "aria-live": "polite" });
  const pictured = (tile, onclick) =>
    h(
      "button.tile-choice",
      { onclick },
      h("img", { src: tileUrl(state, tile), alt: "", loading: "lazy" }),
      h("span", {}, state.stock.find((one) => one.tile === tile)?.label ?? tile),
    );
  const fill = () =>
    picked.replaceChildren(
      ...tiles.map((tile, n) =>
        pictured(tile, () => {
          tiles.splice(n, 1);
          fill();
        }),
      ),
    );
  const dialog = sheet(
    title,
    picked,
    h(
      "button.primary.wide",
      {
        onclick: () => {
          dialog.close();
          done(tiles);
        },
      },
      icon("check"),
      t("save"),
    ),
    h(
      "div.tile-grid",
      {},
      ...state.stock.map((one) =>
        pictured(one.tile, () => {
          if (tiles.length < MOST_TILES) {
            tiles.push(one.tile);
            fill();
          }
        }),
      ),
    ),
  );
  fill();
  return dialog;
}

// --- its seats ---------------------------------------------------------------------------------

// Who plays a seat: a person, or the machine at a level.
export function whoPlays(name, level, chosen) {
  return h(
    "select.who-plays",
    {
      "aria-label": t("machine-who", { player: name }),
      onchange: (e) => chosen(Number(e.target.value) || null),
    },
    h("option", { value: "", selected: !level }, t("machine-person")),
    ...LEVELS.map((n) =>
      h("option", { value: n, selected: n === level }, t("machine-level", { n })),
    ),
  );
}

export const machineSeats = (players) =>
  Object.fromEntries(players.filter((one) => one.machine).map((one) => [one.id, one.machine]));

// --- hints -------------------------------------------------------------------------------------

// Three moves worth trying; each is shown on the table when it is tapped.
export async function showIdeas(state, view, hand = null) {
  const said = await attempt(() => post("/api/ideas", hand ? { hand } : {}));
  if (!said) return;
  if (said.needs === "hand") {
    askTiles(state, t("ideas-hand"), [], (tiles) => showIdeas(state, view, tiles));
    return;
  }
  const dialog = sheet(
    t("ideas"),
    ...(said.ideas.length ? [] : [h("p", {}, t("ideas-none"))]),
    ...said.ideas.map((one) =>
      h(
        "button.wide.idea",
        {
          onclick: () => {
            dialog.close();
            view.showIdea(one);
          },
        },
        one.ghost[0]
          ? h("img", {
              src: tileUrl(state, one.ghost[0].tile, one.ghost[0].turns),
              alt: "",
              width: 56,
              height: 56,
            })
          : null,
        h("span", {}, h("b", {}, one.why), h("small", {}, one.text)),
      ),
    ),
    said.left === null ? null : h("p.quiet", {}, t("ideas-left", { n: said.left })),
  );
}
