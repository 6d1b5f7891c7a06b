// @ts-check
// What the inspector's tabs show; see metric_inspector.js for the View.

// -------------------------------------------------------------------------------- risk

const ATTACKERS = [
  ["prosecutor", "Prosecutor", (x) => x.risk.highest, "at most"],
  ["journalist", "Journalist", (x) => (x.journalist || x.risk).highest, "at most"],
  ["marketer", "Marketer", (x) => x.risk.marketer, "of records"],
];

function riskPanel(view) {
  const releases = releasesOf(view);
  const two = releases.length === 2;
  const card = ([name, title, figure, unit]) =>
    el(
      "section",
      { class: "skanon-insp-card" },
      el("h3", {}, title),
      releases.map((x, at) => [
        el(
          "p",
          { class: "skanon-insp-big" },
          mark(at, two),
          percent(figure(x)),
          el("span", { class: "skanon-insp-note" }, name === "journalist" && x.journalist ? "estimated" : unit),
        ),
        el("p", {}, x.words[name]),
      ]),
    );
  return [
    el("div", { class: "skanon-insp-cards" }, ATTACKERS.map(card)),
    population(view),
    aboveTable(releases),
    sensitiveTables(releases),
  ];
}

function population(view) {
  const known = releasesOf(view)[0]?.journalist?.population_size;
  const id = unique("population");
  const input = el("input", {
    id,
    class: "skanon-input",
    type: "number",
    min: 1,
    step: 1,
    value: known || "",
    "data-key": "population",
  });
  const send = (event) => {
    event.preventDefault();
    const size = input.value === "" ? null : Number(input.value);
    tell(view.root, view.model, { do: "population", size }, false);
    view.say(size === null ? "The estimate is taken back." : "The journalist's risk is estimated.");
  };
  return el(
    "form",
    { class: "skanon-insp-form", onsubmit: send },
    el("label", { htmlFor: id }, "The table was drawn from so many people (if you know):"),
    input,
    el("button", { class: "skanon-button", type: "submit", "data-key": "estimate" }, "Estimate"),
  );
}

function aboveTable(releases) {
  const rows = (releases[0]?.risk.records_above || []).map((part, i) => [
    `above ${percent(part.risk)}`,
    ...releases.map((x) => {
      const own = x.risk.records_above[i];
      return `${number(own.records)} (${percent(own.share)})`;
    }),
  ]);
  return table("Records that a prosecutor finds with a higher chance", ["chance", ...columnHeads(releases)], rows);
}

const LEVELS = [
  ["l_frequency", "l (frequency)", number],
  ["l_distinct", "l (distinct values)", number],
  ["l_entropy", "l (entropy)", number],
  ["t", "t", number],
];
const LINKED = [
  ["fewest_records", "fewest records that fit a person", number],
  ["homogeneous_share", "people whose value is certain", percent],
  ["highest_share", "surest guess", percent],
  ["largest_gain", "largest gain over the value's share", percent],
];

function sensitiveTables(releases) {
  const shared = (releases[0]?.sensitive || []).map((part) => {
    const own = releases.map((x) => x.sensitive.find((y) => y.name === part.name) || part);
    const linked = releases.map(
      (x) => Array.isArray(x.attacks) && x.attacks.find((y) => y.name === part.name),
    );
    const line = ([key, label, write], parts) => [
      label,
      ...parts.map((x) => (x && x[key] !== null && x[key] !== undefined ? write(x[key]) : x ? "–" : "…")),
    ];
    const rows = [
      ...LEVELS.map((level) => line(level, own)),
      ...LINKED.map((level) => line(level, linked)),
    ];
    const said = releases.map((x, i) => {
      const text = x.words.sensitive[x.sensitive.findIndex((y) => y.name === part.name)];
      return text ? el("p", {}, mark(i, releases.length === 2), text) : null;
    });
    const caption = `What is told of “${part.name}” to somebody who knows all quasi-identifiers`;
    const why = [...new Set([...own, ...linked].map((x) => x && x.why).filter(Boolean))];
    return [
      el("h3", {}, `Sensitive attribute “${part.name}”`),
      said,
      table(caption, ["", ...columnHeads(releases)], rows),
      why.map((text) => el("p", { class: "skanon-insp-why" }, text)),
    ];
  });
  if (shared.length) {
    const text =
      "l: how many values a class has; with 1, all of a class share one. t: how far a class's " +
      "values are from the whole table's, from 0 to 1.";
    return [shared, el("p", { class: "skanon-insp-soft" }, text)];
  }
  return el(
    "p",
    { class: "skanon-insp-soft" },
    "No sensitive attribute was given, so l and t are not measured.",
  );
}

// ----------------------------------------------------------------------------- classes

