// @ts-check
// Tables and charts of the inspector. Charts are plain SVG, each with its table.

const MARKS = ["A", "B"];
const ROW = 18; // a bar's height in a chart, and the room around it
const LABELS = 28; // percent of a chart's width, and in a narrow one
const NARROW = 40;

/** @param {number} x @returns {string} */
function percent(x) {
  if (x === null || x === undefined) return "–";
  return `${number(100 * x)}\u00a0%`; // never apart at a line's end
}

/** A release's letter, in its colour. */
function mark(at, two) {
  return two ? el("span", { class: `skanon-insp-mark skanon-insp-${MARKS[at]}` }, MARKS[at]) : null;
}

// ------------------------------------------------------------------------------ tables

/**
 * Make a table; its first column is a row's header.
 * @param {string} caption
 * @param {any[]} heads texts or nodes
 * @param {any[][]} rows cells: texts or nodes
 * @param {string} [kind] a class more
 */
function table(caption, heads, rows, kind = "") {
  const row = (cells) =>
    el("tr", {}, cells.map((x, at) => (at ? el("td", {}, x) : el("th", { scope: "row" }, x))));
  const title = (head) => (head === "" ? el("td") : el("th", { scope: "col" }, head));
  const node = el(
    "table",
    { class: `skanon-insp-table ${kind}` },
    el("caption", {}, caption),
    el("thead", {}, el("tr", {}, heads.map(title))),
    el("tbody", {}, rows.map(row)),
  );
  const scroll = el("div", { class: "skanon-insp-scroll", tabIndex: 0, role: "region" }, node);
  scroll.setAttribute("aria-label", caption);
  return scroll;
}

const columnHeads = (releases) =>
  releases.length === 2
    ? releases.map((x, at) => el("span", {}, mark(at, true), x.name))
    : ["this release"];

/** Say why a part isn't there: it is still measured, or it cannot be. */
function missing(part, what) {
  if (part && part.why) return el("p", { class: "skanon-insp-why" }, `${what}: ${part.why}`);
  return part ? null : el("p", { class: "skanon-insp-soft" }, `${what}: being measured…`);
}

// ------------------------------------------------------------------------------ charts

/**
 * Draw bars, a group for each label; the same figures are in a table below.
 * @param {object} chart
 * @param {string} chart.title
 * @param {string} chart.what what the labels are
 * @param {string[]} chart.labels
 * @param {{name: string, kind: string, values: number[]}[]} chart.series
 * @param {(x: number) => string} chart.write
 * @param {number} [chart.full] where a bar ends at the right; by default the largest
 * @param {string} [chart.key]
 * @param {number} [chart.start] where bars begin, in percent of the width
 */
function chart({ title, what, labels, series, write, full, key, start = LABELS }) {
  const thick = series.length > 2 ? 7 : series.length > 1 ? 8 : 12;
  const step = Math.max(ROW, thick * series.length + 6);
  const most = full || Math.max(...series.flatMap((x) => x.values), 1e-9);
  const room = 100 - start - 14;
  const bars = labels.map((label, i) => {
    const top = i * step;
    const short = label.length > 18 ? `${label.slice(0, 17)}…` : label;
    const told = series.map((x) => `${x.name}: ${write(x.values[i])}`).join(", ");
    const name = svg("text", { x: `${start - 1}%`, y: top + step / 2, class: "skanon-insp-label" }, short);
    const drawn = series.map((x, j) => {
      const y = top + (step - thick * series.length) / 2 + j * thick;
      const width = (room * Math.max(x.values[i], 0)) / most;
      return svg("rect", { x: `${start}%`, y, width: `${width}%`, height: thick - 1, class: x.kind });
    });
    const longest = Math.max(...series.map((x) => x.values[i]), 0);
    const end = start + (room * longest) / most + 1;
    const value = svg(
      "text",
      { x: `${end}%`, y: top + step / 2, class: "skanon-insp-value" },
      series.length === 1 ? write(series[0].values[i]) : "",
    );
    return svg("g", {}, svg("title", {}, `${label}: ${told}`), name, drawn, value);
  });
  const image = svg(
    "svg",
    { class: "skanon-insp-chart", role: "img", width: "100%", height: step * labels.length },
    bars,
  );
  const peak = series.map((x) => {
    const at = x.values.indexOf(Math.max(...x.values));
    return `${x.name} is highest at ${labels[at]} (${write(x.values[at])})`;
  });
  image.setAttribute("aria-label", `${title}. ${peak.join("; ")}. The table below has all figures.`);
  const heads = [what, ...series.map((x) => x.name)];
  const rows = labels.map((label, i) => [label, ...series.map((x) => write(x.values[i]))]);
  const more = el(
    "details",
    { class: "skanon-insp-more" },
    el("summary", { "data-key": `more ${key || title}` }, "As a table"),
    table(title, heads, rows),
  );
  return el("figure", { class: "skanon-insp-figures" }, image, more);
}

function legend(series) {
  const item = (x) => el("li", {}, el("span", { class: `skanon-insp-swatch ${x.kind}` }), x.name);
  return series.length > 1 ? el("ul", { class: "skanon-insp-legend" }, series.map(item)) : null;
}

/** The releases as series of a chart, without their values. */
function seriesOf(releases) {
  return releases.map((x, at) => ({
    name: releases.length === 2 ? `${MARKS[at]}: ${x.name}` : "this release",
    kind: `skanon-insp-fill-${MARKS[at]}`,
  }));
}
