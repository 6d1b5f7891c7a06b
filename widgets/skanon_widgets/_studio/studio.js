// The studio's panel: steps, forms, downloads. Python holds all that is decided; the
// editor of hierarchies and the inspector are widgets of their own below the panel.

const PAUSE = 250; // milliseconds after a key until what was typed is sent

/**
 * @typedef {{level: string, about: string, text: string}} Finding
 * @typedef {{label: string, value: string, key: string, parse: (text: string) => any,
 *   send: (value: any) => void, wrong: string, small?: boolean}} Field
 */

function render({ model, el: host }) {
  const panel = new Panel(model, host);
  return () => panel.remove();
}

class Panel {
  /** @param {any} model @param {HTMLElement} host */
  constructor(model, host) {
    this.model = model;
    this.view = unique("studio");
    /** @type {any} */
    this.offers = null;
    /** @type {any} */
    this.state = null;
    this.code = "";
    /** @type {any} */
    this.preview = null; // some rows before and after
    this.asking = false; // whether all roles shall change as suggested
    this.root = el("div", { class: "skanon-widget skanon-studio", role: "group" });
    this.root.setAttribute("aria-label", "Anonymization studio");
    this.head = el("div", { class: "skanon-studio-head" });
    this.body = el("div", { class: "skanon-studio-body" });
    this.root.append(this.head, this.body);
    host.append(this.root);
    const place = freePlace();
    this.named = (text) => (place > 1 ? `${text}, view ${place}` : text); // for landmarks
    this.alerts = alerts(this.root, model);
    this.say = announcer(this.root);
    const stops = [
      guard(this.root),
      connect(this.root, model, (message, buffers) => this.receive(message, buffers)),
    ];
    const clock = setInterval(() => this.tick(), 1000);
    this.remove = () => {
      places().delete(place);
      clearInterval(clock);
      stops.forEach((stop) => stop());
    };
  }

  send(name, rest) {
    tell(this.root, this.model, { do: name, ...rest }, false);
  }

  receive(message, buffers) {
    if (message.kind === "offers") this.offers = message;
    if (message.kind === "state" && this.offers) this.take(message);
    if (message.view !== this.view) return;
    if (message.kind === "file") download(message, buffers[0]);
    if (message.kind === "preview" && message.number === this.state?.release?.number) {
      this.preview = message;
      this.draw();
    }
    if (message.kind === "code" && message.number === this.state?.release?.number) {
      this.code = message.code;
      this.draw();
    }
  }

  take(state) {
    const before = this.state;
    this.state = state;
    this.began = Date.now() - 1000 * state.run.seconds;
    const news = this.body.querySelector(".skanon-studio-progress");
    if (news && state.run.state === "running" && same(before, state)) {
      return news.replaceChildren(...progress(state.run, this.began)); // the focus stays
    }
    if (state.release?.number !== before?.release?.number) {
      this.code = "";
      this.preview = null;
    }
    this.draw();
    if (before) this.announce(before);
  }

  announce(before) {
    const { step, steps, run, findings, release } = this.state;
    if (step !== before.step) {
      this.say(`Step ${step + 1} of ${steps.length}: ${steps[step].label}`);
    } else if (run.state !== before.run.state) {
      this.say(run.state === "done" ? release.figures : runWords(run));
    } else {
      const known = new Set(before.findings.map((finding) => finding.text));
      const news = findings.find((one) => one.level === "error" && !known.has(one.text));
      if (news) this.say(news.text);
    }
  }

  draw() {
    const focused = /** @type {any} */ (document.activeElement);
    const key = this.root.contains(focused) ? focused.getAttribute("data-key") : null;
    const typed = key && focused.type === "text" ? focused.value : null;
    const [start, end] = typed === null ? [] : [focused.selectionStart, focused.selectionEnd];
    const lost = this.body.contains(focused);
    this.head.replaceChildren(...this.header());
    const step = [this.columns, this.hierarchies, this.privacy, this.release][this.state.step];
    this.body.replaceChildren(...step.call(this).flat(Infinity).filter(Boolean));
    if (key === null && !lost) return;
    const all = [...this.root.querySelectorAll("[data-key]")];
    const same = /** @type {any} */ (all.find((x) => x.getAttribute("data-key") === key));
    if (same && typed !== null) {
      same.value = typed;
      same.setSelectionRange(start, end);
    }
    (same && !same.disabled ? same : this.body.querySelector("h2"))?.focus({
      preventScroll: true,
    });
  }

