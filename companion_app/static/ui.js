// Small tools of the page: elements, words, requests, sheets and toasts.

export const TRY_AGAIN_MS = 3000;
const BUSY_MS = 1000;
let strings = {};
let forms = new Intl.PluralRules("en");
export const me = {
  token: "",
  host: false,
  may_answer: false,
  seats: [],
  taken: {},
  may: {},
  join_code: null,
};

// A text that counts something has a form for each number of things; `n`, or `count`, is how many.
export function t(key, params = {}) {
  const said = strings[key] ?? key;
  const text = typeof said === "string" ? said : said[forms.select(params.count ?? params.n)];
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in params ? params[name] : whole));
}

export async function loadWords(language) {
  strings = await get(`/api/strings/${language}.json`);
  forms = new Intl.PluralRules(language);
}

// h("button.big", {onclick}, "text", child): an element; words are always text, never markup.
export function h(what, attributes = {}, ...children) {
  const [tag, ...classes] = what.split(".");
  const element = document.createElement(tag || "div");
  if (classes.length) element.className = classes.join(" ");
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name.startsWith("--")) element.style.setProperty(name, value);
    else if (name === "value" || name === "checked" || name === "disabled") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(2).filter((c) => c !== null && c !== undefined && c !== false));
  return element;
}

const PATHS = {
  table: "M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z",
  plus: "M12 5v14M5 12h14",
  games: "M12 7v5l3.500 2M4.500 12a7.500 7.500 0 1 0 2.500-5.600L4 9M4 4v5h5",
  more: "M5 7h14M5 12h14M5 17h14",
  check: "M5 13l4.500 4.500L19 7",
  cross: "M6 6l12 12M18 6L6 18",
  undo: "M9 14L4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3",
  redo: "M15 14l5-5-5-5M20 9H10a6 6 0 0 0 0 12h3",
  flag: "M6 21V4h11l-2 4 2 4H6",
  pass: "M6 5l7 7-7 7M17 5v14",
  fit: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  hint: "M9 18h6M10 21h4M12 3a6 6 0 0 0-3.500 10.900V15h7v-1.100A6 6 0 0 0 12 3z",
  camera: "M4 8h4l2-3h4l2 3h4v11H4zM12 16.500a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7z",
  share: "M12 15V3M7.500 7.500L12 3l4.500 4.500M5 12v9h14v-9",
  key: "M14 10a4.500 4.500 0 1 1-3-4.200M12.500 11.500L20 19v2h-3v-2h-2v-2l-3-3",
  crown: "M4 18h16l1-11-5 4-4-7-4 7-5-4z",
  ask: "M9 9a3 3 0 1 1 4.500 2.600c-1 .6-1.500 1.200-1.500 2.400M12 18v.500",
  hand: "M8 12V6a1.500 1.500 0 0 1 3 0v5V4.500a1.500 1.500 0 0 1 3 0V11V6a1.500 1.500 0 0 1 3 0v8a6 6 0 0 1-6 6h-1a6 6 0 0 1-5-3l-2.500-4a1.600 1.600 0 0 1 2.600-1.800z",
  tv: "M3 5h18v12H3zM8 21h8",
  sound: "M5 10v4h3l5 4V6l-5 4zM16 9a4 4 0 010 6M18.500 6.500a8 8 0 010 11",
  photo: "M4 5h16v14H4zM4 16l5-5 5 5 2-2 4 4M15 9h.01",
  print: "M7 9V4h10v5M7 17H4v-7h16v7h-3M7 14h10v6H7z",
  flip: "M12 3v18M8 7L3 17h5zM16 7l5 10h-5z",
  up: "M12 19V5M6 11l6-6 6 6",
  fold: "M6 9l6 6 6-6",
  back: "M15 5l-7 7 7 7",
  on: "M9 5l7 7-7 7",
  pause: "M8 5v14M16 5v14",
  play: "M8 5l11 7-11 7z",
  qr: "M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h2v2h-2zM18 18h2v2h-2zM18 14h2M14 18v2",
};

export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}

export class Refused extends Error {
  constructor(code, text, detail, status) {
    super(text);
    this.code = code;
    this.detail = detail;
    this.status = status;
  }
}

