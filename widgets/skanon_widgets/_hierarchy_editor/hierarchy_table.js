// The tab "Table": a row for each value, a column for each level. Python is asked for
// the rows in sight; they are those of the tree.

function tableTab(root, model, view, say) {
  let data = { rows: [], start: 0, total: 0, height: 1 };
  let [row, column, anchor, extra, seek] = [0, 1, 0, 0, ""];
  let grab = false; // whether the focus shall come to the cell
  let moving = false; // whether the field that is open goes to a new cell
  const held = []; // keys that were pressed before the row came that they are for
  const head = el("div", { role: "row", class: "skanon-cells" });
  const body = el("div", { role: "rowgroup", class: "skanon-tree-space" });
  const box = el("div", { class: "skanon-tree", role: "grid", tabIndex: -1, "aria-label": "Table of levels", "aria-multiselectable": "true" }, el("div", { role: "rowgroup", class: "skanon-heads" }, head), body);
  const top = () => Math.max(0, Math.floor(box.scrollTop / ROW) - SPARE);
  const ask = (sort) => {
    const start = top();
    const stop = start + Math.ceil((box.clientHeight || 400) / ROW) + 3 * SPARE;
    tell(root, model, { do: "rows", start, stop, seek, view, sort });
  };
  const added = () => extra || (data.height === 1 ? 1 : 0);
  const width = () => data.height + (added() ? 1 : 0);
  // the table's level of a column, and whether it is the one that was added
  const level = (at) => [added() && at > added() ? at - 1 : at, at === added()];
  const last = () => Math.max(anchor, row);
  const first = () => Math.min(anchor, row);
  const cell = (i, at, text, own) =>
    el(
      "div",
      {
        role: at ? "gridcell" : "rowheader",
        class: `skanon-cell${own ? "" : " skanon-dim"}`,
        tabIndex: i === row && at === column ? 0 : -1,
        "aria-selected": at === column && i >= first() && i <= last(),
        "aria-colindex": at + 1,
        title: text,
      },
      text,
    );
  const line = (item, k) => {
    const i = data.start + k;
    const texts = [item.name, ...item.labels];
    if (added()) texts.splice(added(), 0, texts[added() - 1]);
    const cells = texts.map((text, at) => {
      const [real, made] = level(at);
      return cell(i, at, text, !at || (!made && item.own.includes(real)));
    });
    return el("div", { role: "row", class: "skanon-cells", "aria-rowindex": i + 2, style: { top: `${i * ROW}px` } }, ...cells);
  };
  const draw = () => {
    const had = grab || box.contains(document.activeElement);
    const open = body.querySelector("input");
    const chosen = open && [open.selectionStart, open.selectionEnd];
    moving = Boolean(open);
    if (had) box.focus({ preventScroll: true }); // until the cell is there, keys stay here
    row = Math.max(0, Math.min(row, data.total - 1));
    column = Math.min(column, width());
    const titles = ["Value", ...Array.from({ length: width() }, (_, k) => (level(k + 1)[1] ? "New level" : `Level ${level(k + 1)[0]}`))];
    head.replaceChildren(...titles.map((title) => el("div", { role: "columnheader", class: "skanon-cell" }, title)));
    body.style.height = `${data.total * ROW}px`;
    body.replaceChildren(...data.rows.map(line));
    box.setAttribute("aria-rowcount", data.total + 1);
    const now = body.querySelector("[tabindex='0']");
    if (open && now) {
      now.replaceChildren(open);
      open.focus({ preventScroll: true });
      open.setSelectionRange(...chosen);
    } else if (had && now) now.focus({ preventScroll: true });
    moving = false;
    if (now) grab = false;
    else open?.dispatchEvent(new Event("blur"));
  };
  const go = (to, at, extend) => {
    row = Math.max(0, Math.min(data.total - 1, to));
    column = Math.max(0, Math.min(width(), at));
    if (!extend) anchor = row;
    const y = row * ROW;
    if (y < box.scrollTop) box.scrollTop = y;
    else if (y + 2 * ROW > box.scrollTop + box.clientHeight) box.scrollTop = y + 2 * ROW - box.clientHeight;
    grab = true;
    draw();
    if (grab) ask();
  };
  const write = (label) => {
    const [real, made] = level(column);
    tell(root, model, { do: "label", first: first(), last: last(), seek, level: real, label, new: made, view });
    ask(); // at once, to save one way there and back
  };
  const edit = (text) => {
    const node = body.querySelector("[tabindex='0']");
    if (!node || !column) return say("Values stand in the data: write into a level.");
    const value = text ?? node.textContent;
    const field = el("input", { class: "skanon-input", value, "aria-label": "Label" });
    let done = false;
    const leave = (take) => {
      if (done) return;
      done = true;
      const same = field.value === node.title && first() === last();
      grab = true;
      field.remove();
      draw();
      if (take && !same) write(field.value);
    };
    field.addEventListener("blur", () => moving || leave(true));
    field.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Enter" || event.key === "Escape") leave(event.key === "Enter");
    });
    node.replaceChildren(field);
    field.focus();
    if (text === undefined) field.select();
  };
  const drop = () => {
    if (extra && level(column)[1]) extra = 0;
    else return tell(root, model, { do: "edit", op: "drop_level", args: { level: level(column)[0] }, view });
    draw();
  };
  const add = () => {
    extra = Math.max(1, Math.min(data.height, column));
    go(row, extra, true);
  };
  box.addEventListener("keydown", (event) => {
    const { key, shiftKey, ctrlKey, metaKey } = event;
    const command = ctrlKey || metaKey;
    const to = { ArrowDown: [row + 1], ArrowUp: [row - 1], PageDown: [row + 10], PageUp: [row - 10], ArrowRight: [row, column + 1], ArrowLeft: [row, column - 1], Home: [command ? 0 : row, 0], End: [command ? data.total : row, width()] }[key];
    const types = key.length === 1 && !command && !event.altKey;
    const writes = types || ["Enter", "F2", "Delete"].includes(key);
    if (writes && !body.querySelector("[tabindex='0']")) go(row, column, true);
    if (grab && (writes || (held.length && (to || ["Backspace", "Escape"].includes(key))))) held.push({ key, shiftKey, ctrlKey, metaKey });
    else if (to) go(to[0], to[1] ?? column, shiftKey);
    else if (key === "Enter" || key === "F2") edit();
    else if (key === "Delete") write("");
    else if (types) edit(key);
    else return;
    event.preventDefault();
  });
  const replay = () => {
    if (!data.total) held.length = 0;
    while (held.length && !grab) {
      const pressed = held.shift();
      const field = body.querySelector("input");
      if (field && pressed.key.length === 1) field.value += pressed.key;
      else if (field && pressed.key === "Backspace") field.value = field.value.slice(0, -1);
      else (field ?? box).dispatchEvent(new KeyboardEvent("keydown", pressed));
    }
  };
  body.addEventListener("click", ({ target, shiftKey }) => {
    const node = target.closest("[aria-colindex]");
    if (node && target.tagName !== "INPUT") go(node.parentNode.ariaRowIndex - 2, node.ariaColIndex - 1, shiftKey);
  });
  body.addEventListener("dblclick", ({ target }) => target.tagName !== "INPUT" && edit());
  box.addEventListener("scroll", () => {
    const end = data.start + data.rows.length;
    if (top() < data.start || (end < data.total && top() + SPARE * 2 + box.clientHeight / ROW > end)) ask();
  });
  const field = el("input", { class: "skanon-input", type: "search", placeholder: "Search", "aria-label": "Search the table" });
  field.addEventListener("input", () => {
    seek = field.value.trim();
    box.scrollTop = row = anchor = 0;
    ask();
  });
  const bar = el(
    "div",
    { class: "skanon-bar" },
    button("Write…", "Write a label into the chosen cells (Enter)", () => edit()),
    button("Add a level", "Add a level before the chosen column", add),
    button("Delete level", "Delete the groups of the chosen column's level", drop),
    button("Sort rows", "Put the rows into the order of the tree", () => ask(true)),
    field,
  );
  const node = el("div", { class: "skanon-tab" }, bar, box);
  const state = ({ fixed, said }) => {
    node.hidden = Boolean(fixed);
    if (said && extra) extra = 0;
    if (!fixed && seen(node)) ask();
  };
  const rows = (message) => {
    data = message;
    draw();
    replay();
  };
  return { title: "Table", node, state, patch: state, rows, shown: () => node.hidden || ask() };
}