function classesPanel(view, draw) {
  const releases = releasesOf(view);
  const bins = releases[0]?.classes.bins || [];
  const series = seriesOf(releases).map((x, at) => ({
    ...x,
    values: releases[at].classes.bins.map((bin) => bin.classes),
  }));
  const sizes = [
    ["number", "equivalence classes"],
    ["smallest", "smallest"],
    ["median", "median"],
    ["mean", "mean"],
    ["largest", "largest"],
  ].map(([key, label]) => [label, ...releases.map((x) => number(x.classes[key]))]);
  const title = "How many classes have how many records";
  return [
    el("h3", {}, title),
    legend(series),
    bins.length
      ? chart({ title, what: "records in the class", labels: bins.map((x) => x.label), series, write: number })
      : el("p", {}, "All records are suppressed: there is no class."),
    table("Sizes of the equivalence classes", ["", ...columnHeads(releases)], sizes),
    el("h3", {}, "The costliest classes"),
    orderBox(view, draw),
    releases.map((x, at) => costliest(view, x, at)),
  ];
}

function orderBox(view, draw) {
  const id = unique("order");
  const option = (value, label) => el("option", { value, selected: view.order === value }, label);
  const change = (event) => {
    view.order = event.target.value;
    draw();
  };
  return el(
    "p",
    {},
    el("label", { htmlFor: id }, "Ordered by "),
    el(
      "select",
      { id, class: "skanon-select", onchange: change, "data-key": "order" },
      option("share", "share of the whole loss"),
      option("record", "loss of a record"),
    ),
  );
}

function costliest(view, figures, at) {
  const two = releasesOf(view).length === 2;
  const part = figures.costliest;
  const lacking = missing(part, "The costliest classes");
  if (lacking) return lacking;
  const heads = ["class", "records", "share of the loss", "loss of a record", "publishes", "more"];
  const rows = part[view.order].map((line) => [
    number(line.number + 1),
    number(line.size),
    percent(line.share),
    number(line.loss),
    published(figures, line),
    detailsButton(view, at, line, two),
  ]);
  const caption = two ? `Costliest classes of ${MARKS[at]}: ${figures.name}` : "Costliest classes";
  const open = view.details && view.details.release === at;
  return [table(caption, heads, rows, "skanon-insp-costliest"), open ? classDetails(view, figures, at) : null];
}

/** Write what a class publishes, and count the columns that it hides. */
function published(figures, line) {
  if (!line.publishes) return `not shown: ${line.why}`;
  const names = figures.quasi_identifiers;
  const told = line.publishes
    .map((text, at) => [names[at], text])
    .filter(([, text]) => text !== "*")
    .map(([name, text]) => el("span", { class: "skanon-insp-part" }, el("i", {}, name), ` ${text}`));
  const hidden = names.length - told.length;
  if (hidden) told.push(el("span", { class: "skanon-insp-part" }, `* in ${hidden} more`));
  return told;
}

function detailsButton(view, at, line, two) {
  const ask = () => {
    view.wanted = true;
    tell(view.root, view.model, { do: "inspect", release: at, number: line.number, view: view.id });
  };
  const name = `Details of class ${line.number + 1}${two ? ` of ${MARKS[at]}` : ""}`;
  const button = el("button", { type: "button", class: "skanon-button", onclick: ask }, "Details");
  button.setAttribute("aria-label", name);
  button.setAttribute("data-key", `class ${at} ${line.number}`);
  return button;
}

function classDetails(view, figures, at) {
  const found = view.details.details;
  const id = unique("details");
  const close = () => {
    view.details = null;
    const key = `class ${at} ${found.number}`;
    view.root.querySelector(".skanon-insp-details")?.remove();
    keep(view.root, key);
  };
  const columns = found.columns.map((x) => [
    x.name,
    x.publishes ?? "not shown",
    `${number(x.covers)} of ${number(x.of)}`,
    number(x.loss),
  ]);
  const node = el(
    "section",
    { class: "skanon-insp-details", "aria-labelledby": id },
    el("h3", { id, tabIndex: -1, "data-key": "details" }, `Class ${number(found.number + 1)}: ${number(found.size)} ${found.size === 1 ? "record" : "records"}`),
    el(
      "p",
      {},
      `Whoever knows that somebody is in it finds the record with a chance of ${percent(found.risk)}. ` +
        `A record of it loses ${number(found.loss)}; the class has ${percent(found.share)} of the whole loss.`,
    ),
    found.why ? el("p", { class: "skanon-insp-why" }, `What it publishes is not shown. ${found.why}`) : null,
    table("What the class publishes", ["column", "published", "values it may stand for", "loss"], columns),
    found.sensitive.map(shares),
    el("button", { type: "button", class: "skanon-button", onclick: close, "data-key": "close" }, "Close"),
  );
  node.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
  });
  return node;
}

function shares(part) {
  if (part.why) return el("p", { class: "skanon-insp-soft" }, `“${part.name}”: ${part.why}`);
  const rows = part.shares.map((x) => [x.value, percent(x.share), percent(x.overall)]);
  if (part.others > 0) rows.push(["other values", percent(part.others), "–"]);
  return table(`“${part.name}” in the class`, ["value", "share in the class", "share in the table"], rows);
}

// -------------------------------------------------------------------------------- loss

