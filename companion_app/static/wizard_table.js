// A look at the table before a game: one that already lies there.
import { attempt, h, icon, post, sheet, t } from "./ui.js";

export function drawn(svg) {
  return document.importNode(
    new DOMParser().parseFromString(svg, "image/svg+xml").documentElement,
    true,
  );
}

const board = (...content) => h("div.frame.flat", {}, h("div.board", {}, ...content));

// Reads the table, shows it, asks who is next, and begins a game with what lies there.
export async function takeUp(wanted, names, begin) {
  const body = h("div", { "aria-live": "polite" });
  const dialog = sheet(t("take-up-title"), body);
  await read();

  async function read() {
    body.replaceChildren(h("p.loading", {}, t("reading")));
    const seen = await attempt(() => post("/api/table", wanted));
    if (!seen) {
      dialog.close();
      return;
    }
    const again = h("button.wide", { onclick: read }, icon("redo"), t("take-up-again"));
    const troubles = [
      ...seen.broken,
      ...seen.advice,
      ...(seen.unsure ? [t("photo-unsure", { n: seen.unsure })] : []),
    ];
    if (!seen.tiles) {
      body.replaceChildren(h("p", {}, t("take-up-empty")), again);
      return;
    }
    body.replaceChildren(
      board(drawn(seen.svg)),
      ...troubles.map((text) => h("p.problem", {}, text)),
      h("p", {}, t("take-up-text")),
      h(
        "div.answers",
        {},
        ...(seen.possible
          ? wanted.players.map((player) =>
              h("button.answer", { onclick: () => start(seen, player) }, names(player)),
            )
          : []),
      ),
      again,
    );
  }

  function start(seen, next) {
    dialog.close();
    begin({
      record: {
        game: wanted.game,
        set: wanted.set,
        players: wanted.players,
        options: wanted.options,
        setup: seen.table,
        next,
        moves: [],
      },
    });
  }
}