  tick() {
    const clock = this.body.querySelector(".skanon-studio-clock");
    if (clock) clock.textContent = seconds(this.began);
  }

  // ------------------------------------------------------------------- the steps

  header() {
    const { step, steps } = this.state;
    const list = el("ol", { class: "skanon-studio-steps" });
    steps.forEach(({ label, told, level }, at) => {
      const button = el(
        "button",
        {
          type: "button",
          class: "skanon-studio-step",
          "aria-current": at === step ? "step" : null,
          "data-key": `step ${at}`,
          onclick: () => this.send("step", { to: at }),
        },
        el("span", { class: "skanon-studio-number", "aria-hidden": "true" }, String(at + 1)),
        el("span", {}, label, told && el("span", { class: "skanon-studio-told" }, ` ${told}`)),
        level === "good" ? null : severity(level),
      );
      list.append(el("li", {}, button));
    });
    const nav = el("nav", { "aria-label": this.named("Steps"), class: "skanon-studio-nav" }, list);
    const moves = [this.undoer("undo", "Undo"), this.undoer("redo", "Redo")];
    moves.push(this.mover(-1), this.mover(1));
    return [nav, el("div", { class: "skanon-studio-move" }, moves)];
  }

  undoer(what, label) {
    const words = this.state[what];
    const name = words ? `${label}: ${words}` : label;
    const button = this.button(what, label, () => this.send(what), name);
    button.title = name;
    button.disabled = !words;
    return button;
  }

  mover(way) {
    const to = this.state.step + way;
    return el(
      "button",
      {
        type: "button",
        class: "skanon-button",
        "data-key": `move ${way}`,
        disabled: !(to in this.state.steps),
        onclick: () => this.send("step", { to }),
      },
      way < 0 ? "Back" : "Next",
    );
  }

  title(text, words) {
    return [
      el("h2", { class: "skanon-studio-title", tabIndex: -1 }, text),
      words && el("p", { class: "skanon-studio-words" }, words),
    ];
  }

  /** @param {string} about @returns {HTMLElement[]} */
  findings(about) {
    return this.state.findings.filter((one) => one.about === about).map((one) => finding(one.level, one.text));
  }

  columns() {
    const { columns, notes, records } = this.state;
    const heads = ["Column", "Values", "Role", "Suggested, and why"];
    const table = el(
      "table",
      { class: "skanon-studio-table" },
      el("caption", { class: "skanon-hidden" }, "Columns and their roles"),
      el("thead", {}, el("tr", {}, heads.map((x) => el("th", { scope: "col" }, x)))),
      el("tbody", {}, columns.map((column, at) => this.column(column, at))),
    );
    return [
      this.title(
        "What is each column?",
        `${number(records)} records, ${columns.length} columns. Numbers cannot tell which ` +
          "columns are sensitive or what others know: mark sensitive ones as sensitive.",
      ),
      notes.map((one) => finding(one.level, one.text)),
      this.cleaning(),
      this.findings("roles"),
      el("div", { class: "skanon-studio-wide" }, table),
      this.suggestions(),
      el(
        "dl",
        { class: "skanon-studio-roles" },
        Object.entries(this.offers.roles).map(([role, words]) => [
          el("dt", {}, role),
          el("dd", {}, words),
        ]),
      ),
    ];
  }

