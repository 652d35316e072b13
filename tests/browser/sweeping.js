// What a sweep needs on the page: what opens, pressing it, and standing as it stood before.
{
  const real = window.fetch;
  // Whatever would change something at the table is not sent, and never answered.
  window.fetch = (url, how) =>
    how?.method && how.method !== "GET" ? new Promise(() => {}) : real(url, how);
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
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));

  window.sweep = {
    frame,
    openable: () => [...new Set(pressable().map(keyOf))],

    async settled() {
      await frame();
      // What asks the table in vain goes on waiting; the rest is there soon.
      const waits = "main .loading, main .board:empty, dialog .loading";
      for (let n = 0; n < 12 && document.querySelector(waits); n++)
        await new Promise((done) => setTimeout(done, 40));
      for (const one of document.getAnimations())
        try {
          one.finish();
        } catch {
          /* without an end */
        }
      await frame();
    },

    async stand(path) {
      for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
      document.getElementById("toasts")?.replaceChildren();
      localStorage.clear();
      const { go } = await import(document.querySelector("script[type=module][src]").src);
      go(path);
      await window.sweep.settled();
    },

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
