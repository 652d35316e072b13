// Starts the page: words, who we are, the live line, and which view the address names.
import {
  TRY_AGAIN_MS,
  attempt,
  choice,
  h,
  icon,
  loadMe,
  loadWords,
  me,
  post,
  sheet,
  t,
} from "./ui.js";
import { Live } from "./live.js";
import { TableView } from "./table.js";
import { SetupView } from "./setup.js";
import { GamesView, ReplayView } from "./games.js";
import { HealthView } from "./health.js";
import { askSeat, chooseSeat, joinBy } from "./seats.js";
import { JoinView, RulesView, SettingsView } from "./more.js";

const TABS = [
  ["/", "table", "tab-table"],
  ["/new", "plus", "tab-new"],
  ["/games", "games", "tab-games"],
  ["/settings", "more", "tab-more"],
];
const main = document.getElementById("main");
export const live = new Live();
let view = null;

// A view that few phones open is brought when it is opened; while the table is away, again and again.
class Later {
  constructor(file, make) {
    this.element = h("div.page", {}, h("p.loading", { role: "status" }, t("loading")));
    this.bring(file, make);
  }

  async bring(file, make, tried = 0) {
    let brought = null;
    // A file that did not come is not asked for again under its name.
    try {
      brought = await import(`/static/${file}${tried ? `?again=${tried}` : ""}`);
    } catch {
      /* out of reach */
    }
    if (view !== this) return;
    if (!brought) {
      setTimeout(() => this.bring(file, make, tried + 1), TRY_AGAIN_MS);
      return;
    }
    view = make(brought);
    this.element.replaceWith(view.element);
    view.update?.(live.state);
  }
}

function viewFor(path) {
  if (path === "/new") return new SetupView(live, go);
  if (path === "/games") return new GamesView(live, go);
  if (path.startsWith("/games/")) return new ReplayView(path.split("/")[2], live, go);
  if (path === "/photo") return new Later("photo.js", ({ PhotoView }) => new PhotoView());
  if (path === "/camera") return new Later("phone.js", ({ PhoneView }) => new PhoneView());
  if (path === "/settings") return new SettingsView(live, go, again);
  if (path === "/join") return new JoinView();
  if (path === "/checkup") return new HealthView();
  if (path === "/teach") return new Later("teach.js", ({ TeachView }) => new TeachView(go));
  if (path === "/alone") return new Later("alone.js", ({ AloneView }) => new AloneView(live));
  if (path === "/rules") return new RulesView(live);
  return new TableView(live, go, path === "/tv");
}

export function go(path, push = true) {
  if (push && path !== location.pathname) history.pushState(null, "", path);
  view?.close?.();
  view = viewFor(location.pathname);
  document.documentElement.classList.toggle("tv", location.pathname === "/tv");
  main.replaceChildren(view.element);
  bars();
  view.update?.(live.state);
  if (push) {
    main.focus({ preventScroll: true });
    scrollTo(0, 0);
  }
}

function link(path, ...content) {
  const here =
    path === location.pathname || (path === "/games" && location.pathname.startsWith("/games/"));
  return h(
    "a",
    {
      href: path,
      "aria-current": here ? "page" : null,
      onclick: (e) => {
        if (e.metaKey || e.ctrlKey) return;
        e.preventDefault();
        go(path);
      },
    },
    ...content,
  );
}

function bars() {
  document
    .getElementById("tabs")
    .replaceChildren(
      ...TABS.map(([path, name, word]) => link(path, icon(name), h("span", {}, t(word)))),
    );
  const logo = h("img", { src: "/static/icon.svg", alt: "", width: 34, height: 34 });
  document
    .getElementById("top")
    .replaceChildren(
      link("/", logo, h("strong", {}, "Snake Eye")),
      h("span.grow"),
      h(
        "span.line",
        { id: "line", "data-live": live.connected ? "yes" : live.lost ? "no" : "soon" },
        h("span.dot"),
        h("span.word", {}, t(live.connected ? "live" : "offline")),
      ),
      link(
        "/join",
        h(
          "span.round.ghost",
          { title: t("join"), role: "img", "aria-label": t("join") },
          icon("qr"),
        ),
      ),
      ...(me.host
        ? [h("span.badge", { title: t("host") }, icon("key"), h("span.word", {}, t("host")))]
        : []),
    );
}

