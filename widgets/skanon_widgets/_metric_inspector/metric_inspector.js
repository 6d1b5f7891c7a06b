// @ts-check
// Look at a release, or at two side by side. All figures come from Python.

const TABS = [
  ["risk", "Risk"],
  ["classes", "Classes"],
  ["loss", "Loss"],
  ["distributions", "Distributions"],
];

/**
 * What a view of the inspector knows.
 * @typedef {object} View
 * @property {any} model
 * @property {HTMLElement} root
 * @property {(text: string) => void} say
 * @property {string} tab the chosen one
 * @property {string} order how the costliest classes are sorted
 * @property {any} details of a single class, as Python sent it, or null
 * @property {string} id told with what is asked for, so that the answer comes here alone
 * @property {boolean} wanted whether its title gets the focus when it comes
 */

function render({ model, el: host }) {
  const root = el("div", { class: "skanon-widget skanon-inspector", role: "group" });
  root.setAttribute("aria-label", "Metric inspector");
  host.append(root);
  const view = { model, root, tab: "risk", order: "share", details: null, wanted: false };
  view.id = unique("view");
  const head = el("div");
  const tabs = tabList(view, () => draw());
  const body = el("div", { class: "skanon-insp-body" });
  root.append(head, tabs.node, body);
  alerts(root, model);
  view.say = announcer(root);
  const draw = () => {
    const focused = document.activeElement;
    const key = root.contains(focused) ? focused?.getAttribute("data-key") : null;
    const lost = body.contains(focused); // else keys would go to the notebook then
    const typed = /** @type {any} */ (body.querySelector("input"))?.value;
    head.replaceChildren(...header(view));
    tabs.show();
    body.replaceChildren(panel(view, draw));
    const input = /** @type {any} */ (body.querySelector("input"));
    if (input && typed) input.value = typed;
    if (view.wanted && view.details) {
      view.wanted = false;
      /** @type {any} */ (body.querySelector(".skanon-insp-details h3"))?.focus();
    } else if (key || lost) keep(root, key);
  };
  draw();
  const stopGuard = guard(root);
  const stopAsking = connect(root, model, (message) => {
    if (message.kind !== "class" || message.view !== view.id) return;
    view.details = message;
    draw();
  });
  let told = news(view);
  const redraw = () => {
    draw();
    const now = news(view);
    if (now && now !== told) view.say(now);
    told = now;
  };
  model.on("change:releases", redraw);
  model.on("change:verdict", draw);
  return () => {
    model.off("change:releases", redraw);
    model.off("change:verdict", draw);
    stopGuard();
    stopAsking();
  };
}

/** Give the focus back to what was drawn anew, or to the panel around it. */
function keep(root, key) {
  const all = [...root.querySelectorAll("[data-key]")];
  const same = all.find((node) => node.getAttribute("data-key") === key);
  const node = same || all.find((one) => one.getAttribute("role") === "tabpanel");
  node?.focus({ preventScroll: true });
}

/** What came after it was asked for, in words, to be read aloud. */
function news(view) {
  const asked = releasesOf(view).flatMap((x) => [
    x.journalist ? x.words.journalist : null,
    x.words.gap,
  ]);
  return asked.filter(Boolean).join(" ");
}

/** @param {View} view @returns {any[]} the releases' figures */
function releasesOf(view) {
  return view.model.get("releases") || [];
}

// ------------------------------------------------------------------------- the frame

