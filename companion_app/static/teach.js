// Teaching: photos of the owner's tiles, groups to name, learning, a trial, and the shelf of boxes.
import { boardSections, partWord } from "./teach_board.js";
import {
  askPin,
  attempt,
  filling,
  get,
  guideLink,
  h,
  icon,
  me,
  post,
  t,
  toast,
  upload,
  working,
} from "./ui.js";

const ASK_MS = 1200;
const MOST_NAMED = 4;

export class TeachView {
  constructor(go) {
    this.go = go;
    this.picked = new Set();
    this.element = h(
      "div.page.teach",
      {},
      h("h1", {}, t("teach-title")),
      h("p.loading", { role: "status" }, t("loading")),
    );
    document.addEventListener("host", (this.again = () => this.load()));
    this.load();
  }

  close() {
    clearTimeout(this.soon);
    document.removeEventListener("host", this.again);
  }

  async load() {
    if (!me.may.boxes) {
      this.show();
      return;
    }
    const answer = await filling(this, () => get("/api/teaching"));
    if (answer) this.take(answer);
  }

  take(answer) {
    Object.assign(this, answer);
    clearTimeout(this.soon);
    if (this.learning?.state === "learning") this.soon = setTimeout(() => this.load(), ASK_MS);
    this.show();
  }

  show() {
    this.element.replaceChildren(
      h("h1", {}, t("teach-title")),
      ...(me.host
        ? [this.photos(), ...(this.lesson ? [...this.found(), this.finish()] : [])]
        : [
            h(
              "section.card",
              {},
              h("p", {}, t("teach-text")),
              h("button.primary", { onclick: () => askPin() }, icon("key"), t("be-host")),
            ),
          ]),
      ...(me.may.boxes ? [this.shelf()] : []),
    );
  }

  found() {
    return this.onBoard() ? boardSections(this).filter(Boolean) : [this.groups()];
  }

  onBoard() {
    return (this.lesson?.shape ?? this.shape) === "board";
  }

  // --- photos ----------------------------------------------------------------------------------

  photos() {
    const shape = h(
      "select",
      {
        id: "teach-shape",
        disabled: !!this.lesson,
        onchange: (e) => {
          this.shape = e.target.value;
          this.show();
        },
      },
      ...["square", "hex", "board"].map((name) =>
        h(
          "option",
          { value: name, selected: (this.lesson?.shape ?? this.shape) === name },
          t("teach-" + name),
        ),
      ),
    );
    const file = h("input.file", {
      type: "file",
      accept: "image/*",
      capture: "environment",
      id: "teach-photo",
      onchange: (e) => this.send(e.target.files[0], shape.value),
    });
    const found = this.onBoard()
      ? this.lesson?.boards.reduce((sum, board) => sum + board.pieces.length, 0)
      : this.lesson?.tiles.length;
    return h(
      "section.card",
      {},
      h("p", {}, t("teach-text")),
      h("p.quiet", {}, t(this.onBoard() ? "teach-how-board" : "teach-how")),
      guideLink("own-boxes"),
      h("label.field", {}, h("span", {}, t("teach-shape")), shape),
      ...(this.onBoard() ? this.boardGames() : []),
      h(
        "div.row.wrap",
        {},
        h("label.button.primary", { for: "teach-photo" }, icon("camera"), t("take-photo")),
        file,
        me.camera
          ? h(
              "button",
              { onclick: () => this.fromTable(shape.value) },
              icon("table"),
              t("teach-from-table"),
            )
          : null,
        this.lesson
          ? h("button", { onclick: () => this.forget() }, icon("cross"), t("teach-forget"))
          : null,
      ),
      this.busy ? working(t("reading")) : null,
      this.lesson
        ? h(
            "p.quiet",
            { role: "status" },
            `${t("teach-tiles", { n: found })} ${t("teach-in-photos", { n: this.lesson.photos.length })}`,
          )
        : null,
    );
  }