  /** What looks wrong in the table, and what was done about it. */
  cleaning() {
    const { repairs, suggested } = this.state;
    if (!repairs.length && !suggested.length) return null;
    const line = (level, { column }, text, [what, at], label, name) =>
      el(
        "li",
        {},
        severity(level),
        el("span", {}, column ? [el("b", {}, column), `: ${text}`] : text),
        this.button(`${what} ${at}`, label, () => this.send(what, { at }), name),
      );
    const done = repairs.map((one, at) => {
      const label = at < repairs.length - 1 ? "Take back from here" : "Take back";
      const name = `Take back: ${one.column} ${one.told}`;
      return line("good", one, one.told, ["unrepair", at], label, name);
    });
    const open = suggested.map((one, at) => {
      const label = one.safe ? "Repair" : "If it is so: repair";
      const name = `Repair ${one.column}: ${one.told}`;
      return line("look", one, one.reason, ["repair", at], label, name);
    });
    const safe = suggested.filter((one) => one.safe).length;
    const all = this.button("repair all", `Repair all ${safe}`, () => this.send("repair_all"));
    all.classList.add("skanon-primary");
    const words = suggested.length
      ? "Clean the table first: what looks wrong in it"
      : "What was cleaned";
    return el(
      "section",
      { class: "skanon-studio-clean", "aria-label": this.named("Clean the table") },
      el("h3", {}, words),
      el("ul", {}, done, open),
      safe > 1 ? all : null,
    );
  }

  suggestions() {
    const own = this.state.columns.filter((x) => x.role !== "sensitive");
    const other = own.filter((x) => x.role !== x.suggestion);
    if (!other.length) {
      return el("p", { class: "skanon-studio-words" }, "All columns have their suggested roles.");
    }
    const ask = (on) => () => {
      this.asking = on;
      this.draw();
      this.body.querySelector(`[data-key="${on ? "change" : "suggest"}"]`)?.focus();
    };
    if (!this.asking) return this.button("suggest", "Use the suggestions…", ask(true));
    const change = this.button("change", `Change ${other.length} of ${own.length}`, () => {
      this.asking = false;
      this.send("suggest");
    });
    change.classList.add("skanon-primary");
    return el(
      "div",
      { class: "skanon-studio-ask", role: "group", "aria-label": "Use the suggestions" },
      el("p", {}, "This changes (Undo takes it back):"),
      el(
        "ul",
        {},
        other.map((x) => el("li", {}, `${x.name}: ${x.role} → `, el("b", {}, x.suggestion))),
      ),
      other.some((x) => x.suggestion === "sensitive") && !this.state.settings.constraints.length
        ? el("p", {}, "A constraint is added that protects what becomes sensitive.")
        : null,
      change,
      this.button("keep", "Change nothing", ask(false)),
    );
  }

  column(column, at) {
    const { name, role, suggestion, reason } = column;
    const values = `${number(column.distinct)} ${column.distinct === 1 ? "value" : "values"}`;
    const missing = column.missing ? `, ${number(column.missing)} missing` : "";
    const options = Object.fromEntries(Object.keys(this.offers.roles).map((x) => [x, x]));
    const why = el("span", { class: "skanon-studio-why" }, reason);
    const other = role === suggestion ? suggestion : el("b", {}, suggestion);
    return el(
      "tr",
      {},
      el("th", { scope: "row" }, name),
      el("td", {}, `${values} · ${column.kind}${missing}`),
      el(
        "td",
        {},
        this.select(`role ${at}`, `Role of ${name}`, options, role, (value) =>
          this.send("role", { at, role: value }),
        ),
      ),
      el("td", {}, other, el("br", {}), why),
    );
  }

  hierarchies() {
    const { faults } = this.state;
    return [
      this.title(
        "What may values become?",
        "Choose for each quasi-identifier what its values may become, and edit groups " +
          "below. The defaults are fine for a first release.",
      ),
      faults.map((text) => finding("error", text)),
    ];
  }