function tabList(view, draw) {
  const node = el("div", { class: "skanon-insp-tabs", role: "tablist" });
  node.setAttribute("aria-label", "What to look at");
  const id = unique("inspector");
  const buttons = TABS.map(([name, label]) =>
    el(
      "button",
      {
        type: "button",
        role: "tab",
        id: `${id}-${name}`,
        class: "skanon-insp-tab",
        onclick: () => choose(name),
      },
      label,
    ),
  );
  view.tabId = id;
  const choose = (name) => {
    view.tab = name;
    draw();
    buttons[TABS.findIndex((tab) => tab[0] === name)].focus();
  };
  node.append(...buttons);
  node.addEventListener("keydown", (event) => {
    const at = TABS.findIndex((tab) => tab[0] === view.tab);
    const n = TABS.length;
    const to = { ArrowRight: (at + 1) % n, ArrowLeft: (at + n - 1) % n, Home: 0, End: n - 1 };
    if (!(event.key in to)) return;
    event.preventDefault();
    choose(TABS[to[event.key]][0]);
  });
  const show = () => {
    TABS.forEach(([name], at) => {
      const chosen = name === view.tab;
      buttons[at].setAttribute("aria-selected", String(chosen));
      buttons[at].tabIndex = chosen ? 0 : -1;
      if (chosen) buttons[at].setAttribute("aria-controls", `${id}-panel`);
      else buttons[at].removeAttribute("aria-controls");
    });
  };
  return { node, show };
}

function panel(view, draw) {
  const parts = {
    risk: riskPanel,
    classes: classesPanel,
    loss: lossPanel,
    distributions: distributionsPanel,
  };
  const props = { role: "tabpanel", tabIndex: 0, class: "skanon-insp-panel" };
  const node = el("div", { ...props, id: `${view.tabId}-panel`, "data-key": "panel" });
  node.setAttribute("aria-labelledby", `${view.tabId}-${view.tab}`);
  node.append(...parts[view.tab](view, draw).flat(Infinity).filter(Boolean));
  return node;
}

function header(view) {
  const releases = releasesOf(view);
  const two = releases.length === 2;
  const title = (figures, at) =>
    el(
      "div",
      { class: "skanon-insp-release" },
      el(
        "h2",
        { class: "skanon-insp-title" },
        mark(at, two),
        two ? figures.name : figures.made_by ? `Release by ${figures.made_by}` : "Release",
      ),
      el("p", {}, figures.words.promise),
      figures.levels.unchanged
        ? finding(figures.levels.unchanged, figures.words.unchanged)
        : null,
    );
  return [
    el("div", { class: "skanon-insp-releases" }, releases.map(title)),
    two ? el("p", { class: "skanon-insp-verdict" }, view.model.get("verdict")) : null,
    tiles(releases),
  ].filter(Boolean);
}

/** What was asked for, beside what was achieved. */
function asked(figures) {
  const k = figures.asked_k ? `${number(figures.asked_k)} asked` : "";
  return figures.one_by_one ? `records that fit anybody, ${k}` : k;
}

function tiles(releases) {
  const two = releases.length === 2;
  const tile = (label, value, note, judged) =>
    el(
      "div",
      { class: "skanon-insp-tile" },
      el("dt", {}, label),
      releases.map((figures, at) =>
        el(
          "dd",
          {},
          mark(at, two),
          el("span", { class: "skanon-insp-figure" }, value(figures)),
          figures.levels[judged] ? severity(figures.levels[judged]) : null,
          note ? el("span", { class: "skanon-insp-note" }, note(figures)) : null,
        ),
      ),
    );
  const weakest = (figures, key, best) => {
    const known = figures.sensitive.filter((part) => part[key] !== null);
    if (!known.length) return null;
    return known.reduce((a, b) => (best(a[key], b[key]) === a[key] ? a : b));
  };
  const level = (key, best) => [
    (figures) => number(weakest(figures, key, best)?.[key]),
    (figures) => {
      const part = weakest(figures, key, best);
      return part ? `of ${part.name}` : "no sensitive attribute";
    },
  ];
  return el(
    "dl",
    { class: "skanon-insp-tiles" },
    tile("k achieved", (x) => number(x.one_by_one ? x.risk.fewest : x.achieved_k), asked, "k"),
    tile("l (frequency)", ...level("l_frequency", Math.min), "l"),
    tile("t", ...level("t", Math.max), "t"),
    tile(
      "Highest risk",
      (x) => percent(x.risk.highest),
      (x) => `${percent(x.risk.average)} on average`,
      "risk",
    ),
    tile("Information loss", (x) => number(x.losses?.value), (x) => x.losses?.loss || ""),
    tile("Records", (x) => number(x.records), (x) => `${number(x.suppressed)} suppressed`),
  );
}

export default { render };