function lossPanel(view) {
  const releases = releasesOf(view);
  const lacking = releases.map((x) => missing(x.losses, "The loss")).filter(Boolean);
  if (lacking.length) return lacking;
  const columns = releases[0].losses.columns;
  const names = columns.map((x) => x.name);
  const of = (figures, name) => figures.losses.columns.find((x) => x.name === name);
  const series = seriesOf(releases).map((x, at) => ({
    ...x,
    values: names.map((name) => of(releases[at], name)?.loss ?? 0),
  }));
  const title = `Loss by column: ${releases[0].losses.loss}, 0 for the original`;
  const most = Math.max(...series.flatMap((x) => x.values));
  const more = releases.map((figures, at) => {
    const caption = releases.length === 2 ? `Columns of ${MARKS[at]}: ${figures.name}` : "Columns";
    const rows = figures.losses.columns.map((x) => [
      x.name,
      number(x.loss),
      percent(x.weight),
      x.hierarchy,
      number(x.values),
      number(x.published),
      number(x.distance),
    ]);
    const heads = ["column", "loss", "weight", "hierarchy", "values", "published", "distance"];
    return table(caption, heads, rows);
  });
  return [
    el("h3", {}, title),
    legend(series),
    chart({ title, what: "column", labels: names, series, write: number, full: most > 0.5 ? Math.max(most, 1) : 0 }),
    gap(view),
    more,
    el(
      "p",
      { class: "skanon-insp-soft" },
      "Published: how many different subsets of the column's values. Distance: how far the " +
        "column's distribution has moved, from 0 to 1.",
    ),
  ];
}

function gap(view) {
  const releases = releasesOf(view);
  const bounds = releases.map((x) => x.bound);
  const running = bounds.some((x) => x && x.running);
  const done = bounds.every((x) => x && x.k);
  const ask = () => {
    if (running) return;
    tell(view.root, view.model, { do: "bound" }, false);
    view.say("The lower bound is computed in the background.");
  };
  const button = el(
    "button",
    {
      type: "button",
      class: "skanon-button",
      onclick: ask,
      "data-key": "bound",
      "aria-disabled": running, // one that is disabled would lose the focus
    },
    running ? "Computing the lower bound…" : "Compute the lower bound",
  );
  const told = releases.map((x, at) => [
    x.words.gap ? el("p", {}, mark(at, releases.length === 2), x.words.gap) : null,
    x.bound && x.bound.why ? el("p", { class: "skanon-insp-why" }, x.bound.why) : null,
  ]);
  const drawn = done
    ? chart({
        title: "The loss, and the least that any such release loses",
        what: "",
        key: "bound",
        labels: releases.flatMap((x, at) => {
          const of = releases.length === 2 ? `${MARKS[at]}: ` : "";
          return [`${of}lower bound`, `${of}this release`];
        }),
        series: [
          { name: "loss", kind: "skanon-insp-fill-A", values: bounds.flatMap((x) => [x.lower_bound, x.loss]) },
        ],
        write: number,
      })
    : null;
  return el(
    "section",
    { class: "skanon-insp-gap" },
    el("h3", {}, "How far from the best possible release?"),
    told,
    drawn,
    done ? null : el("p", { class: "skanon-insp-soft" }, "The bound is certified, whatever the algorithm. It may take a minute."),
    done ? null : button,
  );
}

// ----------------------------------------------------------------------- distributions

function distributionsPanel(view) {
  const releases = releasesOf(view);
  const parts = releases.map((x) => x.distributions);
  const lacking = parts.map((x) => missing(x, "The distributions")).filter(Boolean);
  if (lacking.length) return lacking;
  const before = { name: "original", kind: "skanon-insp-fill-before" };
  const own = seriesOf(releases);
  const charts = parts.flatMap((part, at) =>
    part
      .filter((column) => at === 0 || !together(parts, column))
      .map((column) => {
        const other = at === 0 && parts[1] && together(parts, column);
        const series = [
          { ...before, values: column.before },
          { ...own[at], values: column.after },
          ...(other ? [{ ...own[1], values: other.after }] : []),
        ];
        const moved = releases
          .map((x) => x.losses?.columns?.find((y) => y.name === column.name)?.distance)
          .map((x) => number(x));
        const title = `Distribution of ${column.name}`;
        return el(
          "section",
          { class: "skanon-insp-column" },
          el("h3", {}, column.name, el("span", { class: "skanon-insp-note" }, `distance ${moved.join(" and ")}`)),
          chart({ title, key: `${at} ${title}`, what: column.name, labels: column.labels, series, write: percent, start: NARROW }),
        );
      }),
  );
  const text =
    "Shares of the records. A published range or set counts as spread evenly over its values. " +
    "Rare original values are shown together.";
  return [
    el("p", { class: "skanon-insp-soft" }, text),
    legend([before, ...own]),
    el("div", { class: "skanon-insp-columns" }, charts),
  ];
}

/** The second release's column, if it has the same bars and the same original. */
function together(parts, column) {
  return parts[0].some((x) => same(x, column)) && parts[1]?.find((x) => same(x, column));
}

function same(a, b) {
  const key = (x) => JSON.stringify([x.name, x.labels, x.before]);
  return key(a) === key(b);
}
