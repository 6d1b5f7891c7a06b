// @ts-check
// The front end of RiskUtilityExplorer; shared.js stands above it.

/** @typedef {{id: number, k: number, line: number, state: string, good: number,
 *   means: (number | null)[], deviations: (number | null)[]}} Point */
/** @typedef {{name: string, title: string, lower: boolean}} Measure */
/** @typedef {{measures: Measure[], lines: string[], points: Point[], folds: number}}
 *   Curves */

const WIDEST = 460;
const NARROWEST = 240;
const HIGH = 240;
const EDGE = { left: 52, right: 16, top: 14, bottom: 40 };
const DASHES = ["", "6 3", "2 3", "8 3 2 3"];
const COLORS = 6;

/** @param {{model: any, el: HTMLElement}} context */
function render({ model, el: host }) {
  const view = new Explorer(model, host);
  return () => view.remove();
}

class Explorer {
  /** @param {any} model @param {HTMLElement} host */
  constructor(model, host) {
    this.model = model;
    /** @type {Curves} */
    this.curves = structuredClone(model.get("curves"));
    /** @type {Record<string, string[]>} */
    this.problems = {};
    this.progress = { state: "ready", done: 0, total: 0, seconds_left: null };
    this.choice = {};
    this.selected = model.get("selected");
    this.wide = 400;
    this.root = this.build();
    host.append(this.root);
    this.alerts = alerts(this.root, model);
    this.say = announcer(this.root);
    const stop = [guard(this.root), connect(this.root, model, (m) => this.receive(m))];
    const follow = () => this.follow();
    model.on("change:selected", follow);
    const observer = new ResizeObserver(() => this.fit());
    observer.observe(this.charts);
    this.remove = () => {
      observer.disconnect();
      model.off("change:selected", follow);
      stop.forEach((each) => each());
    };
    this.draw();
  }

  build() {
    this.input = el("input", {
      class: "skanon-input skanon-explorer-k",
      type: "text",
      inputMode: "numeric",
      autocomplete: "off",
      spellcheck: false,
      value: distinct(this.curves.points.map((p) => p.k)).join(", "),
    });
    const label = el("label", { class: "skanon-explorer-label" }, "Values of k ", this.input);
    this.run = el("button", { class: "skanon-button skanon-primary", type: "submit" }, "Run");
    this.stop = el(
      "button",
      {
        class: "skanon-button",
        type: "button",
        disabled: true,
        onclick: () => tell(this.root, this.model, { do: "cancel" }, false),
      },
      "Cancel",
    );
    this.bar = el("progress", { class: "skanon-explorer-bar", max: 1, value: 0 });
    this.bar.setAttribute("aria-label", "Fits that are done");
    this.words = el("span", { class: "skanon-explorer-words" });
    const form = el(
      "form",
      {
        class: "skanon-explorer-controls",
        onsubmit: (/** @type {Event} */ event) => {
          event.preventDefault();
          this.alerts.clear();
          tell(this.root, this.model, { do: "run", k: this.input.value }, false);
        },
      },
      label,
      this.run,
      this.stop,
      this.bar,
      this.words,
    );
    this.legend = el("ul", { class: "skanon-explorer-legend" });
    this.legend.setAttribute("aria-label", "Lines");
    this.note = el("p", { class: "skanon-explorer-hint" });
    this.charts = el("div", { class: "skanon-explorer-charts" });
    this.panel = el("div", { class: "skanon-explorer-choice", role: "group" });
    this.panel.setAttribute("aria-label", "The selected point");
    this.table = el("div", { class: "skanon-explorer-scroll", tabIndex: 0, role: "group" });
    this.table.setAttribute("aria-label", "All points");
    this.summary = el("summary", {}, "All points in a table");
    this.details = el(
      "details",
      { class: "skanon-explorer-all", ontoggle: () => this.drawTable() },
      this.summary,
      this.table,
    );
    const root = el(
      "div",
      { class: "skanon-widget skanon-explorer", role: "group" },
      el("h3", { class: "skanon-explorer-title" }, "Risk and utility"),
      form,
      this.legend,
      this.charts,
      this.note,
      this.panel,
      this.details,
    );
    root.setAttribute("aria-label", "Risk and utility");
    return root;
  }