  privacy() {
    const { settings } = this.state;
    const rows = [
      this.row("k", "k", this.field(numberField("k", "k", settings.k, (value) => {
        this.send("set", { name: "k", value });
      })), el("p", {}, "Each person hides among at least so many.")),
      this.row("constraints", "Constraints", ...this.constraints()),
      this.choice("algorithm", "Algorithm", this.offers.algorithms),
      this.choice("effort", "Work", this.offers.efforts),
      this.choice("loss", "What counts as loss", this.offers.losses),
      this.row(
        "max_suppression",
        "Suppressed at most",
        this.field({
          key: "max_suppression",
          label: "Suppressed at most, in percent of the records",
          value: String(+(100 * settings.max_suppression).toFixed(4)),
          parse: (text) => (inside(text, 100) ? Number(text) / 100 : null),
          wrong: "Give a number from 0 to 100, in percent of the records.",
          send: (value) => this.send("set", { name: "max_suppression", value }),
        }),
        el("span", {}, "% of the records"),
      ),
      settings.max_suppression > 0
        ? this.choice("suppressed", "Suppressed rows", this.offers.suppressions)
        : [],
      this.choice("encode", "What is written", this.offers.encodings),
      this.row("random_state", "Random seed", this.field(
        numberField("random_state", "Random seed", settings.random_state, (value) => {
          this.send("set", { name: "random_state", value });
        }, 0),
      ), el("span", {}, "the same number gives the same release")),
    ];
    return [
      this.title("What shall the release promise?", ""),
      el("div", { class: "skanon-studio-form" }, ...rows.flat().filter(Boolean)),
    ];
  }

  row(about, label, ...controls) {
    const found = this.findings(about);
    return [
      el("div", { class: "skanon-studio-label" }, label),
      el("div", { class: "skanon-studio-control" }, ...controls, ...found),
    ];
  }

  choice(name, label, options) {
    const now = this.state.settings[name];
    const all = now in options ? options : { [now]: now, ...options };
    const send = (value) => this.send("set", { name, value });
    return this.row(name, label, this.select(name, label, all, now, send));
  }

  constraints() {
    const { settings } = this.state;
    if (!settings.sensitive.length && !settings.constraints.length) {
      return [el("p", {}, "They protect sensitive values: mark a column as sensitive first.")];
    }
    const lines = settings.constraints.map((constraint, at) => {
      const line = this.constraint(constraint, at);
      line.append(...this.findings(`constraint ${at}`));
      return line;
    });
    const at = settings.constraints.length;
    const first = Object.keys(this.offers.constraints)[0];
    const add = this.button("add", "Add a constraint", () => this.constrain(at, first, null, -1));
    return [lines, add].flat(Infinity);
  }

  constraint({ kind, level, column, text }, at) {
    const drop = this.button(
      `drop ${at}`,
      "Remove",
      () => this.send("release", { at }),
      `Remove constraint ${at + 1}`,
    );
    const line = el("div", { class: "skanon-studio-constraint" });
    if (kind === null) {
      line.append(el("code", {}, text), drop);
      return line;
    }
    const about = this.offers.constraints[kind];
    const kinds = Object.fromEntries(
      Object.entries(this.offers.constraints).map(([x, one]) => [x, one.label]),
    );
    const names = this.state.settings.sensitive;
    const columns = Object.fromEntries([[-1, "each sensitive column"], ...Object.entries(names)]);
    const possible = (column < 0 ? names : [names[column]]).map((name) =>
      el("li", {}, `“${name}”: ${this.state.possible[name]?.[kind] || "no level is known."}`),
    );
    line.append(
      this.select(`kind ${at}`, `Constraint ${at + 1}`, kinds, kind, (value) =>
        this.constrain(at, value, null, column),
      ),
      el("span", {}, about.level),
      this.field({
        key: `level ${at}`,
        label: `${about.level} of constraint ${at + 1}`,
        value: String(level),
        parse: (typed) => (inside(typed, Infinity) ? Number(typed) : null),
        wrong: `Give a number for ${about.level}.`,
        send: (value) => this.constrain(at, kind, value, column),
      }),
      el("span", {}, "in"),
      this.select(`of ${at}`, `Column of constraint ${at + 1}`, columns, String(column), (x) =>
        this.constrain(at, kind, level, Number(x)),
      ),
      drop,
      el("p", {}, about.words),
      el("ul", {}, possible),
    );
    return line;
  }

  constrain(at, kind, level, column) {
    this.send("constrain", { at, kind, level, column }); // null: Python chooses a level
  }