function again() {
  document.documentElement.dataset.theme = choice("theme");
  go(location.pathname, false);
}

// Without the table in reach only the shell is there: it says so, and tries again.
async function begin() {
  try {
    await loadMe();
    await loadWords(me.language);
    await live.fetch();
  } catch (error) {
    main.replaceChildren(
      h(
        "p.loading",
        { role: "status" },
        error.code === "away" ? main.dataset.offline : error.message,
      ),
    );
    setTimeout(begin, TRY_AGAIN_MS);
    return;
  }
  const code = /^#join=(\w+)$/.exec(location.hash)?.[1];
  if (code) {
    history.replaceState(null, "", location.pathname);
    await attempt(() => joinBy(code));
  }
  const card = /^#card=(\w+)$/.exec(location.hash)?.[1];
  if (card) {
    history.replaceState(null, "", location.pathname);
    if (await attempt(() => post("/api/login", { card }))) await loadMe();
  }
  go(location.pathname, false);
  live.open();
  whoSits();
  if (code && me.join_code) askSeat(live.state);
  if (me.salvaged) tellSalvaged();
}

// Games were damaged: everybody is told what was saved, until the host has seen it.
function tellSalvaged() {
  const dialog = sheet(
    t("salvaged-title"),
    h("p", { id: "salvaged" }, me.salvaged),
    ...(me.host
      ? [
          h(
            "button.primary.wide",
            {
              onclick: async () => {
                if (await attempt(() => post("/api/salvaged/seen"))) {
                  me.salvaged = null;
                  dialog.close();
                }
              },
            },
            t("salvaged-seen"),
          ),
        ]
      : []),
  );
}

// The host may have freed this phone's seat, or opened something; the hall may have switched help off.
async function whoWeAre() {
  const known = () => JSON.stringify([me.host, me.seats, me.may, me.join_code, me.help_off]);
  const before = known();
  await loadMe().catch(() => {});
  if (known() !== before) document.dispatchEvent(new Event("host"));
}

// In every game a seat is its person's; a phone whose people do not play is asked whose it is.
let game = null;
async function whoSits() {
  const { key, source } = live.state ?? {};
  if (!key || key === game) return;
  const isAnother = game !== null;
  game = key;
  if (isAnother) await whoWeAre();
  if (me.asks_who && source.by_people && !document.querySelector("dialog[open]"))
    chooseSeat(live.state);
}

live.addEventListener("state", () => {
  view?.update?.(live.state);
  whoSits();
});
live.addEventListener("event", (e) => {
  view?.happened?.(e.detail);
  if (e.detail.event === "settings") whoWeAre();
});
live.addEventListener("line", bars);
// The box was away; it may have another game now, and other words for who we are.
live.addEventListener("back", async () => {
  await whoWeAre();
  for (const image of document.querySelectorAll("img[data-lost]")) {
    delete image.dataset.lost;
    image.src = image.src;
  }
  view?.load?.();
});
// The camera's own picture is asked for again and again anyway.
document.addEventListener(
  "error",
  (e) => {
    if (e.target.matches?.("img:not(.camera)")) e.target.dataset.lost = "";
  },
  true,
);
// What somebody is in the middle of is not begun anew because the PIN was asked for.
document.addEventListener("host", () => {
  if (view?.stays) bars();
  else again();
});
addEventListener("popstate", () => go(location.pathname, false));

// What comes over the page has to know where the bars end; large letters make them higher.
const measured = new ResizeObserver((entries) => {
  for (const { target } of entries)
    document.documentElement.style.setProperty(`--${target.id}-high`, `${target.offsetHeight}px`);
});
for (const id of ["top", "tabs"]) measured.observe(document.getElementById(id));
// Keys reach the pages where the eye finds them: above the rest, at the left edge, or below.
const first = matchMedia("(min-width: 56.25em), (max-height: 500px) and (orientation: landscape)");
const place = () => main[first.matches ? "before" : "after"](document.getElementById("tabs"));
first.addEventListener("change", place);
place();
document.documentElement.dataset.theme = choice("theme");
await begin();
if (isSecureContext && "serviceWorker" in navigator)
  navigator.serviceWorker.register("/sw.js").catch(() => {});