  boardGames() {
    const now = this.lesson?.game ?? this.game,
      games = Object.entries(this.boards);
    const not = games.filter(([, { can }]) => !can).map(([, { title }]) => title);
    return [
      h(
        "label.field",
        {},
        h("span", {}, t("teach-game")),
        h(
          "select",
          {
            id: "teach-board-game",
            disabled: !!this.lesson,
            onchange: (e) => {
              this.game = e.target.value;
            },
          },
          ...games
            .filter(([, { can }]) => can)
            .map(([name, { title }]) =>
              h("option", { value: name, selected: now === name }, title),
            ),
        ),
      ),
      not.length && !this.lesson
        ? h("p.quiet", {}, t("teach-board-not", { games: not.join(", ") }))
        : null,
    ];
  }

  // What goes with a photo: the shape, and whose board it is.
  about(shape) {
    if (shape !== "board") return { shape };
    const game =
      this.lesson?.game ??
      (this.boards[this.game]?.can
        ? this.game
        : Object.keys(this.boards).find((name) => this.boards[name].can));
    return { shape, game, ...(this.improved ? { set: this.improved } : {}) };
  }

  async send(file, shape) {
    if (!file) return;
    const form = new FormData();
    form.append("photo", file);
    for (const [name, value] of Object.entries(this.about(shape))) form.append(name, value);
    await this.working(() => upload("/api/teaching/photo", form));
  }

  async fromTable(shape) {
    await this.working(() => post("/api/teaching/photo", this.about(shape)));
  }

  async working(action) {
    this.busy = true;
    this.show();
    const answer = await attempt(action, { quiet: true });
    this.busy = false;
    if (answer) this.take(answer);
    else this.show();
  }

  async forget() {
    const answer = await attempt(() => post("/api/teaching/lesson", { forget: true }));
    this.picked.clear();
    if (answer) this.take(answer);
  }

  // --- groups ----------------------------------------------------------------------------------

  members() {
    const groups = new Map();
    this.lesson.tiles.forEach((tile, n) => {
      if (tile.group >= 0) groups.set(tile.group, [...(groups.get(tile.group) ?? []), n]);
    });
    return [...groups].sort((a, b) => b[1].length - a[1].length || a[0] - b[0]);
  }

  groups() {
    const picked = this.picked.size;
    const bare = this.lesson.photos.filter(
      (photo) => !this.lesson.tiles.some((tile) => tile.photo === photo),
    );
    return h(
      "section.card",
      {},
      h("h2", {}, t("teach-name-them")),
      this.lesson.tiles.length ? h("p.quiet", {}, t("teach-name-how")) : null,
      bare.length
        ? h("p.problem", { role: "alert" }, t("teach-nothing-in", { n: bare.length }))
        : null,
      h(
        "div.row.wrap.teach-marks",
        {},
        ...this.lesson.photos.map((photo, n) =>
          h(
            `button${bare.includes(photo) ? ".primary" : ""}`,
            { onclick: () => this.mark(n) },
            icon("plus"),
            t("teach-mark-in", { n: n + 1 }),
          ),
        ),
      ),
      h(
        "div.teach-tools",
        { hidden: !picked, role: "toolbar" },
        h("span", {}, t("teach-picked", { n: picked })),
        h("button", { onclick: () => this.move("new") }, t("teach-split")),
        h("button", { onclick: () => this.move("out") }, icon("cross"), t("teach-leave-out")),
      ),
      ...this.members().map(([group, tiles]) => this.group(group, tiles)),
    );
  }

  mark(photo) {
    attempt(async () =>
      (await import("./teach_mark.js")).markTiles(photo, this.lesson.shape, (answer) =>
        this.take(answer),
      ),
    );
  }