  // ----------------------------------------------------------------- the release

  release() {
    const { run, release, findings, faults } = this.state;
    const wrong = findings.filter((one) => one.level === "error").map((one) => one.text);
    const running = run.state === "running";
    const go = release && !release.stale ? "Make it again" : "Make the release";
    const button = running
      ? this.button("run", "Cancel", () => this.send("cancel"))
      : this.button("run", go, () => this.send("run"));
    button.disabled = !running && wrong.length + faults.length > 0;
    if (!running) button.classList.add("skanon-primary");
    return [
      this.title("Release", ""),
      [...wrong, ...faults].map((text) => finding("error", text)),
      el(
        "div",
        { class: "skanon-studio-run" },
        button,
        running
          ? el("div", { class: "skanon-studio-progress" }, progress(run, this.began))
          : null,
      ),
      !running && runWords(run) &&
        finding(run.state === "failed" ? "error" : "look", runWords(run)),
      release && this.made(release),
    ];
  }

  made(release) {
    const files = [
      ["csv", "CSV"],
      ["parquet", "Parquet"],
      ["code", "Code (Python)"],
      ["policy", "Policy (JSON)"],
    ];
    const buttons = files.map(([what, label]) =>
      this.button(
        `file ${what}`,
        label,
        () => this.send("download", { what, view: this.view }),
        `Download ${label}`,
      ),
    );
    const show = this.button("code", this.code ? "Hide the code" : "Show the code", () => {
      if (!this.code) return this.send("code", { view: this.view });
      this.code = "";
      return this.draw();
    });
    show.setAttribute("aria-expanded", String(Boolean(this.code)));
    const stale = "The settings have changed since. What follows is of the earlier ones.";
    return [
      release.stale && finding("look", stale),
      release.findings.map((one) => finding(one.level, one.text)),
      el("p", { class: "skanon-studio-figures" }, release.figures),
      this.rows(),
      el(
        "div",
        { class: "skanon-studio-files", role: "group", "aria-label": "Download" },
        el("span", {}, "Download:"),
        buttons,
        show,
      ),
      this.code &&
        el(
          "pre",
          { class: "skanon-studio-code", tabIndex: 0, role: "region", "aria-label": this.named("Code") },
          this.code,
        ),
    ];
  }

  look(order, start) {
    this.send("preview", { view: this.view, order, start });
  }

  /** Some rows before and after; they are in this page only, and in no file. */
  rows() {
    const shown = this.preview;
    const toggle = this.button("rows", shown ? "Hide the rows" : "Look at rows", () => {
      if (!shown) return this.look("table", 0);
      this.preview = null;
      return this.draw();
    });
    toggle.setAttribute("aria-expanded", String(Boolean(shown)));
    if (!shown) return el("p", {}, toggle);
    const { columns, rows, start, page, total, order } = shown;
    const orders = { table: "as in the table", most: "what loses most", least: "what loses least" };
    const move = (key, label, to) => {
      const button = this.button(key, label, () => this.look(order, to));
      button.disabled = to < 0 || to >= total;
      return button;
    };
    const back = start > 0 ? Math.max(start - page, 0) : -1;
    const cell = ([before, after, changed]) =>
      el(
        "td",
        { class: changed ? "skanon-studio-changed" : "" },
        el("span", { class: "skanon-studio-was" }, before || "(missing)"),
        el("span", { "aria-hidden": "true" }, changed ? " → " : ""),
        changed
          ? el("b", {}, el("span", { class: "skanon-hidden" }, " becomes "), rowText(after))
          : null,
      );
    const head = ["Row", "Loss", ...columns].map((x) => el("th", { scope: "col" }, x));
    return el(
      "section",
      { class: "skanon-studio-rows", "aria-label": this.named("Rows before and after") },
      el(
        "p",
        {},
        toggle,
        " ",
        this.select("order", "Order of the rows", orders, order, (x) => this.look(x, 0)),
        " ",
        move("rows back", "Previous", back),
        " ",
        move("rows on", "Next", start + page),
        ` ${number(start + 1)} to ${number(start + rows.length)} of ${number(total)}. ` +
          "Before → after; shown here only, never saved.",
      ),
      el(
        "div",
        { class: "skanon-studio-wide", tabIndex: 0, role: "region", "aria-label": this.named("Rows") },
        el(
          "table",
          { class: "skanon-studio-table" },
          el("thead", {}, el("tr", {}, head)),
          el(
            "tbody",
            {},
            rows.map((one) =>
              el(
                "tr",
                {},
                el("th", { scope: "row" }, number(one.row + 1)),
                el("td", {}, one.suppressed ? "suppressed" : number(one.loss)),
                one.cells.map(cell),
              ),
            ),
          ),
        ),
      ),
    );
  }