async function answered(url, options) {
  const response = await fetch(url, options).catch(() => {
    throw new Refused("away", t("offline"), "");
  });
  if (response.ok) return response;
  let said = { code: "broken", text: response.statusText, detail: "" };
  try {
    said = (await response.json()).error;
  } catch {
    /* not ours: a proxy's page */
  }
  throw new Refused(said.code, said.text, said.detail, response.status);
}

export const get = async (url) => (await answered(url)).json();
export const getText = async (url) => (await answered(url)).text();

// Sends a form or a picture.
export async function upload(url, body, headers = {}) {
  const send = () =>
    answered(url, { method: "POST", headers: { ...headers, "X-Snake-Eye": me.token }, body });
  const response = await send().catch(async (error) => {
    if (error.code !== "no-token") throw error;
    await loadMe();
    return send();
  });
  return response.json();
}

export const post = (url, body = {}) =>
  upload(url, JSON.stringify(body), { "Content-Type": "application/json" });

// Nobody answered, or there was no room: it may be otherwise in a moment.
export const isAway = (error) => ["away", "eye-away", "full-house"].includes(error.code);

// Asks until there is an answer: what was opened while the table was away fills itself when it is
// back. Null when the answer is not wanted any more.
export async function reached(ask, wanted) {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isAway(error)) throw error;
    }
    await new Promise((done) => setTimeout(done, TRY_AGAIN_MS));
    if (!wanted()) return null;
  }
}

// What a view shows; asked for as long as the view is seen.
export const filling = (view, ask) =>
  attempt(() => reached(ask, () => view.element.isConnected), { quiet: true });

export async function loadMe() {
  Object.assign(me, await get("/api/me"));
}

// Leads to a place in the guide, beside what is open here.
export const guideLink = (place, word = "guide-why") =>
  h(
    "a.guide-link",
    { href: `/guide/${place}`, target: "_blank", rel: "noopener" },
    icon("ask"),
    t(word),
  );

// Says that something is being done, with a bar; how far it is, where that is known.
export function working(text, share = null) {
  return h(
    "div.working",
    { role: "status" },
    h("p", {}, text),
    h("progress", { "aria-label": text, max: 1, ...(share === null ? {} : { value: share }) }),
  );
}

// Where toasts go: into the sheet that lies over the page, which else would hide them.
function toasts() {
  const place = document.getElementById("toasts");
  const over = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document.body;
  if (place.parentNode !== over) over.append(place);
  return place;
}

// What takes longer than a second says so until it is done; returns what ends it.
function busy() {
  let bar = null;
  const soon = setTimeout(
    () => toasts().prepend((bar = h("div.toast.busy", {}, working(t("working"))))),
    BUSY_MS,
  );
  return () => {
    clearTimeout(soon);
    bar?.remove();
  };
}

// Does something that may be refused; the reason is shown. Asks for the PIN or the join code where
// it is needed. `quiet` where the view says itself that it is busy.
export async function attempt(action, { quiet = false } = {}) {
  const done = quiet ? () => {} : busy();
  try {
    const answer = await action();
    done();
    return answer;
  } catch (error) {
    done();
    if (error.code === "not-host" && (await askPin())) return attempt(action, { quiet });
    if (error.code === "not-seated") {
      const { askSeat } = await import("./seats.js");
      if ((await askSeat(await get("/api/state").catch(() => null))) && me.role !== "watcher")
        return attempt(action, { quiet });
    }
    toast([error.message, error.detail].filter(Boolean).join(" "), "bad");
    return null;
  }
}

// Says something for a while; with a word and what to do about it, there is a button for that.
export function toast(text, kind = "", word = "", act = null) {
  const box = h(
    `div.toast${kind ? "." + kind : ""}`,
    { role: kind === "bad" ? "alert" : "status" },
    text,
    act
      ? h(
          "button",
          {
            onclick: () => {
              box.remove();
              act();
            },
          },
          icon("undo"),
          word,
        )
      : null,
  );
  toasts().append(box);
  setTimeout(() => box.remove(), act ? 12000 : kind === "bad" ? 7000 : 3500);
}

