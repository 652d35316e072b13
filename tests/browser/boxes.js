// What lies wrongly on a page: texts over each other, cut off, or off the side. An expression: a
// function of the page's width.
(width) => {
  const top = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document.body;
  const faults = [];
  // A name of forty letters may end in dots; it is read in full where it was written.
  const NAMES_OF_PEOPLE = ".who b, .ranks span, .sitter small, .hall-table .name";
  const styles = new Map();
  const style = (e) => styles.get(e) ?? styles.set(e, getComputedStyle(e)).get(e);
  const called = (e) =>
    `${e.tagName.toLowerCase()}.${e.className?.baseVal ?? e.className} "${e.textContent.trim().slice(0, 40)}"`;
  // What is fixed, or laid over the page on purpose, is compared with its own kind only.
  const layer = (e) => {
    for (; e && e !== top; e = e.parentElement)
      if (
        ["fixed", "sticky"].includes(style(e).position) ||
        e.matches(".moment, .seeing-place, #toasts, .spot")
      )
        return e;
    return top;
  };
  // What of a box is seen through everything around it that cuts or scrolls.
  const seenOf = (e, box) => {
    let { left, right, top: high, bottom } = box;
    let cutter = null;
    for (let around = e; around; around = around.parentElement) {
      const { overflowX, overflowY, position } = style(around);
      if (overflowX !== "visible" || overflowY !== "visible") {
        const frame = around.getBoundingClientRect();
        const before = [left, right, high, bottom].join();
        if (overflowX !== "visible")
          [left, right] = [Math.max(left, frame.left), Math.min(right, frame.right)];
        if (overflowY !== "visible")
          [high, bottom] = [Math.max(high, frame.top), Math.min(bottom, frame.bottom)];
        if (before !== [left, right, high, bottom].join()) cutter ??= around;
      }
      if (position === "fixed") break;
    }
    return { left, right, top: high, bottom, cutter };
  };
  const shown = (e) =>
    e.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
    !e.closest(".quiet-for-eyes, .skip, .file, svg, [aria-hidden=true]");
  const items = [];
  const walk = document.createTreeWalker(top, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const e = node.parentElement;
    if (!node.data.trim() || !shown(e) || e.matches("option, script, style")) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const line of range.getClientRects()) {
      // A line is written within its letters' height, which is more than the letters take.
      const box = {
        left: line.left,
        right: line.right,
        top: line.top + 0.2 * line.height,
        bottom: line.bottom - 0.2 * line.height,
      };
      const seen = seenOf(e, box);
      const clipped = seen.right - seen.left < 4 && seen.bottom - seen.top < 4;
      if (clipped && style(e).clipPath !== "none") continue;
      const scrolls = seen.cutter && ["auto", "scroll"].includes(style(seen.cutter).overflowY);
      const narrower = box.right - box.left - Math.max(0, seen.right - seen.left) > 1.5;
      const lower = box.bottom - box.top - Math.max(0, seen.bottom - seen.top) > 1.5;
      if (e.matches(NAMES_OF_PEOPLE)) continue;
      if (
        seen.cutter &&
        (narrower || (lower && !scrolls)) &&
        !seen.cutter.matches(".quiet-for-eyes")
      )
        faults.push(`cut off: ${called(e)}`);
      if (seen.right > seen.left && seen.bottom > seen.top)
        items.push({ e, node, ...seen, layer: layer(e) });
    }
  }
  for (const e of top.querySelectorAll("*")) {
    if (!shown(e)) continue;
    const { overflowX, textOverflow, borderTopWidth, borderTopStyle, backgroundColor } = style(e);
    // The drawing of a table is moved about with a finger where it is larger than its place.
    if (
      !e.matches(".board") &&
      ["auto", "scroll"].includes(overflowX) &&
      e.scrollWidth > e.clientWidth + 1
    )
      faults.push(`scrolls sideways: ${called(e)}`);
    const bordered = borderTopStyle !== "none" && parseFloat(borderTopWidth) > 0;
    if (
      (bordered || backgroundColor !== "rgba(0, 0, 0, 0)") &&
      e.textContent.trim() &&
      !e.matches("html, body, main")
    ) {
      const box = seenOf(e, e.getBoundingClientRect());
      if (box.right > box.left && box.bottom > box.top) items.push({ e, ...box, layer: layer(e) });
    }
  }
  if (document.documentElement.scrollWidth > width + 1)
    faults.push(`the page scrolls sideways: ${document.documentElement.scrollWidth} px`);
  for (const one of items)
    if (one.left < -1 || one.right > width + 1) faults.push(`off the side: ${called(one.e)}`);
  items.sort((a, b) => a.top - b.top);
  for (let n = 0; n < items.length; n++) {
    const a = items[n];
    for (let m = n + 1; m < items.length && items[m].top < a.bottom - 2; m++) {
      const b = items[m];
      if (a.layer !== b.layer || Math.min(a.right, b.right) - Math.max(a.left, b.left) <= 2)
        continue;
      if (Math.min(a.bottom, b.bottom) - b.top <= 2) continue;
      const within = (box, one) => !box.node && box.e.contains(one.e);
      if ((a.node && a.node === b.node) || within(a, b) || within(b, a)) continue;
      faults.push(`over each other: ${called(a.e)} and ${called(b.e)}`);
    }
  }
  return [...new Set(faults)];
};