  // -------------------------------------------------------------------- controls

  button(key, label, run, name) {
    const props = { type: "button", class: "skanon-button", "data-key": key, onclick: run };
    return el("button", { ...props, "aria-label": name }, label);
  }

  select(key, label, options, now, send) {
    const select = el(
      "select",
      { class: "skanon-select", "aria-label": label, "data-key": key },
      Object.entries(options).map(([value, text]) =>
        el("option", { value, selected: value === now }, text),
      ),
    );
    select.addEventListener("change", () => send(select.value));
    return select;
  }

  /** @param {Field} field @returns {HTMLInputElement} */
  field({ key, label, value, parse, send, wrong }) {
    const input = el("input", {
      class: "skanon-input skanon-studio-number-input",
      type: "text",
      inputMode: "decimal",
      autocomplete: "off",
      value,
      "aria-label": label,
      "data-key": key,
    });
    let timer = 0;
    let sent = value;
    const go = () => {
      clearTimeout(timer);
      const text = input.value.trim();
      const parsed = parse(text);
      if (parsed === null || text === sent) return parsed;
      sent = text;
      this.alerts.clear();
      send(parsed);
      return parsed;
    };
    input.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(go, PAUSE);
    });
    input.addEventListener("change", () => {
      if (go() !== null) return;
      this.alerts.show(`“${input.value}” cannot be taken. ${wrong}`);
      input.value = value;
    });
    return input;
  }
}

/** @returns {Field} */
function numberField(key, label, value, send, least = 1) {
  return {
    key,
    label,
    value: String(value),
    parse: (text) => (/^\d{1,9}$/.test(text) && Number(text) >= least ? Number(text) : null),
    wrong: `Give a whole number of at least ${least}.`,
    send,
  };
}

function inside(text, most) {
  return /^\d*\.?\d+$/.test(text) && Number(text) <= most;
}

/** The numbers of the views that are on the page, whichever module drew them. */
function places() {
  const page = /** @type {any} */ (globalThis);
  page.skanonStudios = page.skanonStudios || new Set();
  return page.skanonStudios;
}

function freePlace() {
  let place = 1;
  while (places().has(place)) place += 1;
  places().add(place);
  return place;
}

function rowText(after) {
  if (after === null) return "not published";
  return after || "(missing)";
}

/** Whether nothing but the progress of a run differs. */
function same(before, now) {
  const rest = (state) => JSON.stringify({ ...state, run: state.run.state });
  return rest(before) === rest(now);
}

function progress(run, began) {
  const bar = el("progress", { class: "skanon-studio-bar", "aria-label": "Making the release" });
  const tenth = /^(\d+) % /.exec(run.said);
  if (tenth) Object.assign(bar, { max: 100, value: Number(tenth[1]) });
  return [
    bar,
    el("span", { class: "skanon-studio-clock" }, seconds(began)),
    el("span", {}, run.said || "starting"),
  ];
}

function seconds(began) {
  return `${Math.round((Date.now() - began) / 1000)} s`;
}

function runWords({ state, said }) {
  if (state === "failed") return said;
  if (state === "cancelled") return "Cancelled. Nothing was changed.";
  return state === "running" ? "The release is being made." : "";
}

/** Hand a file that Python sent to the browser. */
function download({ name, type }, content) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export default { render };
