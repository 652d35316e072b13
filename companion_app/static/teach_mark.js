// A tile that was not found in a photo, marked by hand: its corners are tapped one after the other.
import { attempt, h, icon, post, sheet, t } from "./ui.js";

const NS = "http://www.w3.org/2000/svg";
const STEP = 0.01; // how far a key moves the cross, as a share of the photo
const MOVES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const made = (tag, attributes) => {
  const element = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
};

// `done` is told the lesson as it is then; more tiles can be marked until the sheet is closed.
export function markTiles(photo, shape, done) {
  const most = shape === "square" ? 4 : 6;
  let corners = [],
    cross = [0.5, 0.5],
    count = 0;
  const image = h("img", {
    src: `/api/teaching/photos/${photo}.jpg`,
    alt: t("teach-mark-photo", { n: photo + 1 }),
  });
  const svg = made("svg", {
    viewBox: "0 0 1 1",
    preserveAspectRatio: "none",
    tabindex: 0,
    role: "application",
    "aria-label": t("teach-mark-keys"),
  });
  const place = h("div.mark-photo", {}, image, svg);
  const status = h("p", { role: "status" });
  const undo = h(
    "button",
    {
      onclick: () => {
        corners.pop();
        show();
      },
    },
    icon("undo"),
    t("undo"),
  );

  const show = () => {
    svg.replaceChildren(
      ...(corners.length > 1
        ? ["under", "over"].map((name) =>
            made("polyline", { points: corners.join(" "), class: name }),
          )
        : []),
      ...corners.flatMap(([x, y]) =>
        ["under", "over"].map((name) =>
          made("line", { x1: x, y1: y, x2: x, y2: y, class: `dot ${name}` }),
        ),
      ),
      made("path", {
        class: "cross",
        d: `M${cross[0] - 0.03} ${cross[1]}h.06M${cross[0]} ${cross[1] - 0.03}v.06`,
      }),
    );
    status.textContent =
      t("teach-mark-corner", { n: corners.length + 1, of: most }) +
      (count ? ` ${t("teach-marked", { n: count })}` : "");
    undo.disabled = !corners.length;
  };
  const add = async (point) => {
    corners.push(point);
    show();
    if (corners.length < most) return;
    const lesson = await attempt(() => post("/api/teaching/mark", { photo, outline: corners }));
    corners = [];
    if (lesson) {
      count += 1;
      done(lesson);
    }
    show();
  };
  svg.addEventListener("click", (e) => {
    const box = svg.getBoundingClientRect();
    cross = [(e.clientX - box.left) / box.width, (e.clientY - box.top) / box.height].map((n) =>
      Math.min(1, Math.max(0, n)),
    );
    add(cross);
  });
  svg.addEventListener("keydown", (e) => {
    const move = MOVES[e.key];
    if (move)
      cross = cross.map((n, i) =>
        Math.min(1, Math.max(0, n + move[i] * STEP * (e.shiftKey ? 5 : 1))),
      );
    else if (e.key === "Enter" || e.key === " ") add(cross);
    else return;
    e.preventDefault();
    show();
  });
  const dialog = sheet(
    t("teach-mark"),
    h("p", {}, t("teach-mark-how", { n: most })),
    place,
    status,
    h(
      "div.row.wrap",
      {},
      undo,
      h("span.grow"),
      h("button.primary", { onclick: () => dialog.close() }, icon("check"), t("teach-mark-done")),
    ),
  );
  dialog.classList.add("wide-sheet");
  show();
}
