// The tab "Ranges": a histogram whose cut points move. Python knows the column's line;
// here places on it go from 0 to 1.

const STEPS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10, Home: "low", End: "high" };
const percent = (x) => `${100 * x}%`;

function rangesTab(root, model, view) {
  let data = { points: [] };
  let at = 0;
  let drag = null; // {i, text, x, busy, next} while a point is dragged
  let wanted = false; // whether the focus shall come to a point
  const cut = (op, args, trial) => tell(root, model, { do: "cut", op, args, trial, view });
  const bars = svg("svg", { class: "skanon-bars", role: "img", preserveAspectRatio: "none" });
  const marks = el("div", { role: "group", "aria-label": "Cut points" });
  const ticks = el("div", { class: "skanon-ticks", "aria-hidden": "true" });
  const plot = el("div", { class: "skanon-plot", title: "Click to add a cut point" }, bars, ticks, marks);
  const why = el("p", {});
  const levels = el("div", {});
  const ask = (i, value, typed) => {
    const add = i === null;
    askName(root, {
      title: add ? "Add a cut point" : `Move the cut point ${data.points[i].text}`,
      label: "A range begins at",
      value,
      button: add ? "Add" : "Move",
      run: (text) => cut(add ? "add" : "move", add ? { text } : { i, text }),
    });
    if (typed) document.activeElement.setSelectionRange(1, 1);
  };
  const lift = (by) => cut("lift", { i: at, height: data.points[at].height + by });
  const remove = () => cut("remove", { i: at });
  const some = [
    button("Type…", "Type where the cut point is (Enter)", () => ask(at, data.points[at].text)),
    button("One level more", "Cut one more level at this point (Shift+↑)", () => lift(1)),
    button("One level less", "Cut one level less at this point (Shift+↓)", () => lift(-1)),
    button("Remove", "Remove the cut point (Delete)", remove),
  ];
  const chosen = el("span", { class: "skanon-found" });
  const bar = el(
    "div",
    { class: "skanon-bar" },
    button("Add cut point…", "Type where to cut (Insert)", () => ask(null)),
    el("span", { class: "skanon-part", role: "group", "aria-label": "Cut point" }, chosen, ...some),
  );
  const choose = (i) => {
    at = Math.max(0, Math.min(i, data.points.length - 1));
    const point = data.points[at];
    chosen.textContent = point ? `Cut point ${point.text}:` : "";
    some.forEach((x) => x.setAttribute("aria-disabled", !point));
    [...marks.children].forEach((x, k) => x.classList.toggle("skanon-chosen", k === at));
  };
  const keys = (event) => {
    const { key, shiftKey } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (key === "Insert") ask(null);
    else if (shiftKey && key === "ArrowUp") lift(1);
    else if (shiftKey && key === "ArrowDown") lift(-1);
    else if (key in STEPS) cut("move", { i: at, by: STEPS[key] });
    else if (key === "Delete") remove();
    else if (key === "Enter" || key === "F2") ask(at, data.points[at].text);
    else if (/^[\d-]$/.test(key)) ask(at, key, true);
    else return;
    event.preventDefault();
  };
  const place = ({ clientX }) => {
    const box = plot.getBoundingClientRect();
    return (clientX - box.left) / box.width;
  };
  const attempt = () => {
    if (drag.busy) return;
    drag.busy = true;
    cut("move", { i: drag.i, at: drag.x }, true);
    drag.sent = drag.x;
  };
  marks.addEventListener("pointerdown", (event) => {
    const i = [...marks.children].indexOf(event.target.closest(".skanon-point"));
    if (i < 0 || event.button) return;
    event.target.setPointerCapture(event.pointerId);
    drag = { i, text: data.points[i].text };
  });
  marks.addEventListener("pointermove", (event) => {
    if (!drag) return;
    drag.x = place(event);
    attempt();
  });
  marks.addEventListener("pointerup", () => {
    const { i, x } = drag || {};
    drag = null;
    wanted = true;
    if (x !== undefined) cut("move", { i, at: x });
  });
  plot.addEventListener("click", (event) => {
    if (event.target.closest(".skanon-point")) return;
    wanted = true;
    cut("add", { at: place(event) });
  });
  const mark = () => {
    const node = el("div", { class: "skanon-point", role: "slider", tabIndex: 0, "aria-label": "Cut point" });
    node.addEventListener("keydown", keys);
    node.addEventListener("focus", () => choose([...marks.children].indexOf(node)));
    node.append(el("span", { class: "skanon-point-text" }));
    return node;
  };
  const draw = (message) => {
    data = message;
    const { bars: n, points } = message;
    const most = Math.max(1, ...n);
    bars.setAttribute("viewBox", `0 0 ${n.length} ${most}`);
    bars.setAttribute("aria-label", `Histogram: ${n.length} bars, up to ${number(most)} records each`);
    bars.replaceChildren(...n.map((y, x) => svg("rect", { x, y: most - y, width: 0.9, height: y })));
    ticks.replaceChildren(...message.ticks.map(([x, text]) => el("span", { style: { left: percent(x) } }, text)));
    why.textContent = message.why;
    while (marks.children.length > points.length) marks.lastChild.remove();
    while (marks.children.length < points.length) marks.append(mark());
    let last = -1;
    points.forEach(({ x, text, height }, i) => {
      const node = marks.children[i];
      node.style.left = percent(x);
      node.firstChild.textContent = text;
      const room = (7 * text.length + 10) / (plot.clientWidth || 700);
      node.classList.toggle("skanon-tight", x - last < room);
      if (x - last >= room) last = x;
      const cuts = `${text}, cuts ${height} level${height > 1 ? "s" : ""}`;
      const value = { valuemin: 0, valuemax: 100, valuenow: Math.round(100 * x), valuetext: cuts };
      for (const key in value) node.setAttribute(`aria-${key}`, value[key]);
    });
    levels.replaceChildren(...message.levels.map(level));
    choose(at);
  };
  const level = (ranges, i, all) =>
    el(
      "div",
      { class: "skanon-level" },
      el(
        "span",
        {},
        `Level ${i + 1} `,
        i + 1 < all.length ? button("Merge", `Merge level ${i + 1} with the next`, () => cut("merge", { level: i + 1 })) : "",
      ),
      el(
        "ol",
        { "aria-label": `Ranges of level ${i + 1}` },
        ...ranges.map(({ label, from, to, records }) =>
          el(
            "li",
            { style: { left: percent(from), width: percent(to - from) }, title: `${label}: ${number(records)} records` },
            el("b", {}, label),
            ` ${number(records)}`,
          ),
        ),
      ),
    );
  const update = (message) => {
    if (message.ranges) {
      draw(message.ranges);
      if (message.view !== view || message.point === undefined) return;
      choose(message.point);
      const now = document.activeElement;
      if (wanted || now === document.body || marks.contains(now)) marks.children[at]?.focus();
      wanted = false;
    } else if (seen(node)) tell(root, model, { do: "ranges", view });
  };
  const node = el("div", { class: "skanon-tab" }, bar, plot, levels, why);
  const ranges = (message) => {
    if (drag) {
      drag.busy = false;
      if (drag.x !== drag.sent) attempt();
    }
    draw(message);
  };
  return { title: "Ranges", node, state: update, patch: update, ranges, shown: () => update({}), fits: ({ line }) => line };
}