  group(group, tiles) {
    const known = [
      ...new Set([...(this.games[this.game] ?? []), ...Object.values(this.lesson.names)]),
    ].filter(Boolean);
    const name = h("input", {
      type: "text",
      list: `names-${group}`,
      value: this.lesson.names[group] ?? "",
      maxlength: 60,
      placeholder: t("teach-kind"),
      "aria-label": t("teach-kind"),
      autocomplete: "off",
      "data-group": group,
      onchange: (e) => this.called(group, e.target.value),
    });
    return h(
      "div.teach-group",
      {},
      h(
        "div.teach-tiles",
        {},
        ...tiles.map((n) =>
          h(
            "button.teach-tile",
            {
              "aria-pressed": String(this.picked.has(n)),
              "aria-label": t("teach-tile", { n: n + 1 }),
              onclick: () => this.pick(n),
            },
            h("img", {
              src: `/api/teaching/tiles/${n}.jpg?g=${group}-${this.lesson.up[group] ?? 0}`,
              alt: "",
              width: 56,
              height: 56,
            }),
          ),
        ),
      ),
      h(
        "div.row",
        {},
        name,
        h(
          "datalist",
          { id: `names-${group}` },
          ...known.map((kind) => h("option", { value: kind, label: this.words[kind] ?? kind })),
        ),
        h(
          "button",
          {
            title: t("teach-turn"),
            "aria-label": t("teach-turn"),
            onclick: () => this.change({ up: { [group]: (this.lesson.up[group] ?? 0) + 1 } }),
          },
          icon("redo"),
        ),
        this.picked.size ? h("button", { onclick: () => this.move(group) }, t("teach-here")) : null,
      ),
    );
  }

  // Nothing is drawn anew: the next name is being typed already.
  async called(group, name) {
    this.lesson.names[group] = name;
    await attempt(() => post("/api/teaching/lesson", { names: { [group]: name } }));
  }

  pick(n) {
    if (!this.picked.delete(n)) this.picked.add(n);
    this.show();
  }

  async move(into) {
    await this.change({ tiles: [...this.picked], into });
    this.picked.clear();
    this.show();
  }

  async change(sent) {
    const answer = await attempt(() => post("/api/teaching/lesson", sent));
    if (answer) this.take(answer);
  }

  // --- learning --------------------------------------------------------------------------------

  finish() {
    const name = h("input", {
      type: "text",
      id: "teach-name",
      value: this.name ?? "",
      maxlength: 60,
      onchange: (e) => {
        this.name = e.target.value.trim();
      },
    });
    const game = this.onBoard()
      ? null
      : h(
          "select",
          {
            id: "teach-game",
            onchange: (e) => {
              this.game = e.target.value;
              this.show();
            },
          },
          h("option", { value: "" }, t("teach-no-game")),
          ...(this.lesson.shape === "square"
            ? Object.keys(this.games).map((key) =>
                h("option", { value: key, selected: this.game === key }, this.titles[key]),
              )
            : []),
        );
    const ups = () =>
      h(
        "label.option",
        {},
        h("input", {
          type: "checkbox",
          checked: !!this.ups,
          onchange: (e) => {
            this.ups = e.target.checked;
          },
        }),
        h("span", {}, t("teach-ups")),
      );
    const said = this.learning ?? { state: "idle" };
    return h(
      "section.card",
      {},
      h("h2", {}, t("teach-learn")),
      h("label.field", {}, h("span", {}, t("teach-box-name")), name),
      ...(game ? [h("label.field", {}, h("span", {}, t("teach-game")), game), ups()] : []),
      h(
        "button.primary.big.wide",
        {
          id: "teach-go",
          disabled: said.state === "learning",
          onclick: () => this.learn(name.value.trim()),
        },
        icon("check"),
        t("teach-learn"),
      ),
      said.state === "learning" ? working(t("teach-learning")) : null,
      said.state === "failed" ? h("p.problem", { role: "alert" }, said.text) : null,
      said.state === "learnt" ? report(this.inWords(said.report), this.isBoard(said.report)) : null,
    );
  }

  isBoard(made) {
    return made.shape === "hex" && made.game in this.boards;
  }

  // Tiles of a game are said in words; so is what a taught board tells apart, which has no names of its own.
  inWords(made) {
    const word = (kind) =>
      this.isBoard(made)
        ? partWord(kind, this.boards[made.game].colours)
        : (this.words[kind] ?? kind);
    const named = (list) => list.map((one) => ({ ...one, tile: word(one.tile) }));
    return {
      ...made,
      kinds: named(made.kinds),
      unsure: named(made.unsure),
      missing: made.missing.map(word),
      alike: made.alike.map((pair) => ({ ...pair, tiles: pair.tiles.map(word) })),
    };
  }

