// A game that somebody has begun where no camera is: it waits, and offers what can be done.
import { card } from "./verdict.js";
import { attempt, get, h, icon, post, sheet, t } from "./ui.js";

export function waitingCard(state, view) {
  const choose = (source) => attempt(() => post("/api/camera", { source }));
  const way = (name, word, onclick, kind = "") =>
    h(`button.wide${kind}`, { onclick }, icon(name), t(word));
  return card(
    "waiting",
    h("p.kicker", {}, icon("camera"), t("waits")),
    h("p.headline", {}, t("waits-text")),
    view.tv
      ? null
      : h(
          "div",
          {},
          way(
            "photo",
            "waits-phone",
            async () => {
              if (await choose("phone")) view.go("/camera");
            },
            ".primary",
          ),
          way("camera", "waits-plug", () => askCamera(choose)),
          way("hand", "waits-alone", () => view.go("/alone")),
          // The demo draws the tiles that Snake Eye prints, no others.
          state.set === state.game ? way("play", "waits-demo", () => choose("demo")) : null,
        ),
  );
}

// The cameras that are plugged in; one that is plugged in now is found by looking again.
function askCamera(choose) {
  const found = h("div", { "aria-live": "polite" }, h("p.loading", {}, t("camera-looking")));
  const again = h("button.wide", { onclick: look }, icon("redo"), t("waits-again"));
  const dialog = sheet(t("camera-which"), h("p", {}, t("waits-plug-text")), found, again);
  look();

  async function look() {
    const seen = await attempt(() => get("/api/camera"), { quiet: true });
    const cameras = (seen?.sources ?? []).filter((one) => !["phone", "demo"].includes(one.kind));
    found.replaceChildren(
      ...(cameras.length ? [] : [h("p.problem", {}, t("waits-none"))]),
      ...cameras.map((one) =>
        h(
          "button.wide",
          {
            onclick: async () => {
              if (await choose(one.source)) dialog.close();
            },
          },
          icon("camera"),
          one.name,
        ),
      ),
    );
  }
}