  /** @param {any} message */
  receive(message) {
    const before = this.progress.state;
    if (message.kind === "state") {
      const { curves, problems, progress } = message;
      const fresh = before !== "running" && progress.state === "running";
      Object.assign(this, { curves, problems, progress });
      if (fresh) this.input.value = distinct(curves.points.map((p) => p.k)).join(", ");
      if (before === "running" && progress.state !== "running") this.say(this.status());
      if (before !== "running" && progress.state === "running") this.say("The sweep has begun.");
    } else if (message.kind === "point") {
      const { point, problems, progress } = message;
      this.curves.points[point.id] = point;
      if (problems.length) this.problems[point.id] = problems;
      this.progress = progress;
    } else if (message.kind === "choice") {
      this.choice = message;
      this.selected = message.selected;
    } else return;
    this.draw();
  }

  follow() {
    this.selected = this.model.get("selected");
    this.draw();
  }

  /** Letters keep their size: a chart is drawn as wide as it is shown. */
  fit() {
    const shown = this.charts.firstElementChild?.getBoundingClientRect().width || 0;
    const wide = Math.round(Math.min(WIDEST, Math.max(NARROWEST, shown)));
    if (!shown || wide === this.wide) return;
    this.wide = wide;
    this.drawCharts();
  }

  /** @param {Point} point */
  select(point) {
    if (point.state !== "done") {
      this.say(`${this.name(point)} cannot be selected: ${point.state}.`);
      return;
    }
    this.model.set("selected", point.id);
    this.model.save_changes();
    this.say(`Selected: ${this.describe(point)}.`);
  }

  /** @param {Point} point */
  name(point) {
    const line = this.curves.lines[point.line];
    return `k = ${point.k}${line ? `, ${line}` : ""}`;
  }

  /** @param {Point} point */
  describe(point) {
    const measures = this.curves.measures.map(
      (measure, j) => `${measure.title} ${spread(measure, point, j)}`,
    );
    return `${this.name(point)}: ${measures.join("; ")}`;
  }

  status() {
    const { state, done, total, seconds_left: left } = this.progress;
    const troubled = Object.keys(this.problems).length;
    const noted = troubled ? ` ${count(troubled, "point has", "points have")} problems; see the table.` : "";
    if (state === "running") {
      const rest = left === null ? "" : `, about ${duration(left)} left`;
      return `${done} of ${total} fits done${rest}.${noted}`;
    }
    if (state === "done") return `Done: ${count(total, "fit", "fits")}.${noted}`;
    if (state === "cancelled") return `Cancelled after ${done} of ${total} fits.${noted}`;
    return "Not started.";
  }

  draw() {
    const running = this.progress.state === "running";
    const lost = running ? this.run : this.stop;
    const moveFocus = document.activeElement === lost && !lost.disabled;
    this.run.disabled = this.input.disabled = running;
    this.stop.disabled = !running;
    if (moveFocus) (running ? this.stop : this.run).focus();
    this.bar.max = this.progress.total || 1;
    this.bar.value = this.progress.done;
    this.words.textContent = this.status();
    this.drawLegend();
    this.drawNote();
    this.drawCharts();
    this.drawChoice();
    this.drawTable();
  }

  drawLegend() {
    const lines = this.curves.lines;
    this.legend.hidden = lines.length < 2;
    this.legend.replaceChildren(
      ...lines.map((text, line) => {
        const sample = svg("svg", { class: "skanon-explorer-sample", viewBox: "0 0 34 14", "aria-hidden": "true" });
        sample.append(...stroke([[2, 7], [32, 7]], line), marker(17, 7, line));
        return el("li", {}, sample, text);
      }),
    );
  }

  drawNote() {
    const { points, folds } = this.curves;
    const hollow = points.some((p) => p.good && this.isHollow(p));
    const failed = points.some((p) => p.state === "failed");
    this.note.textContent =
      `A point is the mean of ${count(folds, "fold", "folds")}, its bar the standard deviation.` +
      (hollow ? " Hollow: a fit is still to be done, or one failed or warned." : "") +
      (failed ? " ×: all fits failed." : "");
  }

  /** @param {Point} point */
  isHollow(point) {
    return point.state !== "done" || (this.problems[point.id] || []).length > 0;
  }

  drawCharts() {
    const focused = /** @type {HTMLElement | null} */ (document.activeElement);
    const inside = focused && this.charts.contains(focused);
    const at = inside ? [focused.dataset.chart, focused.dataset.point] : null;
    this.charts.replaceChildren(
      ...this.curves.measures.map((measure, j) => this.chart(measure, j)),
    );
    if (at) this.option(Number(at[0]), Number(at[1]))?.focus({ preventScroll: true });
  }

