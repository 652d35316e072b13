// Backup and restore, for the host: everything that is kept in one file, fetched or brought back.
import { attempt, get, h, icon, post, sheet, t, TRY_AGAIN_MS, upload, working } from "./ui.js";

const PART_BYTES = 4 << 20;

export function showBackups() {
  const said = h("div", { "aria-live": "polite" });
  const secrets = h("input", { type: "checkbox" });
  const file = h("input.file", {
    type: "file",
    accept: ".zip,application/zip",
    id: "backup-file",
    onchange: () => {
      sure(file.files[0]);
      file.value = "";
    },
  });
  const say = (...content) => said.replaceChildren(...content.filter(Boolean));

  const make = async () => {
    say(working(t("backup-making")));
    const made = await attempt(() => post("/api/backup"), { quiet: true });
    say(
      ...(made ? [h("p", {}, t("backup-made", { mb: (made.bytes / 1e6).toFixed(1) })), link] : []),
    );
    if (made) link.click();
  };
  const link = h(
    "a.button.wide",
    { href: "/api/backup.zip", download: "" },
    icon("share"),
    t("backup-fetch"),
  );

  const sure = (chosen) => {
    if (!chosen) return;
    say(
      h("p", {}, t("restore-sure", { name: chosen.name })),
      h(
        "div.row.wrap",
        {},
        h("button", { onclick: () => say() }, t("cancel")),
        h("span.grow"),
        h("button.danger", { id: "restore-go", onclick: () => restore(chosen) }, t("restore")),
      ),
    );
  };
  const restore = async (chosen) => {
    const sent = await attempt(
      async () => {
        for (let at = 0; at < chosen.size || at === 0; at += PART_BYTES) {
          say(working(t("restore-sending"), chosen.size ? at / chosen.size : 0));
          await upload(`/api/backup/part?at=${at}`, chosen.slice(at, at + PART_BYTES), {
            "Content-Type": "application/octet-stream",
          });
        }
        return true;
      },
      { quiet: true },
    );
    if (sent) say(working(t("restore-checking")));
    const done =
      sent &&
      (await attempt(() => post("/api/backup/restore", { with_secrets: secrets.checked }), {
        quiet: true,
      }));
    if (!done) {
      say(h("p.problem", {}, t("restore-not")));
      return;
    }
    say(
      h("p", {}, t("restored", { n: done.files })),
      done.left_out ? h("p", {}, t("restore-left-out", { n: done.left_out })) : null,
      working(t("restore-again")),
    );
    again();
  };

  sheet(
    t("backup"),
    h("p", {}, t("backup-text")),
    h("button.primary.wide", { id: "backup-make", onclick: make }, icon("share"), t("backup-make")),
    h("h2.apart", {}, t("restore")),
    h("p", {}, t("restore-text")),
    h("label.option", {}, secrets, h("span", {}, t("restore-secrets"))),
    file,
    h("label.button.wide", { for: "backup-file" }, icon("undo"), t("restore-choose")),
    said,
  );
}

// The box starts again with what was restored: the page with it.
function again() {
  setTimeout(() => get("/api/state").then(() => location.assign("/"), again), TRY_AGAIN_MS);
}
