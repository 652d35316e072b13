// What of a box can be printed: each part a PDF that a phone opens, shares and prints.
import { attempt, guideLink, h, icon, sheet, t, working } from "./ui.js";

const WORDS = { tiles: "print-faces" };
const ONE_SIDE = ["instructions", "boards", "die", "calibration"];

export function showPrints(game, set) {
  const letter = /-(US|CA|MX)$/.test(navigator.language);
  const paper = h(
    "select",
    { id: "print-paper", onchange: () => fill() },
    ...[
      ["a4", "A4"],
      ["letter", "Letter"],
    ].map(([value, name]) =>
      h("option", { value, selected: (value === "letter") === letter }, name),
    ),
  );
  const list = h("div.prints");
  const made = [];

  const part = (name) => {
    const place = h("div", { "data-part": name });
    const make = async () => {
      place.replaceChildren(working(t("print-making")));
      const file = await attempt(
        async () => {
          const answer = await fetch(
            `/api/print/${game.game}/${name}.pdf?set=${encodeURIComponent(set ?? "")}&paper=${paper.value}&lang=${document.documentElement.lang}`,
          );
          if (!answer.ok) throw new Error((await answer.json()).error.text);
          return new File([await answer.blob()], `${game.game}-${name}.pdf`, {
            type: "application/pdf",
          });
        },
        { quiet: true },
      );
      if (file) ready(file);
      else offer();
    };
    const ready = (file) => {
      const url = URL.createObjectURL(file);
      made.push(url);
      const share = navigator.canShare?.({ files: [file] })
        ? h(
            "button",
            { onclick: () => navigator.share({ files: [file] }).catch(() => {}) },
            icon("share"),
            t("share"),
          )
        : null;
      place.replaceChildren(
        h(
          "div.row.wrap",
          {},
          h(
            "a.button.primary",
            { href: url, target: "_blank", rel: "noopener" },
            icon("print"),
            t("print-open", { part: t(WORDS[name] ?? `print-${name}`) }),
          ),
          share,
        ),
      );
    };
    const offer = () =>
      place.replaceChildren(
        h(
          "button.wide",
          { onclick: make },
          icon("print"),
          h(
            "span",
            {},
            t(WORDS[name] ?? `print-${name}`),
            h("br"),
            h("small", {}, t(ONE_SIDE.includes(name) ? "print-one-side" : "print-both-sides")),
          ),
        ),
      );
    offer();
    return place;
  };
  const fill = () => list.replaceChildren(...game.prints.map(part));
  fill();
  sheet(
    t("print-tiles"),
    h("p", {}, t("print-text")),
    h("label.field", {}, h("span", {}, t("print-paper")), paper),
    list,
    guideLink("printing"),
  ).addEventListener("close", () =>
    setTimeout(() => made.forEach((url) => URL.revokeObjectURL(url)), 60000),
  );
}