  /** @param {number} chart @param {number} id @returns {any} */
  option(chart, id) {
    return this.charts.querySelector(`[data-chart="${chart}"][data-point="${id}"]`);
  }

  /** @param {Measure} measure @param {number} j */
  chart(measure, j) {
    const { points, lines } = this.curves;
    const better = measure.lower ? "lower is better" : "higher is better";
    const scale = scales(points, measure, j, lines.length, this.wide);
    const picture = svg("svg", { viewBox: `0 0 ${this.wide} ${HIGH}`, class: "skanon-explorer-chart" });
    picture.append(axes(scale, measure, points));
    const shown = points.filter((p) => p.means[j] !== null && p.state !== "cancelled");
    const paths = svg("g", { "aria-hidden": "true" });
    lines.forEach((_, line) => {
      const own = shown.filter((p) => p.line === line);
      paths.append(...stroke(own.map((p) => [scale.x(p), scale.y(p.means[j])]), line));
    });
    picture.append(paths);
    const options = points.filter((p) => shown.includes(p) || p.state === "failed");
    if (options.length) {
      picture.setAttribute("role", "listbox");
      picture.setAttribute("aria-label", `${measure.title} against k, ${better}`);
    } else {
      picture.setAttribute("role", "img");
      picture.setAttribute("aria-label", `${measure.title} against k: no points yet`);
    }
    const entry = options.find((p) => p.id === this.selected) || options[0];
    // the selected point is drawn last, above the others
    const order = [...options].sort((a, b) => Number(a.id === this.selected) - Number(b.id === this.selected));
    for (const point of order) {
      picture.append(this.mark(point, measure, j, scale, point === entry));
    }
    const title = el("figcaption", { class: "skanon-explorer-caption" }, el("b", {}, measure.title), ` (${better})`);
    return el("figure", { class: "skanon-explorer-figure" }, title, picture);
  }

  /** @param {Point} point @param {Measure} measure @param {number} j @param {any} scale
   *  @param {boolean} entry whether Tab comes here */
  mark(point, measure, j, scale, entry) {
    const failed = point.state === "failed";
    const chosen = point.id === this.selected;
    const troubled = (this.problems[point.id] || []).length > 0;
    const x = scale.x(point);
    const y = failed ? HIGH - EDGE.bottom : scale.y(point.means[j]);
    const words = failed
      ? `${this.name(point)}: failed`
      : `${this.name(point)}: ${spread(measure, point, j)}${troubled ? ", with problems" : ""}`;
    const node = svg("g", {
      class: `skanon-explorer-point skanon-explorer-color${point.line % COLORS}`,
      role: "option",
      tabindex: entry ? 0 : -1,
      "aria-label": words,
      "aria-selected": String(chosen),
      "data-chart": j,
      "data-point": point.id,
      onclick: () => {
        this.select(point);
        this.option(j, point.id)?.focus({ preventScroll: true });
      },
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.key(event, j, point),
    });
    if (point.state !== "done") node.setAttribute("aria-disabled", "true");
    node.append(svg("title", {}, words));
    if (!failed) node.append(...errorBar(x, scale, point, j));
    node.append(svg("circle", { class: "skanon-explorer-halo", cx: x, cy: y, r: 11 }));
    node.append(failed ? cross(x, y) : marker(x, y, point.line, this.isHollow(point)));
    if (chosen && !failed) node.append(valueLabel(x, y, scale, mean(measure, point.means[j]), this.rises(point, j)));
    return node;
  }

  /** Tell whether a point's line goes up from there. @param {Point} point @param {number} j */
  rises(point, j) {
    const own = this.curves.points.filter((p) => p.line === point.line && p.means[j] !== null);
    const next = own[own.indexOf(point) + 1];
    return next !== undefined && next.means[j] > point.means[j];
  }