// A sheet that comes up from below on phones and stands in the middle elsewhere.
export function sheet(title, ...content) {
  const dialog = h(
    "dialog.sheet",
    { "aria-label": title },
    h(
      "div.sheet-head",
      {},
      h("h2", {}, title),
      h(
        "button.ghost.round",
        { "aria-label": t("close"), onclick: () => dialog.close() },
        icon("cross"),
      ),
    ),
    ...content,
  );
  dialog.addEventListener("close", () => {
    toasts();
    dialog.remove();
  });
  dialog.addEventListener("click", (e) => {
    if (e.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

// Asks before something is done that cannot easily be undone.
export function askSure(title, text, word, deed) {
  const go = () => {
    dialog.close();
    deed();
  };
  const cancel = h("button", { onclick: () => dialog.close() }, t("cancel"));
  const danger = h("button.danger", { onclick: go }, word);
  const dialog = sheet(title, h("p", {}, text), h("div.row", {}, cancel, h("span.grow"), danger));
}

export function askPin() {
  return new Promise((done) => {
    const field = h("input.pin", {
      type: "text",
      inputmode: "numeric",
      autocomplete: "off",
      maxlength: 12,
      "aria-label": t("pin"),
      id: "pin-field",
    });
    const problem = h("p.problem", { role: "alert" });
    let yes = false;
    const form = h(
      "form",
      {
        onsubmit: async (e) => {
          e.preventDefault();
          try {
            await post("/api/login", { pin: field.value.trim() });
            await loadMe();
            yes = true;
            dialog.close();
            document.dispatchEvent(new Event("host"));
          } catch (error) {
            problem.textContent = error.message;
            field.select();
          }
        },
      },
      h("p", {}, t("pin-why")),
      field,
      problem,
      h("button.primary.wide", {}, icon("key"), t("pin-enter")),
    );
    const dialog = sheet(t("be-host"), form);
    dialog.addEventListener("close", () => done(yes));
    field.focus();
  });
}

export function say(text, urgent = false) {
  const where = document.getElementById(urgent ? "assertive" : "polite");
  where.textContent = "";
  setTimeout(() => {
    where.textContent = text;
  }, 40);
}

const CHOICES = {
  theme: "auto",
  sound: false,
  voice: false,
  hints: false,
  clock: false,
  demo: true,
  alone: null,
};
export function choice(name) {
  try {
    const kept = localStorage.getItem("snake-eye." + name);
    return kept === null ? CHOICES[name] : JSON.parse(kept);
  } catch {
    return CHOICES[name];
  }
}
export function choose(name, value) {
  try {
    localStorage.setItem("snake-eye." + name, JSON.stringify(value));
  } catch {
    /* private mode */
  }
}

export function initial(name) {
  return [...name][0]?.toUpperCase() ?? "?";
}

// Letters that tell players apart: the first, and where names begin alike the first that differs too.
export function lettered(players) {
  for (const player of players) {
    const own = [...player.name];
    const alike = players
      .filter((other) => other !== player && initial(other.name) === initial(player.name))
      .map((other) => [...other.name]);
    const differs = own.findIndex(
      (letter, n) =>
        n > 0 &&
        letter.trim() &&
        alike.every((other) => other[n]?.toLowerCase() !== letter.toLowerCase()),
    );
    player.letter =
      initial(player.name) + (alike.length ? (own[differs]?.toLowerCase() ?? "") : "");
  }
  return players;
}

export function avatar(player) {
  return h(
    "span.avatar",
    { "--player": player.colour, "aria-hidden": "true" },
    player.letter ?? initial(player.name),
  );
}

// What people are called who are not called by their colour; a colour has another word on every phone.
export const ownNames = (players) =>
  Object.fromEntries(
    players.filter((p) => p.name.toLowerCase() !== p.word.toLowerCase()).map((p) => [p.id, p.name]),
  );

// In the page's language, as it is written where the browser says that it is; nowhere is not America.
export function when(seconds) {
  const region = navigator.languages.map((one) => new Intl.Locale(one).region).find(Boolean);
  const here = new Intl.Locale(document.documentElement.lang, { region: region ?? "001" });
  return new Intl.DateTimeFormat(here, {
    dateStyle: "medium",
    timeStyle: "short",
  }).format(new Date(seconds * 1000));
}

export function score(value) {
  return value === null || value === undefined ? "–" : String(value).replace("-", "−");
}

// Where points are told of the box that is printed here: its makers have not published theirs.
export const ours = ({ game, set }) =>
  game === "carnival" && set === game ? h("p.quiet.ours", {}, t("points-ours")) : null;
