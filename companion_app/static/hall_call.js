// At a table that is in a hall: the button that calls the arbiter.
import { attempt, get, h, icon, post, t } from "./ui.js";

export class HallCall {
  constructor() {
    this.element = h("div.row", { hidden: true });
    this.update();
  }

  async update() {
    const now = await get("/api/hall").catch(() => null);
    this.element.hidden = !now?.name;
    if (!now?.name) return;
    this.element.replaceChildren(
      h(
        "button.wide",
        { "aria-pressed": String(now.hand), onclick: () => this.raise(!now.hand) },
        icon("hand"),
        t(now.hand ? "hall-called" : "hall-call-arbiter"),
      ),
    );
  }

  async raise(raised) {
    await attempt(() => post("/api/hall/hand", { raised }));
    this.update();
  }
}