  /** @param {KeyboardEvent} event @param {number} j @param {Point} point */
  key(event, j, point) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.select(point);
      return;
    }
    const options = [...this.charts.querySelectorAll(`[data-chart="${j}"]`)].map(
      (node) => this.curves.points[Number(node.dataset.point)],
    );
    const next = neighbour(event.key, point, options);
    if (next === undefined) return;
    event.preventDefault();
    for (const node of this.charts.querySelectorAll(`[data-chart="${j}"]`)) {
      node.setAttribute("tabindex", Number(node.dataset.point) === next.id ? "0" : "-1");
    }
    this.option(j, next.id).focus();
  }

  drawChoice() {
    const point = this.curves.points[this.selected];
    if (!point) {
      const ready = this.curves.points.some((p) => p.state === "done");
      this.panel.replaceChildren(
        el(
          "p",
          { class: "skanon-explorer-hint" },
          ready
            ? "Click a point to select it, or move to it with Tab and the arrow keys and press Enter."
            : "Run the sweep; its points can be selected as soon as they are done.",
        ),
      );
      return;
    }
    const code = this.choice.selected === point.id ? this.choice : {};
    const signature = JSON.stringify([point, code, this.problems[point.id]]);
    if (this.panel.dataset.shown === signature && this.panel.querySelector("dl")) return;
    this.panel.dataset.shown = signature;
    const values = el("dl", { class: "skanon-explorer-values" });
    this.curves.measures.forEach((measure, j) => {
      values.append(
        el("div", {}, el("dt", {}, measure.title), el("dd", {}, spread(measure, point, j))),
      );
    });
    this.panel.replaceChildren(
      el("h4", { class: "skanon-explorer-subtitle" }, `Selected: ${this.name(point)}`),
      values,
      ...this.troubles(point.id),
      ...this.code(code),
    );
  }

  /** @param {number} id */
  troubles(id) {
    const texts = this.problems[id] || [];
    if (!texts.length) return [];
    return [el("ul", { class: "skanon-explorer-problems" }, ...texts.map((t) => el("li", {}, t)))];
  }

  /** @param {{code?: string, no_code?: string}} choice */
  code(choice) {
    if (choice.no_code) return [el("p", {}, choice.no_code)];
    if (!choice.code) return [];
    const text = el("pre", { class: "skanon-explorer-code", tabIndex: 0, role: "group" }, choice.code);
    text.setAttribute("aria-label", "Python code of the selected point");
    const copy = el(
      "button",
      { class: "skanon-button", type: "button", onclick: () => this.copy(text) },
      "Copy code",
    );
    const note = el(
      "span",
      {},
      "In Python: ",
      el("code", {}, "selected_estimator"),
      " is fitted to all records when it is first asked for.",
    );
    return [text, el("div", { class: "skanon-explorer-codebar" }, copy, note)];
  }

  /** @param {HTMLElement} node */
  async copy(node) {
    try {
      await navigator.clipboard.writeText(node.textContent || "");
      this.say("Code copied.");
    } catch {
      // not every page may write to the clipboard: mark the text for Ctrl+C
      getSelection()?.selectAllChildren(node);
      node.focus();
      this.say("The code is marked; press Ctrl+C to copy it.");
    }
  }

  drawTable() {
    if (!this.details.open) return;
    const { measures, points, lines } = this.curves;
    const focused = /** @type {HTMLElement | null} */ (document.activeElement);
    const at = focused && this.table.contains(focused) ? focused.dataset.row : undefined;
    const named = lines.length > 1;
    const heads = ["k", ...(named ? ["Variant"] : []), ...measures.map((m) => m.title), "State", ""];
    const rows = points.map((point) => {
      const chosen = point.id === this.selected;
      const button = el(
        "button",
        {
          class: "skanon-button",
          type: "button",
          disabled: point.state !== "done",
          "data-row": point.id,
          "aria-pressed": String(chosen),
          "aria-label": `Select ${this.name(point)}`,
          onclick: () => this.select(point),
        },
        chosen ? "Selected" : "Select",
      );
      return el(
        "tr",
        { class: chosen ? "skanon-explorer-row skanon-explorer-chosen" : "skanon-explorer-row" },
        el("td", {}, number(point.k)),
        named ? el("td", { class: "skanon-explorer-text" }, lines[point.line]) : null,
        ...measures.map((m, j) => el("td", {}, spread(m, point, j))),
        el(
          "td",
          { class: "skanon-explorer-text" },
          stateWords(point, this.curves.folds),
          ...this.troubles(point.id),
        ),
        el("td", {}, button),
      );
    });
    this.table.replaceChildren(
      el(
        "table",
        { class: "skanon-explorer-table" },
        el("caption", {}, `Mean ± standard deviation of ${this.curves.folds} folds`),
        el("thead", {}, el("tr", {}, ...heads.map(head))),
        el("tbody", {}, ...rows),
      ),
    );
    if (at !== undefined) this.table.querySelector(`[data-row="${at}"]`)?.focus({ preventScroll: true });
  }
}

// ------------------------------------------------------------------------- drawing

