// The offline shell: the page's own files from the cache when the network is gone, never old ones
// while it is there; the table itself is always fetched.
const SHELL = "snake-eye-shell";
const FILES = [
  "/",
  "/static/style.css",
  "/static/app.js",
  "/static/ui.js",
  "/static/live.js",
  "/static/table.js",
  "/static/board.js",
  "/static/correct.js",
  "/static/sound.js",
  "/static/setup.js",
  "/static/wizard_camera.js",
  "/static/wizard_seats.js",
  "/static/wizard_options.js",
  "/static/wizard_table.js",
  "/static/phone.js",
  "/static/stock.js",
  "/static/overlay.js",
  "/static/crop.js",
  "/static/ending.js",
  "/static/leaving.js",
  "/static/people.js",
  "/static/wizard_people.js",
  "/static/hints.js",
  "/static/machine.js",
  "/static/waiting.js",
  "/static/alone.js",
  "/static/look_over.js",
  "/static/mistakes.js",
  "/static/pick_move.js",
  "/static/sharecard.js",
  "/static/verdict.js",
  "/static/seats.js",
  "/static/hexes.js",
  "/static/hexpick.js",
  "/static/games.js",
  "/static/more.js",
  "/static/photo.js",
  "/static/print.js",
  "/static/backups.js",
  "/static/health.js",
  "/static/hall_call.js",
  "/static/teach.js",
  "/static/teach_board.js",
  "/static/teach_mark.js",
  "/static/guide.css",
  "/static/guide.js",
  "/static/icon.svg",
];

self.addEventListener("install", (e) =>
  e.waitUntil(
    caches
      .open(SHELL)
      .then((c) => c.addAll(FILES))
      .then(() => self.skipWaiting()),
  ),
);
self.addEventListener("activate", (e) => e.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (e) => {
  const url = new URL(e.request.url);
  const ours = url.origin === location.origin && e.request.method === "GET";
  if (!ours || url.pathname.startsWith("/api/")) return;
  e.respondWith(
    fetch(e.request)
      .then((answer) => {
        const copy = answer.clone();
        if (answer.ok && /^\/(static|guide)\//.test(url.pathname))
          caches.open(SHELL).then((c) => c.put(e.request, copy));
        return answer;
      })
      .catch(
        async () =>
          (await caches.match(e.request)) ??
          (e.request.mode === "navigate" ? await caches.match("/") : null) ??
          Response.error(),
      ),
  );
});
