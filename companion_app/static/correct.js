// Saying what a tile really is: a square card by its face and turn, a hex tile by its cells.
import { seenPart } from "./crop.js";
import { pickPiece } from "./hexpick.js";
import { avatar, h, icon, me, score, sheet, t } from "./ui.js";

export const tileUrl = (state, tile, turns = 0) =>
  `/api/tile.svg?game=${state.game}&set=${encodeURIComponent(state.set)}&tile=${encodeURIComponent(tile)}&turns=${turns}`;

// One move and its tile: what it was, what is wrong with it, and how to put it right.
export function moveSheet(view, move, tile) {
  const { state } = view;
  const content = [];
  if (tile)
    content.push(
      tileShown(state, tile),
      h(
        "p",
        {},
        tile.label,
        h("br"),
        h(
          "small",
          {},
          move ? t("laid-in-move", { n: move.n }) + ": " + move.text : t("lay-from-start"),
        ),
      ),
    );
  else if (move) content.push(h("p", {}, move.text));
  for (const broken of move?.violations ?? [])
    content.push(h("blockquote", {}, broken.text, h("cite", {}, broken.source)));
  const counting = tile ? countsIn(state, tile) : [];
  if (counting.length)
    content.push(
      h(
        "ul.lines.card-lines",
        {},
        ...counting.map(([player, line]) =>
          h(
            "li",
            {},
            h(
              "button.ghost",
              {
                onclick: () => {
                  dialog.addEventListener("close", () => view.board.light(line.spots, "points"));
                  dialog.close();
                },
              },
              avatar(player),
              h("span", {}, (line.count > 1 ? `${line.count} × ` : "") + line.why),
              h("b", {}, score(line.points)),
            ),
          ),
        ),
      ),
    );
  const correct = (changes) => view.act("/api/tell", { correct: move.n, move: changes });
  if (me.host && move && ["place", "replace", "turn"].includes(move.move.do)) {
    const square = state.lattice === "square";
    content.push(
      h(
        "button.wide",
        {
          onclick: () => {
            dialog.close();
            if (square) pickTile(state, (name, turns) => correct({ tile: name, turns }), tile);
            else pickPiece(state, move, tileUrl, correct);
          },
        },
        t("is-another-tile"),
      ),
    );
  }
  if (me.host && move)
    content.push(
      h(
        "button.wide",
        {
          onclick: () => {
            dialog.close();
            view.backBefore(state.key, move.n);
          },
        },
        icon("undo"),
        t("back-to-before", { n: move.n }),
      ),
    );
  const dialog = sheet(move ? t("move-n", { n: move.n }) : t("tile"), ...content);
  return dialog;
}

// What the camera sees in a place beside what it takes it for, and how sure it is.
function tileShown(state, tile) {
  const shown = h(
    "div.tile-shown",
    {},
    h(
      "figure",
      {},
      h("img", { src: tileUrl(state, tile.tile, tile.turns ?? 0), alt: "" }),
      h("figcaption", {}, t("read-as")),
    ),
  );
  const looks = !["none", "recorded"].includes(state.source.kind) && me.may.pictures;
  if (!looks) return shown;
  const has = (spots) => tile.spots.some((spot) => spots?.includes(spot));
  const photo = h("div.photo-part");
  shown.prepend(h("figure", {}, photo, h("figcaption", {}, t("camera-sees"))));
  shown.append(
    h(
      "p.quiet",
      {},
      t(has(state.covered) ? "why-covered" : has(state.unsure) ? "why-not-sure" : "why-sure"),
    ),
  );
  seenPart(tile.spots).then((part) => (part ? photo.append(part) : photo.parentNode.remove()));
  return shown;
}

// The lines of the score in which a tile counts, and whose they are.
function countsIn(state, tile) {
  return state.players.flatMap((player) =>
    player.lines
      .filter((line) => line.spots.some((spot) => tile.spots.includes(spot)))
      .map((line) => [player, line]),
  );
}

// Which tile lies there; with `none`, that there is none is an answer too.
export function pickTile(state, done, tile = null, none = null) {
  let turns = tile?.turns ?? 0;
  const grid = h("div.tile-grid");
  const colour = tile?.tile.split("/")[0];
  const fill = () =>
    grid.replaceChildren(
      ...state.stock
        .toSorted((a, b) => (b.tile.split("/")[0] === colour) - (a.tile.split("/")[0] === colour))
        .map((one) =>
          h(
            `button.tile-choice${one.tile === tile?.tile ? ".now" : ""}`,
            {
              onclick: () => {
                dialog.close();
                done(one.tile, turns);
              },
            },
            h("img", { src: tileUrl(state, one.tile, turns), alt: "", loading: "lazy" }),
            h("span", {}, one.label),
          ),
        ),
    );
  const turner = h(
    "button.wide",
    {
      onclick: () => {
        turns = (turns + 1) % 4;
        fill();
      },
    },
    icon("redo"),
    t("turn-quarter"),
  );
  const dialog = sheet(
    t("which-tile"),
    state.lattice === "square" ? turner : null,
    grid,
    none
      ? h(
          "button.wide",
          {
            onclick: () => {
              dialog.close();
              none();
            },
          },
          icon("cross"),
          t("no-tile-here"),
        )
      : null,
  );
  fill();
}

// The cards that were drawn with a roll, in their order: as many as the die shows.
export function pickDrawn(state, done) {
  const drawn = [];
  const row = h("div.row.wrap.drawn", { "aria-live": "polite" });
  const button = h("button.primary.wide", {
    onclick: () => {
      dialog.close();
      done({ roll: drawn.length, tiles: drawn });
    },
  });
  const fill = () => {
    row.replaceChildren(
      ...drawn.map((tile, n) =>
        h(
          "button.tile-choice",
          {
            "aria-label": t("delete"),
            onclick: () => {
              drawn.splice(n, 1);
              fill();
            },
          },
          h("img", { src: tileUrl(state, tile), alt: "" }),
        ),
      ),
    );
    button.disabled = !drawn.length;
    button.replaceChildren(icon("check"), t("roll-is", { n: drawn.length }));
  };
  const kinds = state.stock.filter((one) => !one.tile.startsWith("big/") && one.left);
  const grid = h(
    "div.tile-grid",
    {},
    ...kinds.map((one) =>
      h(
        "button.tile-choice",
        {
          onclick: () => {
            if (drawn.length < 3) {
              drawn.push(one.tile);
              fill();
            }
          },
        },
        h("img", { src: tileUrl(state, one.tile), alt: "" }),
        h("span", {}, one.label),
      ),
    ),
  );
  const dialog = sheet(t("roll-cards"), row, grid, button);
  fill();
}