/** @param {Point[]} points @param {Measure} measure @param {number} j @param {number} n
 *  @param {number} wide */
function scales(points, measure, j, n, wide) {
  const ks = distinct(points.map((p) => p.k));
  const [low, high] = [Math.log(ks[0]), Math.log(ks[ks.length - 1])];
  const right = wide - EDGE.right;
  const width = right - EDGE.left - 32;
  const step = n > 1 ? Math.min(7, 24 / n) : 0;
  const x0 = (/** @type {number} */ k) =>
    EDGE.left + 16 + (high > low ? (Math.log(k) - low) / (high - low) : 0.5) * width;
  const ends = [];
  for (const point of points) {
    const mean = point.means[j];
    if (mean === null) continue;
    const deviation = point.deviations[j] || 0;
    ends.push(mean - deviation, mean + deviation);
  }
  const ticks = niceTicks(ends, measure);
  const [bottom, top] = [ticks[0], ticks[ticks.length - 1]];
  const height = HIGH - EDGE.top - EDGE.bottom;
  return {
    ks,
    ticks,
    right,
    x0,
    x: (/** @type {Point} */ p) => x0(p.k) + (p.line - (n - 1) / 2) * step,
    y: (/** @type {number} */ value) =>
      HIGH - EDGE.bottom - ((value - bottom) / (top - bottom)) * height,
  };
}

/**
 * Round marks that span the values; what is best at nought begins there.
 * @param {number[]} values @param {Measure} measure @returns {number[]}
 */
function niceTicks(values, measure) {
  let low = Math.min(...values);
  let high = Math.max(...values);
  if (!values.length) [low, high] = [0, 1];
  if (measure.lower && low >= -0.05 * Math.abs(high)) low = 0;
  if (high - low < 1e-12) [low, high] = measure.lower ? [0, high || 1] : [low - 0.05, high + 0.05];
  const rough = (high - low) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => s >= rough) || 10 * power;
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

function axes(scale, measure, points) {
  const group = svg("g", { class: "skanon-explorer-axes", "aria-hidden": "true" });
  const floor = HIGH - EDGE.bottom;
  for (const tick of scale.ticks) {
    const y = scale.y(tick);
    group.append(
      svg("line", { x1: EDGE.left, x2: scale.right, y1: y, y2: y, class: "skanon-explorer-grid" }),
      svg("text", { x: EDGE.left - 7, y: y + 4, "text-anchor": "end" }, write(measure, tick)),
    );
  }
  let free = -Infinity;
  for (const k of scale.ks) {
    const x = scale.x0(k);
    const text = number(k);
    group.append(svg("line", { x1: x, x2: x, y1: floor, y2: floor + 4, class: "skanon-explorer-axis" }));
    const half = text.length * 3.5 + 2;
    if (x - half < free) continue;
    free = x + half;
    group.append(svg("text", { x, y: floor + 17, "text-anchor": "middle" }, text));
  }
  group.append(
    svg("line", { x1: EDGE.left, x2: scale.right, y1: floor, y2: floor, class: "skanon-explorer-axis" }),
    svg("text", { x: (EDGE.left + scale.right) / 2, y: HIGH - 5, "text-anchor": "middle" }, scale.ks.length > 1 ? "k (logarithmic)" : "k"),
  );
  if (!points.some((p) => p.means.some((mean) => mean !== null))) {
    group.append(svg("text", { x: (EDGE.left + scale.right) / 2, y: HIGH / 2, "text-anchor": "middle" }, "no points yet"));
  }
  return group;
}

/** @param {number[][]} places @param {number} line */
function stroke(places, line) {
  if (places.length < 2) return [];
  return [
    svg("polyline", {
      class: `skanon-explorer-line skanon-explorer-color${line % COLORS}`,
      points: places.map((place) => place.join(",")).join(" "),
      "stroke-dasharray": DASHES[Math.floor(line / COLORS) % DASHES.length] || null,
    }),
  ];
}

const SHAPES = [
  "M-4.5 0A4.5 4.5 0 1 0 4.5 0A4.5 4.5 0 1 0 -4.5 0Z",
  "M-4.2 -4.2H4.2V4.2H-4.2Z",
  "M0 -5.4L5 3.6H-5Z",
  "M0 -5.6L5.6 0L0 5.6L-5.6 0Z",
  "M0 5.4L5 -3.6H-5Z",
  "M-1.7 -5H1.7V-1.7H5V1.7H1.7V5H-1.7V1.7H-5V-1.7H-1.7Z",
];

