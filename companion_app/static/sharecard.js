// The share card of a game: title, winner, everybody's score and the table, as one picture for a message.
import { listed } from "./verdict.js";
import { getText, lettered, score, t, toast, when } from "./ui.js";

const WIDE = 1080,
  HIGH = 1350,
  EDGE = 60;
const PICTURE_PX = 1600;
const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif";
const INK = "#2b2620",
  QUIET = "#655c50",
  GREEN = "#1e5b46",
  GOLD = "#f2b632";
const CROWN = "M4 18h16l1-11-5 4-4-7-4 7-5-4z";

export async function share(game) {
  await handed(await cardPng(game), game);
}

// The drawing alone. The page's style does not reach into it, so the colours of the day or the
// night go along.
export async function shareDrawing(game, board) {
  const paint = (name) => getComputedStyle(board.element).getPropertyValue(name);
  const style = `<style>.ground { fill: none } .grid { stroke: ${paint("--grid")} } .name { fill: ${paint("--ink")} }</style>`;
  const [, , wide, high] = board.home;
  const size = [PICTURE_PX, Math.round((PICTURE_PX * high) / wide)];
  const text = await getText(board.url);
  const svg = text
    .replace("<svg ", `<svg width="${size[0]}" height="${size[1]}" `)
    .replace("<defs>", `${style}<defs>`);
  await handed(await painted(svg, ...size, paint("--felt")), game);
}

export async function cardPng(game) {
  return painted(await cardSvg(game), WIDE, HIGH, "#f6f1e7");
}

async function painted(svg, width, height, ground) {
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  await image.decode();
  URL.revokeObjectURL(image.src);
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  const pen = canvas.getContext("2d");
  pen.fillStyle = ground;
  pen.fillRect(0, 0, width, height);
  pen.drawImage(image, 0, 0);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

// Hands a picture to another app, or saves it where there is none.
async function handed(png, game) {
  const file = new File([png], `snake-eye-${game.key}.png`, { type: "image/png" });
  if (navigator.canShare?.({ files: [file] })) {
    await navigator.share({ files: [file], title: game.title }).catch(() => {});
    return;
  }
  const link = document.createElement("a");
  link.href = URL.createObjectURL(png);
  link.download = file.name;
  link.click();
  toast(t("saved"));
}

async function cardSvg(game) {
  const lang = document.documentElement.lang;
  const rows = lettered(
    game.players.toSorted(
      (a, b) => b.winner - a.winner || (b.score ?? -Infinity) - (a.score ?? -Infinity),
    ),
  );
  const rowHigh = Math.min(104, 440 / rows.length),
    top = HIGH - EDGE - 40 - rows.length * rowHigh;
  const table = new DOMParser().parseFromString(
    await getText(`/api/games/${game.key}/table.svg?lang=${lang}`),
    "image/svg+xml",
  ).documentElement;
  for (const [name, value] of Object.entries({
    x: EDGE,
    y: 290,
    width: WIDE - 2 * EDGE,
    height: top - 330,
  }))
    table.setAttribute(name, value);
  table.querySelector(".taps")?.remove();
  const style = "<style>.ground{fill:none}.grid{stroke:#d0d6c4}</style>";
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDE}" height="${HIGH}" viewBox="0 0 ${WIDE} ${HIGH}" font-family="${FONT}">${style}
    <rect width="${WIDE}" height="${HIGH}" fill="#f6f1e7"/><rect width="${WIDE}" height="130" fill="${GREEN}"/>
    ${words(EDGE, 82, 46, game.title, "#f6f1e7", "start", 760)}${words(WIDE - EDGE, 80, 30, "Snake Eye", GOLD, "end")}
    ${words(WIDE / 2, 228, 68, headline(game), INK, "middle", WIDE - 2 * EDGE)}
    <rect x="${EDGE - 20}" y="270" width="${WIDE - 2 * EDGE + 40}" height="${top - 290}" rx="28" fill="#e6e9dc"/>
    ${new XMLSerializer().serializeToString(table)}
    ${rows.map((player, n) => row(player, top + n * rowHigh, rowHigh)).join("")}
    ${words(WIDE / 2, HIGH - 40, 26, game.began_s ? when(game.began_s) : "", QUIET, "middle", WIDE)}</svg>`;
}

function headline(game) {
  const winners = game.players.filter((p) => p.winner).map((p) => p.name);
  if (!winners.length) return t(game.over ? "nobody-wins" : "unfinished");
  if (winners.length === game.players.length) return t("share-draw");
  return t("share-winner", { player: listed(winners) });
}

function row(player, y, high) {
  const middle = y + high / 2,
    r = Math.min(36, high * 0.36);
  const crown = player.winner
    ? `<path d="${CROWN}" transform="translate(${WIDE - EDGE - 240} ${middle - 26}) scale(2.2)" fill="${GOLD}" stroke="#7a4b00" stroke-width="1.2" stroke-linejoin="round"/>`
    : "";
  return `<rect x="${EDGE - 20}" y="${y + 4}" width="${WIDE - 2 * EDGE + 40}" height="${high - 8}" rx="20" fill="${player.winner ? "#fdf1d3" : "#fffdf8"}" stroke="${player.winner ? GOLD : "#e2d9c8"}" stroke-width="3"/>
    <circle cx="${EDGE + 26}" cy="${middle}" r="${r}" fill="${player.colour}" stroke="#fff" stroke-width="4"/>
    ${words(EDGE + 26, middle + r * 0.33, r * 0.95, player.letter, "#fff", "middle", 2 * r, 'stroke="#000a" stroke-width="5" paint-order="stroke"')}
    ${words(EDGE + 90, middle + 15, 42, player.name, INK, "start", 600)}${crown}
    ${words(WIDE - EDGE - 6, middle + 19, 56, score(player.score), INK, "end")}`;
}

// One line; what is too long for its room is cut off.
function words(x, y, size, text, fill, anchor, room = Infinity, more = "") {
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = `700 ${size}px ${FONT}`;
  let shown = text;
  while ([...shown].length > 2 && pen.measureText(shown).width > room)
    shown = [...shown].slice(0, -2).join("").trimEnd() + "…";
  const safe = shown.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
  return `<text x="${x}" y="${y}" font-size="${size}" font-weight="700" fill="${fill}" text-anchor="${anchor}" ${more}>${safe}</text>`;
}
