// What a sweep needs on the page: what opens, pressing it, and standing as it stood before.
{
  const real = window.fetch;
  // What was asked for and has not come yet: answers, and a stream's first word.
  const due = new Set();
  // Whatever would change something at the table is not sent, and never answered.
  window.fetch = (url, how) => {
    if (how?.method && how.method !== "GET") return new Promise(() => {});
    const answer = real(url, how);
    due.add(answer);
    answer
      .then((came) => came.clone().arrayBuffer())
      .catch(() => {})
      .finally(() => setTimeout(() => due.delete(answer)));
    return answer;
  };
  const Stream = window.EventSource;
  window.EventSource = class extends Stream {
    constructor(url) {
      super(url);
      // The table's own line has news alone; its state is asked for beside it.
      if (!url.startsWith("/api/events")) due.add(this);
    }
    addEventListener(name, act) {
      super.addEventListener(name, (e) => {
        act(e);
        due.delete(this);
      });
    }
    close() {
      due.delete(this);
      super.close();
    }
  };
  window.open = () => null;
  window.print = () => {};

  const top = () => [...document.querySelectorAll("dialog[open]")].at(-1) ?? document.body;
  const said = (e) =>
    (e.getAttribute("aria-label") || e.title || e.textContent).trim().replace(/\s+/g, " ");
  // One of many alike stands for all of them.
  const keyOf = (e) => {
    const list = e.closest("ol, ul, .tile-grid, .piece-row, .game-grid, .board, svg, .stock-row");
    if (list) return `one of ${(list.className.baseVal ?? list.className) || list.tagName}`;
    return `${e.tagName.toLowerCase()}.${e.className} ${said(e).slice(0, 40)}`;
  };
  const pressable = () =>
    [...top().querySelectorAll("button, summary, .board .tap")].filter(
      (e) =>
        e.checkVisibility({ visibilityProperty: true }) &&
        !e.disabled &&
        !e.closest("[inert], #toasts, #tabs, #top"),
    );
  const seen = () =>
    location.pathname +
    document.querySelectorAll("dialog[open]").length +
    document.querySelectorAll("details[open]").length +
    top().textContent.length +
    (document.querySelector(".board svg")?.querySelectorAll("*").length ?? 0);
  const closed = () => {
    for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
    document.getElementById("toasts")?.replaceChildren();
    localStorage.clear();
  };
  const standing = () => `${seen()} ${document.querySelectorAll("main :disabled").length}`;
  // What was seen when the view was opened, and which of its folds were open.
  let asOpened = "";
  const unfolded = new Set();
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));

  window.sweep = {
    frame,
    openable: () => [...new Set(pressable().map(keyOf))],

    // What asks the table in vain goes on waiting; the rest is there soon.
    async settled(patience = 12) {
      await frame();
      const waits = "main .loading, main .board:empty, dialog .loading";
      const isAwaited = (n) => (due.size ? n < 200 : n < patience && document.querySelector(waits));
      for (let n = 0; isAwaited(n); n++) {
        await new Promise((done) => setTimeout(done, 40));
        await frame();
      }
      for (const one of document.getAnimations())
        try {
          one.finish();
        } catch {
          /* without an end */
        }
      await frame();
    },

    async stand(path) {
      closed();
      const { go } = await import(document.querySelector("script[type=module][src]").src);
      go(path);
      await window.sweep.settled(200);
      asOpened = standing();
      unfolded.clear();
      for (const fold of document.querySelectorAll("details[open]")) unfolded.add(fold);
    },

    // Opened anew only where closing what was opened does not do.
    async standAgain(path) {
      closed();
      for (const fold of document.querySelectorAll("details")) fold.open = unfolded.has(fold);
      await window.sweep.settled();
      if (standing() !== asOpened) await window.sweep.stand(path);
    },

    isEmpty: () => !document.querySelector("main").innerText.trim(),

    async press(key) {
      const before = seen();
      const found = pressable().find((e) => keyOf(e) === key);
      if (!found) return false;
      found.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
      await window.sweep.settled();
      return seen() !== before;
    },
  };
}