/** @param {number} x @param {number} y @param {number} line @param {boolean} [hollow] */
function marker(x, y, line, hollow) {
  return svg("path", {
    class: `skanon-explorer-marker skanon-explorer-color${line % COLORS}${hollow ? " skanon-explorer-hollow" : ""}`,
    d: SHAPES[(line + Math.floor(line / COLORS)) % SHAPES.length],
    transform: `translate(${x} ${y})`,
  });
}

function cross(x, y) {
  return svg("path", {
    class: "skanon-explorer-cross",
    d: "M-4.5 -4.5L4.5 4.5M-4.5 4.5L4.5 -4.5",
    transform: `translate(${x} ${y})`,
  });
}

function errorBar(x, scale, point, j) {
  const deviation = point.deviations[j];
  if (!deviation) return [];
  const [top, bottom] = [scale.y(point.means[j] + deviation), scale.y(point.means[j] - deviation)];
  return [
    svg("path", {
      class: "skanon-explorer-error",
      d: `M${x} ${top}V${bottom}M${x - 4} ${top}h8M${x - 4} ${bottom}h8`,
    }),
  ];
}

function valueLabel(x, y, scale, text, rises) {
  const right = x > scale.right - 60;
  // away from the line, and inside the chart
  const below = (rises && !right && y < HIGH - EDGE.bottom - 28) || y < EDGE.top + 24;
  const up = below ? 24 : -15;
  return svg(
    "text",
    { class: "skanon-explorer-value", x: right ? x + 8 : x - 8, y: y + up, "text-anchor": right ? "end" : "start" },
    text,
  );
}

// --------------------------------------------------------------------------- words

/** @param {string} key @param {Point} point @param {Point[]} options */
function neighbour(key, point, options) {
  const own = options.filter((p) => p.line === point.line).sort((a, b) => a.k - b.k);
  const at = own.indexOf(point);
  if (key === "ArrowRight") return own[at + 1];
  if (key === "ArrowLeft") return own[at - 1];
  if (key === "Home") return own[0];
  if (key === "End") return own[own.length - 1];
  const lines = distinct(options.map((p) => p.line));
  const step = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (step === undefined) return undefined;
  const line = lines[lines.indexOf(point.line) + step];
  const there = options.filter((p) => p.line === line);
  const far = (/** @type {Point} */ p) => Math.abs(Math.log(p.k / point.k));
  return there.sort((a, b) => far(a) - far(b))[0];
}

/** @param {string} text */
function head(text) {
  if (!text) return el("td");
  const words = text === "Variant" || text === "State";
  return el("th", { scope: "col", class: words ? "skanon-explorer-text" : null }, text);
}

/** @param {number[]} values @returns {number[]} */
function distinct(values) {
  return [...new Set(values)].sort((a, b) => a - b);
}

function isShare(measure) {
  return ["highest_risk", "average_risk", "suppressed"].includes(measure.name);
}

/** @param {Measure} measure @param {number | null} x */
function write(measure, x) {
  return isShare(measure) && x !== null ? `${number(round(100 * x))} %` : number(round(x));
}

function round(x) {
  return x === null ? null : Number(x.toPrecision(3));
}

/** @param {Measure} measure @param {number} x */
function mean(measure, x) {
  return isShare(measure) ? `${fixed(100 * x, 1)} %` : fixed(x, digitsOf(x));
}

/** @param {Measure} measure @param {Point} point @param {number} j */
function spread(measure, point, j) {
  const [middle, deviation] = [point.means[j], point.deviations[j] || 0];
  if (middle === null) return "–";
  if (isShare(measure)) return `${fixed(100 * middle, 1)} ± ${fixed(100 * deviation, 1)} %`;
  const digits = digitsOf(middle);
  return `${fixed(middle, digits)} ± ${fixed(deviation, digits)}`;
}

/** @param {number} x */
function digitsOf(x) {
  return Math.abs(x) < 10 ? 3 : 1;
}

/** @param {number} x @param {number} digits */
function fixed(x, digits) {
  return number(x, { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** @param {Point} point @param {number} folds */
function stateWords(point, folds) {
  if (point.state === "done" && point.good < folds) return `${point.good} of ${folds} fits`;
  return point.state;
}

function count(n, one, many) {
  return `${number(n)} ${n === 1 ? one : many}`;
}

function duration(seconds) {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  return `${number(Math.round(seconds / 60))} min`;
}

export default { render };
