// Joining the table: the code, then the players that this phone speaks for; and who may say what.
import { askPin, attempt, avatar, h, icon, loadMe, me, post, sheet, t } from "./ui.js";

// For the machine anybody who sits at the table speaks.
const speaksFor = (state, who) =>
  me.seats.includes(who) || (me.seats.length > 0 && who in (state?.machine?.seats ?? {}));
export const mayMove = (state) => me.host || (me.may_answer && speaksFor(state, state.turn));
export const mayAnswer = (question, state) =>
  me.host ||
  (me.may_answer && !question.drops && question.concerns.some((one) => speaksFor(state, one)));

// True once this phone has joined; whoever knows the code already only chooses.
export async function askSeat(state) {
  if (!me.join_code && !(await askCode())) return false;
  return state?.game ? chooseSeat(state) : tellLater();
}

export async function joinBy(code) {
  await post("/api/join", { code });
  await loadMe();
}

function askCode() {
  return new Promise((done) => {
    const field = h("input.pin.code", {
      type: "text",
      autocomplete: "off",
      autocapitalize: "characters",
      maxlength: 8,
      "aria-label": t("join-code"),
      id: "code-field",
    });
    const problem = h("p.problem", { role: "alert" });
    let yes = false;
    const form = h(
      "form",
      {
        onsubmit: async (e) => {
          e.preventDefault();
          try {
            await joinBy(field.value);
            yes = true;
            dialog.close();
          } catch (error) {
            problem.textContent = error.message;
            field.select();
          }
        },
      },
      h("p", {}, t("join-why")),
      field,
      problem,
      h("button.primary.wide", {}, t("join-enter")),
    );
    const dialog = sheet(
      t("take-seat"),
      form,
      h(
        "button.ghost.wide",
        {
          onclick: () => {
            dialog.close();
            askPin();
          },
        },
        icon("key"),
        t("be-host"),
      ),
    );
    dialog.addEventListener("close", () => done(yes));
    field.focus();
  });
}

export function chooseSeat(state) {
  return new Promise((done) => {
    const held = new Set(me.seats);
    const box = (player) =>
      h(
        "label.option",
        {},
        h("input", {
          type: "checkbox",
          checked: held.has(player.id),
          onchange: (e) => {
            if (e.target.checked) held.add(player.id);
            else held.delete(player.id);
          },
        }),
        avatar(player),
        h(
          "span",
          {},
          t("i-am", { player: player.name }),
          me.taken[player.id] && !me.seats.includes(player.id)
            ? h("small", {}, ` ${t("seat-shared")}`)
            : null,
        ),
      );
    const playing = new Set(state.players.map((player) => player.id));
    const sit = async (seats) => {
      if (await attempt(() => post("/api/join", { code: me.join_code, seats }))) {
        await loadMe();
        dialog.close();
      }
    };
    const dialog = sheet(
      t("join-who"),
      ...state.players.map(box),
      h(
        "div.row",
        {},
        h("button", { onclick: () => sit([]) }, t("just-watching")),
        h("span.grow"),
        h(
          "button.primary",
          { onclick: () => sit([...held].filter((one) => playing.has(one))) },
          t("sit-down"),
        ),
      ),
    );
    dialog.addEventListener("close", () => {
      document.dispatchEvent(new Event("host"));
      done(true);
    });
  });
}

function tellLater() {
  document.dispatchEvent(new Event("host"));
  sheet(t("take-seat"), h("p", {}, t("join-no-game")));
  return true;
}

// The join code in large letters, for those who may hand it on.
export const codeShown = () =>
  me.join_code
    ? h("p.join-code", {}, h("small", {}, t("join-code")), h("strong", {}, me.join_code))
    : null;
