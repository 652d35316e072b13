// The health view: what is well and what is not, and the version that runs.
import { filling, get, guideLink, h, icon, t } from "./ui.js";

const MARKS = { true: ["check", "well"], false: ["cross", "fault"], null: ["hint", "unknown"] };

const isPart = ({ name }) => name.startsWith("model ");
const isWell = (check) => !isPart(check) || check.ok;
// What an owner can do something about; the rest lies under the details.
const matters = ({ name, ok, fix }) =>
  ok === false || !(isPart({ name }) || name === "versions" || (ok === null && !fix));

export class HealthView {
  constructor() {
    this.list = h("div", { "aria-live": "polite" }, h("p.loading", {}, t("loading")));
    this.element = h(
      "div.page.health",
      {},
      h("h1", {}, t("health-view")),
      guideLink("trouble"),
      this.list,
    );
    this.load();
  }

  async load() {
    const answer = await filling(this, () => get("/api/health"));
    if (!answer) return;
    this.list.replaceChildren(
      h(
        "p.card.verdict",
        {},
        icon(answer.ok ? "check" : "cross"),
        h("b", {}, t(answer.ok ? "health-ok" : "health-not")),
      ),
      this.checks(answer.checks.filter(matters), answer.checks.every(isWell)),
      h(
        "details.card.rest",
        {},
        h("summary", {}, t("details")),
        this.checks(answer.checks.filter((check) => !matters(check))),
      ),
      h("button", { onclick: () => this.load() }, t("check-again")),
      h("p", {}, t("version-is", { version: answer.version })),
    );
  }

  // All that the reader is made of is one line, as long as nothing of it is missing.
  checks(listed, isWhole = false) {
    return h(
      "ul.card.checks",
      {},
      ...listed.map((check) => this.check(check)),
      isWhole ? this.check({ title: t("check-model"), ok: true, text: t("reader-whole") }) : null,
    );
  }

  check({ title, ok, text, fix }) {
    const [name, word] = MARKS[ok];
    return h(
      "li",
      { class: word },
      h("span.mark", { role: "img", "aria-label": t("is-" + word) }, icon(name)),
      h("div", {}, h("b", {}, title), h("p", {}, text), fix ? h("p.fix", {}, fix) : null),
    );
  }
}