  async learn(name) {
    this.name = name;
    const answer = await attempt(() =>
      post("/api/teaching/learn", {
        name,
        game: this.game in this.games && this.lesson.shape === "square" ? this.game : null,
        ups: !!this.ups,
      }),
    );
    if (!answer) return;
    this.take(answer);
    // It may have been learnt in the meantime, and lie on the shelf.
    this.load();
  }

  // --- the shelf -------------------------------------------------------------------------------

  shelf() {
    const file = h("input.file", {
      type: "file",
      accept: ".zip",
      id: "teach-import",
      onchange: (e) => this.import(e.target.files[0]),
    });
    return h(
      "section.card",
      {},
      h("h2", {}, t("teach-shelf")),
      ...(this.boxes?.length
        ? this.boxes.map((box) => this.box(box))
        : [h("p.quiet", {}, t("teach-none"))]),
      ...(this.refused ?? []).map((one) =>
        h(
          "div.row.wrap.refused",
          { "data-file": one.file },
          h("p", { title: one.detail }, one.text),
          h("span.grow"),
          h(
            "button.danger",
            { onclick: () => this.remove(one.file.replace(/\.[a-z]+$/, "")) },
            icon("cross"),
            t("teach-delete"),
          ),
        ),
      ),
      me.host
        ? h(
            "div.row.wrap",
            {},
            h("label.button", { for: "teach-import" }, icon("share"), t("teach-import")),
            file,
          )
        : null,
    );
  }

  box(kept) {
    const box = this.inWords(kept);
    const sure = box.kinds.length
      ? box.kinds.reduce((sum, kind) => sum + kind.sure, 0) / box.kinds.length
      : 0;
    const trial = h("input.file", {
      type: "file",
      accept: "image/*",
      capture: "environment",
      id: `trial-${box.name}`,
      onchange: (e) => this.try(box.name, e.target.files[0]),
    });
    return h(
      "details.teach-box",
      { "data-box": box.name, open: this.trial?.name === box.name },
      h(
        "summary",
        {},
        h("b", {}, box.title),
        h("span.grow"),
        h(
          "small",
          {},
          t(this.isBoard(box) ? "teach-box-board" : "teach-box", {
            n: box.kinds.length,
            sure: Math.round(sure * 100),
          }),
        ),
      ),
      box.game
        ? h("p.quiet", {}, `${t("teach-game")}: ${this.titles[box.game] ?? box.game}`)
        : null,
      box.unsure.length
        ? h(
            "p.quiet",
            {},
            t("teach-unsure", {
              kinds: box.unsure
                .slice(0, 6)
                .map((one) => one.tile)
                .join(", "),
            }),
          )
        : null,
      ...box.alike
        .slice(0, 3)
        .map((pair) => h("p.quiet", {}, t("teach-alike", { a: pair.tiles[0], b: pair.tiles[1] }))),
      me.host ? advice(box, this.isBoard(box)) : null,
      h(
        "p",
        { role: "status" },
        this.trial?.name === box.name && !this.trial.busy
          ? t("teach-tried", { n: this.trial.sure, unsure: this.trial.unsure })
          : "",
      ),
      this.trial?.name === box.name && this.trial.busy ? working(t("reading")) : null,
      h(
        "div.row.wrap",
        {},
        ...(me.host
          ? [
              h("label.button", { for: `trial-${box.name}` }, icon("camera"), t("teach-try")),
              trial,
              h("button", { onclick: () => this.improve(kept) }, icon("plus"), t("teach-improve")),
            ]
          : []),
        box.game
          ? h(
              "button",
              { onclick: () => this.go(`/new?set=${encodeURIComponent(box.name)}`) },
              icon("table"),
              t("teach-play"),
            )
          : null,
        h(
          "a.button",
          { href: `/api/teaching/boxes/${box.name}.zip`, download: "" },
          icon("share"),
          t("teach-export"),
        ),
        ...(me.host
          ? [
              h("button", { onclick: () => this.rename(box) }, t("teach-rename")),
              h(
                "button.danger",
                { onclick: () => this.remove(box.name, box.title) },
                icon("cross"),
                t("teach-delete"),
              ),
            ]
          : []),
      ),
    );
  }

