// Two looks at the table before a game: the self-test, and a game that already lies there.
import { attempt, getText, h, icon, post, sheet, t } from "./ui.js";

export function drawn(svg) {
  return document.importNode(
    new DOMParser().parseFromString(svg, "image/svg+xml").documentElement,
    true,
  );
}

const board = (...content) => h("div.frame.flat", {}, h("div.board", {}, ...content));

// "Lay these ten tiles as shown": a drawing, then how many of them were read right.
export async function selfTest(game, set, demo) {
  const shown = await getText(`/api/selftest.svg?game=${game.game}&set=${encodeURIComponent(set)}`);
  const place = h("div", {}, board(drawn(shown)));
  const result = h("div", { "aria-live": "polite" });
  const button = h("button.primary.wide", { onclick: read }, icon("camera"), t("selftest-read"));
  sheet(
    t("selftest"),
    h("p", {}, t("selftest-text")),
    demo ? h("p.quiet", {}, t("selftest-demo")) : null,
    place,
    result,
    button,
  );

  async function read() {
    button.disabled = true;
    result.replaceChildren(h("p.quiet", {}, t("reading")));
    const done = await attempt(() => post("/api/selftest", { game: game.game, set }));
    button.disabled = false;
    result.replaceChildren();
    if (!done) return;
    place.replaceChildren(board(drawn(done.svg)));
    const all = done.right === done.of;
    result.append(
      h(
        `p.ready-line.${all ? "good" : "bad"}`,
        {},
        icon(all ? "check" : "hint"),
        h(
          "span",
          {},
          all
            ? t("selftest-all", { n: done.of })
            : t("selftest-some", { n: done.right, of: done.of }),
        ),
      ),
      ...done.wrong.map((one) =>
        h(
          "p.wrong-tile",
          {},
          one.seen
            ? t("selftest-seen", { tile: one.label, seen: one.seen })
            : t("selftest-missed", { tile: one.label }),
        ),
      ),
      ...done.advice.map((text) => h("p.quiet", {}, text)),
    );
  }
}

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
