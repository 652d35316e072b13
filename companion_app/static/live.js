// The live line: one event stream a page, taken up again after sleep, lost Wi-Fi or a restart.
import { get, lettered, TRY_AGAIN_MS } from "./ui.js";

const NAMES = [
  "state",
  "verdict",
  "taken-back",
  "turn",
  "score",
  "over",
  "question",
  "withdrawn",
  "game",
  "told",
  "missed",
  "settings",
  "trouble",
  "machine",
];
const SILENCE_MS = 25000; // two heartbeats missed

export class Live extends EventTarget {
  constructor() {
    super();
    this.state = null;
    this.connected = false;
    this.lost = false;
    this.since = null;
    this.busy = false;
    this.again = false;
  }

  async fetch() {
    // One request at a time; what happens meanwhile is fetched once more afterwards.
    if (this.busy) {
      this.again = true;
      return;
    }
    this.busy = true;
    try {
      do {
        this.again = false;
        this.state = await get("/api/state");
        lettered(this.state.players ?? []);
        this.since = Math.max(this.since ?? 0, this.state.version);
      } while (this.again);
      this.dispatchEvent(new Event("state"));
      if (this.source?.readyState === EventSource.OPEN) this.line(true);
    } finally {
      this.busy = false;
    }
  }

  // What could not be fetched is asked for again, also while the stream goes on.
  failed() {
    this.line(false);
    clearTimeout(this.retry);
    this.retry = setTimeout(() => {
      if (!this.connected) this.fetch().catch(() => this.failed());
    }, TRY_AGAIN_MS);
  }

  take(state) {
    this.state = state;
    lettered(state.players ?? []);
    this.dispatchEvent(new Event("state"));
  }

  open() {
    this.connect();
    // Phones stop streams in the background without saying so: always begin anew when seen again.
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.connect(true);
    });
    addEventListener("pageshow", (e) => {
      if (e.persisted) this.connect(true);
    });
    addEventListener("online", () => this.connect(true));
    addEventListener("pagehide", () => this.source?.close());
    setInterval(() => {
      if (Date.now() - this.heard > SILENCE_MS && !document.hidden) this.connect(true);
    }, 5000);
  }

  connect(refetch = false) {
    this.source?.close();
    this.heard = Date.now();
    if (refetch) this.fetch().catch(() => this.failed());
    const source = new EventSource(`/api/events?since=${this.since ?? 0}`);
    this.source = source;
    source.onopen = () => {
      this.heard = Date.now();
      this.line(true);
    };
    source.onerror = () => {
      this.line(false);
      if (source.readyState === EventSource.CLOSED && source === this.source) {
        setTimeout(() => {
          if (source === this.source) this.connect(true);
        }, 2000);
      }
    };
    source.addEventListener("beat", () => {
      this.heard = Date.now();
    });
    for (const name of NAMES) source.addEventListener(name, (e) => this.hear(name, e));
  }

  hear(name, e) {
    this.heard = Date.now();
    if (e.lastEventId) this.since = Number(e.lastEventId);
    const body = JSON.parse(e.data);
    if (name === "state" && this.state)
      this.state.seeing = { ...this.state.seeing, state: body.state, why: null };
    this.dispatchEvent(new CustomEvent("event", { detail: body }));
    if (asksForMore(name, body)) this.fetch().catch(() => this.failed());
  }

  line(on) {
    if (!on) this.lost = true;
    if (on === this.connected) return;
    this.connected = on;
    if (on) this.fetch().catch(() => this.failed());
    this.dispatchEvent(new Event("line"));
    if (!on || !this.lost) return;
    this.lost = false;
    this.dispatchEvent(new Event("back"));
  }
}

// Hands come and go without changing what is known; only a table that was looked at is news.
function asksForMore(name, body) {
  if (name === "state")
    return body.state === "settled" || body.state === "unsure" || Boolean(body.why);
  return name !== "score" && name !== "turn";
}