  improve(box) {
    this.name = box.title;
    this.improved = box.name;
    this.shape = this.isBoard(box) ? "board" : box.shape;
    this.game = box.game ?? "";
    this.show();
    scrollTo(0, 0);
  }

  async try(name, file) {
    if (!file) return;
    this.trial = { name, busy: true };
    this.show();
    const form = new FormData();
    form.append("photo", file);
    form.append("set", name);
    const answer = await attempt(() => upload("/api/teaching/trial", form), { quiet: true });
    this.trial = answer ? { name, sure: answer.sure, unsure: answer.unsure } : null;
    this.show();
  }

  async rename({ name, title }) {
    const to = prompt(t("teach-box-name"), title);
    if (to && to !== title)
      this.kept(await attempt(() => post("/api/teaching/boxes", { rename: name, to })));
  }

  async remove(name, title = name) {
    if (confirm(t("teach-delete-sure", { name: title })))
      this.kept(await attempt(() => post("/api/teaching/boxes", { delete: name })));
  }

  async import(file) {
    if (!file) return;
    const sent = (name) => {
      const form = new FormData();
      form.append("box", file);
      if (name) form.append("name", name);
      return upload("/api/teaching/import", form);
    };
    // A box of that name is there already: this one may have another.
    const other = (error) => {
      const name =
        error.code === "teach-name-taken" &&
        prompt(error.message, file.name.replace(/( ?\(\d+\))?\.zip$/i, "-2"));
      if (!name) throw error;
      return sent(name);
    };
    const answer = await attempt(() => sent().catch(other));
    this.kept(answer);
  }

  kept(answer) {
    if (!answer) return;
    toast(t("kept"));
    this.load();
  }
}

function report(made, board) {
  const sure = made.kinds.reduce((sum, kind) => sum + kind.sure, 0) / made.kinds.length;
  return h(
    "div.teach-report",
    { role: "status" },
    h(
      "p",
      {},
      h(
        "b",
        {},
        t(board ? "teach-learnt-board" : "teach-learnt", {
          name: made.title ?? made.set,
          n: made.kinds.length,
          sure: Math.round(sure * 100),
        }),
      ),
    ),
    made.unsure.length
      ? h(
          "p",
          {},
          t("teach-unsure", {
            kinds: made.unsure
              .slice(0, 6)
              .map((one) => one.tile)
              .join(", "),
          }),
        )
      : null,
    ...made.alike
      .slice(0, 3)
      .map((pair) => h("p", {}, t("teach-alike", { a: pair.tiles[0], b: pair.tiles[1] }))),
    advice(made, board),
  );
}

function advice(made, board) {
  const text = bestPhoto(made) && board ? t("teach-next-board") : bestPhoto(made);
  return text ? h("p.ready-line.teach-next", {}, icon("camera"), h("span", {}, text)) : null;
}

// Which photo would help most: kinds that none shows yet, then a better one, then look-alikes, then what was seen once.
export function bestPhoto({ missing, poor = [], alike, unsure, kinds }) {
  const listed = (names) =>
    names.slice(0, MOST_NAMED).join(", ") +
    (names.length > MOST_NAMED ? ` + ${names.length - MOST_NAMED}` : "");
  if (missing.length) return t("teach-next-missing", { kinds: listed(missing) });
  if (poor.length) return t("teach-next-poor");
  const doubtful = [
    ...new Set([
      ...alike.slice(0, 2).flatMap((pair) => pair.tiles),
      ...unsure.map((one) => one.tile),
    ]),
  ];
  if (doubtful.length) return t("teach-next-alike", { kinds: listed(doubtful) });
  const once = kinds.filter((kind) => kind.examples === 1).map((kind) => kind.tile);
  return once.length ? t("teach-next-once", { kinds: listed(once) }) : "";
}
