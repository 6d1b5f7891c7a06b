// The editor of one column's hierarchy. Python holds the tree; a view keeps a copy,
// which patches change, and shows those rows of it that are in sight.

const ROOT = 0;
const OUTSIDE = 1;
const ROW = 26; // pixels, as in the style sheet
const SPARE = 8; // rows kept ready above and below what is in sight

/**
 * @typedef {{id: number, name: string, leaf: boolean, parent: number, count: number,
 *   leaves: number, children: number[]}} TreeNode
 */

/** A view's copy of the tree. */
class Forest {
  constructor() {
    /** @type {Map<number, TreeNode>} */
    this.nodes = new Map();
  }

  /** Take the whole state, sent column by column. */
  fill(state) {
    this.nodes.clear();
    state.ids.forEach((id, at) => {
      const [name, leaf] = [state.names[at], Boolean(state.leaf[at])];
      const [count, leaves] = [state.counts[at], state.leaves[at]];
      const parent = state.parents[at];
      this.nodes.set(id, { id, name, leaf, parent, count, leaves, children: [] });
      this.nodes.get(parent)?.children.push(id);
    });
  }

  /** Take a patch's steps, then its counts. */
  patch({ steps, changed }) {
    for (const [kind, content] of steps) this[kind](content);
    for (const [id, count, leaves] of changed) {
      Object.assign(this.nodes.get(id), { count, leaves });
    }
  }

  create(made) {
    for (const [id, name, leaf, count, leaves] of made) {
      const place = { parent: -1, children: [] };
      this.nodes.set(id, { id, name, leaf: Boolean(leaf), count, leaves, ...place });
    }
  }

  forget(ids) {
    for (const id of ids) this.nodes.delete(id);
  }

  rename([id, name]) {
    this.nodes.get(id).name = name;
  }

  order([id, children]) {
    this.nodes.get(id).children = children;
  }

  place(runs) {
    const gone = new Set(runs.flatMap(([, , block]) => block));
    for (const parent of new Set([...gone].map((id) => this.nodes.get(id).parent))) {
      const node = this.nodes.get(parent);
      if (node) node.children = node.children.filter((id) => !gone.has(id));
    }
    for (const [parent, at, block] of runs) {
      const node = this.nodes.get(parent);
      if (node) node.children = [...node.children.slice(0, at), ...block, ...node.children.slice(at)];
      for (const id of block) this.nodes.get(id).parent = parent;
    }
  }

  /** @returns {TreeNode[]} a node's ancestors, the nearest first */
  above(id) {
    const path = [];
    let node = this.nodes.get(this.nodes.get(id)?.parent ?? -1);
    for (; node; node = this.nodes.get(node.parent)) path.push(node);
    return path;
  }

  depth(id) {
    return this.above(id).length;
  }

  /** @returns {number[]} the entries at the top */
  tops() {
    return this.nodes.get(OUTSIDE)?.children.length ? [OUTSIDE, ROOT] : [ROOT];
  }

  label(id) {
    return id === OUTSIDE ? "Values in no group" : this.nodes.get(id).name;
  }

  /** @returns {TreeNode[]} all groups, depth first */
  groups() {
    const found = [];
    const walk = (id) => {
      const node = this.nodes.get(id);
      if (node.leaf) return;
      found.push(node);
      node.children.forEach(walk);
    };
    walk(ROOT);
    return found;
  }

  /** @returns {{id: number, depth: number, at: number, of: number}[]} the open rows */
  rows(open) {
    const rows = [];
    const walk = (ids, depth) => {
      ids.forEach((id, at) => {
        rows.push({ id, depth, at: at + 1, of: ids.length });
        if (open.has(id)) walk(this.nodes.get(id).children, depth + 1);
      });
    };
    walk(this.tops(), 0);
    return rows;
  }
}

/** @returns {{command: boolean, name: string, chord: string}} what was pressed */
function chordOf(event) {
  const command = event.ctrlKey || event.metaKey;
  const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const chord = `${command ? "Ctrl+" : ""}${event.shiftKey ? "Shift+" : ""}${name}`;
  return { command, name, chord };
}

/** The tree as a list of rows, of which only those in sight are in the page. */
class TreeView {
  constructor(forest, hooks) {
    this.forest = forest;
    this.hooks = hooks;
    this.open = new Set([ROOT, OUTSIDE]);
    this.chosen = new Set();
    this.cut = new Set();
    this.focused = ROOT;
    this.anchor = ROOT;
    this.match = new Set();
    this.rows = [];
    /** @type {Map<number, number>} */
    this.places = new Map();
    /** @type {Map<number, HTMLElement>} */
    this.shown = new Map();
    this.typed = "";
    this.space = el("div", {
      class: "skanon-tree-space",
      role: "tree",
      "aria-label": "Hierarchy",
      "aria-multiselectable": "true",
    });
    this.box = el("div", { class: "skanon-tree" }, this.space);
    this.box.addEventListener("scroll", () => this.paint());
    this.space.addEventListener("keydown", (event) => this.key(event));
    this.space.addEventListener("click", (event) => this.click(event));
    this.space.addEventListener("dblclick", (event) => {
      const id = this.idOf(event);
      if (id !== null && !this.forest.nodes.get(id).leaf) this.hooks.rename(id);
    });
    this.drags();
  }

  idOf(event) {
    const row = event.target.closest("[data-id]");
    return row ? Number(row.dataset.id) : null;
  }

  /** Lay all rows out anew; cheap, since few of them are in the page. */
  refresh() {
    const { nodes } = this.forest;
    for (const set of [this.open, this.chosen, this.cut, this.match]) {
      for (const id of set) if (!nodes.has(id)) set.delete(id);
    }
    this.rows = this.forest.rows(this.open);
    this.places = new Map(this.rows.map(({ id }, at) => [id, at]));
    if (!this.places.has(this.focused)) this.focused = this.nearest(this.focused);
    this.space.style.height = `${this.rows.length * ROW}px`;
    this.paint();
    this.hooks.chosen();
  }

  nearest(id) {
    const up = this.forest.above(id).find((node) => this.places.has(node.id));
    if (up) return up.id;
    return this.rows[Math.min(this.lastPlace || 0, this.rows.length - 1)].id;
  }

  /** Put the rows in sight into the page, in order, and take the others out. */
  paint() {
    const had = this.space.contains(document.activeElement);
    const from = Math.max(0, Math.floor(this.box.scrollTop / ROW) - SPARE);
    const to = from + Math.ceil((this.box.clientHeight || 400) / ROW) + 2 * SPARE;
    const wanted = this.rows.slice(from, to);
    for (const id of [this.focused, this.dragged?.[0]]) {
      const at = this.places.get(id);
      if (at === undefined) continue;
      if (at < from) wanted.unshift(this.rows[at]);
      if (at >= to) wanted.push(this.rows[at]);
    }
    const ids = new Set(wanted.map(({ id }) => id));
    for (const [id, row] of this.shown) {
      if (ids.has(id)) continue;
      row.remove();
      this.shown.delete(id);
    }
    let next = this.space.firstChild;
    for (const place of wanted) {
      const row = this.shown.get(place.id) || this.make(place.id);
      this.draw(row, place);
      if (row === next) next = next.nextSibling;
      else this.space.insertBefore(row, next);
    }
    this.lastPlace = this.places.get(this.focused);
    if (had && !this.space.contains(document.activeElement)) this.grab();
  }

  make(id) {
    const row = el(
      "div",
      { class: "skanon-row", role: "treeitem", tabIndex: -1, draggable: id > OUTSIDE },
      el("span", { class: "skanon-chevron", "aria-hidden": "true" }),
      el("span", { class: "skanon-name" }),
      el("span", { class: "skanon-count" }),
    );
    row.dataset.id = String(id);
    this.shown.set(id, row);
    return row;
  }

  draw(row, { id, depth, at, of }) {
    const node = this.forest.nodes.get(id);
    const [chevron, name, count] = row.children;
    const open = this.open.has(id);
    const kind = id === OUTSIDE ? " skanon-outside" : node.leaf ? " skanon-leaf" : "";
    row.className =
      `skanon-row${kind}${this.cut.has(id) ? " skanon-cut" : ""}` +
      `${this.match.has(id) ? " skanon-match" : ""}`;
    row.style.top = `${this.places.get(id) * ROW}px`;
    row.style.paddingLeft = `${6 + depth * 18}px`;
    row.tabIndex = id === this.focused ? 0 : -1;
    row.setAttribute("aria-level", depth + 1);
    row.setAttribute("aria-posinset", at);
    row.setAttribute("aria-setsize", of);
    row.setAttribute("aria-selected", this.chosen.has(id));
    if (node.leaf) row.removeAttribute("aria-expanded");
    else row.setAttribute("aria-expanded", open);
    chevron.textContent = node.leaf ? "" : open ? "▾" : "▸";
    name.textContent = this.forest.label(id);
    const values = node.leaf ? "" : `${number(node.leaves)} values · `;
    count.textContent = `${values}${number(node.count)}`;
    count.title = node.leaf ? "records" : "values and records";
  }

  /** Bring a node into sight and put the focus on it. */
  reveal(id, { focus = true, choose = false } = {}) {
    if (!this.forest.nodes.has(id)) return;
    for (const node of this.forest.above(id)) this.open.add(node.id);
    this.focused = id;
    if (choose) this.chosen = new Set([id]);
    this.anchor = id;
    this.refresh();
    this.scrollTo(id);
    if (focus) this.grab();
  }

  scrollTo(id) {
    const top = this.places.get(id) * ROW;
    const { scrollTop, clientHeight } = this.box;
    if (top < scrollTop) this.box.scrollTop = top;
    else if (top + ROW > scrollTop + clientHeight) {
      this.box.scrollTop = top + ROW - clientHeight;
    }
    this.paint();
  }

  grab() {
    this.shown.get(this.focused)?.focus({ preventScroll: true });
  }

  /** Move the focus, and the choice with it unless it is to grow. */
  go(id, { extend = false, keep = false } = {}) {
    this.focused = id;
    if (extend) {
      const [a, b] = [this.places.get(this.anchor) ?? 0, this.places.get(id)];
      const span = this.rows.slice(Math.min(a, b), Math.max(a, b) + 1);
      this.chosen = new Set(span.map((row) => row.id).filter((x) => x > OUTSIDE));
    } else {
      if (!keep) this.chosen = new Set(id > OUTSIDE ? [id] : []);
      this.anchor = id;
    }
    this.scrollTo(id);
    this.grab();
    this.hooks.chosen();
  }

  flip(id) {
    if (this.chosen.has(id)) this.chosen.delete(id);
    else if (id > OUTSIDE) this.chosen.add(id);
    this.anchor = id;
    this.paint();
    this.hooks.chosen();
  }

  toggle(id, open = !this.open.has(id)) {
    if (this.forest.nodes.get(id).leaf) return;
    if (open) this.open.add(id);
    else this.open.delete(id);
    this.refresh();
  }

  /** Open what lies above a depth, and close the rest. */
  openTo(depth) {
    this.open = new Set([OUTSIDE]);
    for (const node of this.forest.groups()) {
      if (this.forest.depth(node.id) < depth) this.open.add(node.id);
    }
    this.refresh();
    this.scrollTo(this.focused);
  }

  /** @returns {number[]} what an operation is about, in the order of the rows */
  choice() {
    const place = (id) => this.places.get(id) ?? Infinity;
    const ids = [...this.chosen].sort((a, b) => place(a) - place(b));
    return ids.length || this.focused <= OUTSIDE ? ids : [this.focused];
  }

  click(event) {
    const id = this.idOf(event);
    if (id === null) return;
    const group = !this.forest.nodes.get(id).leaf;
    if (group && event.target.closest(".skanon-chevron")) this.toggle(id);
    else if (event.ctrlKey || event.metaKey) {
      this.flip(id);
      this.go(id, { keep: true });
    } else this.go(id, { extend: event.shiftKey });
  }

  key(event) {
    const { command, name, chord } = chordOf(event);
    const move = this.keyMove(name, command);
    if (move !== undefined) {
      if (move !== null) this.go(move, { extend: event.shiftKey, keep: command });
    } else if (this.hooks.keys[chord]) this.hooks.keys[chord]();
    else if (name === " ") this.flip(this.focused);
    else if (chord === "Enter") this.toggle(this.focused);
    else if (chord === "Ctrl+a") this.chooseSiblings();
    else if (name === "*") this.openSiblings();
    else if (!command && !event.altKey && event.key.length === 1) this.type(name);
    else return;
    event.preventDefault();
  }

  keyMove(key, command) {
    const at = this.places.get(this.focused);
    const page = Math.max(1, Math.floor(this.box.clientHeight / ROW) - 1);
    const last = this.rows.length - 1;
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: last };
    const steps = { ...to, PageDown: at + page, PageUp: at - page };
    if (key in steps) return this.rows[Math.max(0, Math.min(last, steps[key]))].id;
    if (command) return undefined;
    const node = this.forest.nodes.get(this.focused);
    if (key === "ArrowRight") {
      if (this.open.has(node.id)) return node.children[0] ?? null;
      this.toggle(node.id, true);
      return null;
    }
    if (key !== "ArrowLeft") return undefined;
    if (this.open.has(node.id) && !node.leaf) this.toggle(node.id, false);
    else if (node.parent >= 0) return node.parent;
    return null;
  }

  siblings(id) {
    const node = this.forest.nodes.get(id);
    return this.forest.nodes.get(node.parent)?.children || this.forest.tops();
  }

  chooseSiblings() {
    this.chosen = new Set(this.siblings(this.focused).filter((id) => id > OUTSIDE));
    this.paint();
    this.hooks.chosen();
  }

  openSiblings() {
    for (const id of this.siblings(this.focused)) {
      if (!this.forest.nodes.get(id).leaf) this.open.add(id);
    }
    this.refresh();
  }

  /** Go to the next row whose name begins with what was typed within half a second. */
  type(letter) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => (this.typed = ""), 500);
    this.typed += letter;
    const again = [...this.typed].every((x) => x === letter);
    const sought = again ? letter : this.typed;
    const at = this.places.get(this.focused) + (again || this.typed.length === 1 ? 1 : 0);
    const round = [...this.rows.slice(at), ...this.rows.slice(0, at)];
    const begins = ({ id }) => this.forest.label(id).toLowerCase().startsWith(sought);
    const found = round.find(begins);
    if (found) this.go(found.id);
  }

  drags() {
    const { space } = this;
    space.addEventListener("dragstart", (event) => {
      const id = this.idOf(event);
      if (id === null || id <= OUTSIDE) return event.preventDefault();
      if (!this.chosen.has(id)) this.chosen = new Set([id]);
      this.dragged = [id, ...this.choice()];
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", "");
    });
    const end = () => {
      this.dragged = null;
      this.mark(null);
    };
    space.addEventListener("dragend", end);
    space.addEventListener("dragleave", (event) => {
      if (!space.contains(event.relatedTarget)) this.mark(null);
    });
    space.addEventListener("dragover", (event) => {
      if (!this.dragged) return;
      event.stopPropagation();
      const target = this.target(event);
      this.mark(target);
      if (target) event.preventDefault();
    });
    space.addEventListener("drop", (event) => {
      const target = this.target(event);
      const ids = this.dragged?.slice(1);
      end();
      if (!target || !ids) return;
      event.preventDefault();
      event.stopPropagation();
      this.hooks.move(ids, target.parent, target.before);
    });
  }

  /** Where a drop would put things: into a group, or before or after a row. */
  target(event) {
    const row = event.target.closest("[data-id]");
    if (!row || !this.dragged) return null;
    const id = Number(row.dataset.id);
    const node = this.forest.nodes.get(id);
    const box = row.getBoundingClientRect();
    const share = (event.clientY - box.top) / box.height;
    const into = !node.leaf && (id <= OUTSIDE || (share > 0.25 && share < 0.75));
    if (into) return { row, side: "into", parent: id, before: null };
    const after = share >= 0.5;
    const { children } = this.forest.nodes.get(node.parent);
    const next = children[children.indexOf(id) + 1] ?? null;
    const side = after ? "after" : "before";
    return { row, side, parent: node.parent, before: after ? next : id };
  }

  mark(target) {
    for (const row of this.shown.values()) delete row.dataset.drop;
    if (target) target.row.dataset.drop = target.side;
  }
}

/** Ask for a name in a dialog. */
function askName(root, { title, label, value = "", button, run }) {
  const field = el("input", { class: "skanon-input skanon-wide", value, id: unique("name") });
  field.autocomplete = "off";
  const body = [el("label", { class: "skanon-label", htmlFor: field.id }, label), field];
  const take = () => {
    if (!field.value.trim()) {
      field.focus();
      return false;
    }
    run(field.value);
  };
  dialog(root, { title, body, focus: field, buttons: [{ label: button, primary: true, run: take }] });
  field.select();
}

const MATCHES = 200;

/** Choose a group in a dialog: type to narrow the list, arrows and Enter to choose. */
function askGroup(root, { forest, title, run }) {
  const list = el("ul", { class: "skanon-options", role: "listbox", id: unique("groups") });
  list.setAttribute("aria-label", "Groups");
  const field = el("input", {
    class: "skanon-input skanon-wide",
    role: "combobox",
    "aria-expanded": "true",
    "aria-controls": list.id,
    "aria-autocomplete": "list",
    id: unique("filter"),
  });
  field.autocomplete = "off";
  const groups = forest.groups().map((node) => {
    const path = [node, ...forest.above(node.id)].reverse();
    return { id: node.id, text: path.map((x) => x.name).join(" › ") };
  });
  groups.push({ id: OUTSIDE, text: "Out of all groups" });
  let at = 0;
  const choose = (to) => {
    at = Math.max(0, Math.min(list.children.length - 1, to));
    [...list.children].forEach((x, i) => x.setAttribute("aria-selected", i === at));
    const option = list.children[at];
    field.setAttribute("aria-activedescendant", option ? option.id : "");
    option?.scrollIntoView({ block: "nearest" });
  };
  const option = ({ id, text }) => {
    const node = el("li", { role: "option", class: "skanon-option", id: unique("group") }, text);
    node.dataset.group = String(id);
    node.addEventListener("click", () => choose([...list.children].indexOf(node)));
    node.addEventListener("dblclick", () => box.node.querySelector("form").requestSubmit());
    return node;
  };
  const narrow = () => {
    const sought = field.value.toLowerCase();
    const found = groups.filter(({ text }) => text.toLowerCase().includes(sought));
    list.replaceChildren(...found.slice(0, MATCHES).map(option));
    choose(0);
  };
  field.addEventListener("input", narrow);
  field.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    choose(at + step);
  });
  const take = () => {
    const chosen = list.children[at];
    if (!chosen) return false;
    run(Number(chosen.dataset.group));
  };
  const label = el("label", { class: "skanon-label", htmlFor: field.id }, "Type part of a group's name");
  const buttons = [{ label: "Move", primary: true, run: take }];
  const box = dialog(root, { title, body: [label, field, list], focus: field, buttons });
  narrow();
}

const KEYS = [
  ["↑ ↓ Home End", "go to another row"],
  ["→ ←", "open or close a group; go into it or out of it"],
  ["Letters", "go to the next name that begins so"],
  ["*", "open all groups beside this one"],
  ["Space, Ctrl+Space", "choose or unchoose the row"],
  ["Shift+↑ ↓, Ctrl+A", "choose several rows; all in this group"],
  ["Ctrl+↑ ↓", "go on without changing what is chosen"],
  ["Ctrl+G, Insert", "put what is chosen into a new group; add an empty group"],
  ["Ctrl+X, Ctrl+V, Ctrl+M", "cut, paste, move to…"],
  ["F2", "rename the group"],
  ["Delete, Shift+Delete", "delete; delete a group with all that is in it"],
  ["Ctrl+Z, Ctrl+Shift+Z", "undo, redo"],
];

/** What the editor can do: by button, by menu and by key. */
class Commands {
  constructor(root, model, view, forest, tree, say) {
    Object.assign(this, { root, model, view, forest, tree, say });
    this.keys = {
      F2: () => this.rename(),
      Delete: () => this.delete(false),
      "Shift+Delete": () => this.delete(true),
      Insert: () => this.add(),
      Escape: () => this.escape(),
      "Ctrl+x": () => this.cut(),
      "Ctrl+v": () => this.paste(),
      "Ctrl+g": () => this.group(),
      "Ctrl+m": () => this.moveTo(),
    };
  }

  edit(op, args) {
    tell(this.root, this.model, { do: "edit", op, args, view: this.view });
  }

  /** The group that something is put into: the focused one, or the one around it. */
  here() {
    const node = this.forest.nodes.get(this.tree.focused);
    return node.leaf ? node.parent : node.id;
  }

  what(ids) {
    return ids.length === 1 ? `“${this.forest.label(ids[0])}”` : `${number(ids.length)} entries`;
  }

  some(run) {
    const ids = this.tree.choice();
    if (ids.length) run(ids);
    else this.say("Choose at least one entry first.");
  }

  group() {
    this.some((ids) =>
      askName(this.root, {
        title: `Put ${this.what(ids)} into a new group`,
        label: "Name of the group",
        button: "Group",
        run: (name) => this.edit("group", { ids, name }),
      }),
    );
  }

  add() {
    const parent = this.here() === OUTSIDE ? ROOT : this.here();
    askName(this.root, {
      title: `Add a group in “${this.forest.label(parent)}”`,
      label: "Name of the group",
      button: "Add",
      run: (name) => this.edit("add", { parent, name }),
    });
  }

  addValue() {
    const parent = this.here() === OUTSIDE ? ROOT : this.here();
    askName(this.root, {
      title: `Add a value in “${this.forest.label(parent)}”`,
      label: "The value, as it would stand in the data",
      button: "Add",
      run: (text) => this.edit("add_value", { parent, text }),
    });
  }

  rename(id = this.tree.focused) {
    const node = this.forest.nodes.get(id);
    if (node.leaf || id === OUTSIDE) {
      this.say("Only groups can be renamed: values stand in the data.");
      return;
    }
    askName(this.root, {
      title: `Rename “${node.name}”`,
      label: "New name",
      value: node.name,
      button: "Rename",
      run: (name) => name.trim() !== node.name && this.edit("rename", { i: id, name }),
    });
  }

  insertLevel() {
    const i = this.here() === OUTSIDE ? ROOT : this.here();
    askName(this.root, {
      title: `Insert a level between “${this.forest.label(i)}” and what is in it`,
      label: "Name of the group that holds it all",
      button: "Insert",
      run: (name) => this.edit("insert_level", { i, name }),
    });
  }

  split() {
    this.some((ids) =>
      askName(this.root, {
        title: `Split ${this.what(ids)} off`,
        label: "Name of the new group beside the old one",
        button: "Split off",
        run: (name) => this.edit("split", { ids, name }),
      }),
    );
  }

  merge() {
    this.some((ids) => {
      if (ids.some((id) => this.forest.nodes.get(id).leaf)) return this.group();
      askName(this.root, {
        title: `Merge ${this.what(ids)}`,
        label: "Name of the merged group",
        value: this.forest.label(ids[0]),
        button: "Merge",
        run: (name) => this.edit("merge", { ids, name }),
      });
    });
  }

  delete(deep) {
    this.some((ids) => this.edit("delete", { ids, deep }));
  }

  moveTo() {
    this.some((ids) =>
      askGroup(this.root, {
        forest: this.forest,
        title: `Move ${this.what(ids)} to`,
        run: (parent) => this.move(ids, parent, null),
      }),
    );
  }

  move(ids, parent, before) {
    this.edit("move", { ids, parent, before });
  }

  cut() {
    this.some((ids) => {
      this.tree.cut = new Set(ids);
      this.tree.paint();
      this.say(`${this.what(ids)} cut. Go to a group and paste.`);
    });
  }

  paste() {
    const ids = [...this.tree.cut];
    if (!ids.length) return this.say("Nothing is cut.");
    const node = this.forest.nodes.get(this.tree.focused);
    const siblings = this.tree.siblings(node.id);
    const after = siblings[siblings.indexOf(node.id) + 1] ?? null;
    this.tree.cut = new Set();
    if (node.leaf) this.move(ids, node.parent, after);
    else this.move(ids, node.id, null);
  }

  escape() {
    this.tree.cut = new Set();
    this.tree.chosen = new Set();
    this.tree.paint();
    this.tree.hooks.chosen();
  }

  sort(by, deep) {
    this.edit("sort", { i: deep ? ROOT : this.here(), by, deep });
  }

  help() {
    const rows = KEYS.map(([keys, what]) => [el("dt", {}, keys), el("dd", {}, what)]);
    const body = [el("dl", { class: "skanon-keylist", tabIndex: 0 }, ...rows)];
    dialog(this.root, { title: "Keys in the tree", body, buttons: [], cancel: "Close" });
  }

  more() {
    return [
      { label: "Merge groups…", run: () => this.merge() },
      { label: "Split off…", run: () => this.split() },
      { label: "Insert a level…", run: () => this.insertLevel() },
      { label: "Add a value…", run: () => this.addValue() },
      { label: "Cut", keys: "Ctrl+X", run: () => this.cut() },
      { label: "Paste", keys: "Ctrl+V", run: () => this.paste() },
      { label: "Delete with all in it", keys: "Shift+Del", run: () => this.delete(true) },
      { label: "Sort this group by name", run: () => this.sort("name", false) },
      { label: "Sort this group by records", run: () => this.sort("count", false) },
      { label: "Sort everything by name", run: () => this.sort("name", true) },
      { label: "Sort everything by value", run: () => this.sort("value", true) },
      { label: "Keys…", run: () => this.help() },
    ];
  }
}

/** The search field: Enter goes to the next match, Shift+Enter to the one before. */
function searchField(forest, tree, say) {
  const result = el("span", { class: "skanon-found", role: "status" });
  const field = el("input", {
    class: "skanon-input",
    type: "search",
    placeholder: "Search",
    "aria-label": "Search groups and values",
  });
  let found = [];
  const walk = (ids, sought, into) => {
    for (const id of ids) {
      const node = forest.nodes.get(id);
      if (id > OUTSIDE && node.name.toLowerCase().includes(sought)) into.push(id);
      walk(node.children, sought, into);
    }
    return into;
  };
  const step = (by) => {
    if (!found.length) return;
    const at = (found.indexOf(tree.focused) + by + found.length) % found.length;
    tree.reveal(found[at], { focus: false, choose: true });
    result.textContent = `${at + 1} of ${number(found.length)}`;
  };
  const seek = () => {
    const sought = field.value.trim().toLowerCase();
    found = sought ? walk(forest.tops(), sought, []) : [];
    tree.match = new Set(found);
    tree.paint();
    result.textContent = sought && !found.length ? "Nothing found" : "";
    if (found.length) step(found.includes(tree.focused) ? 0 : 1);
  };
  field.addEventListener("input", seek);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
    else if (event.key === "ArrowDown") tree.grab();
    else return;
    event.preventDefault();
  });
  return el("span", { class: "skanon-search" }, field, result);
}

function button(label, title, run) {
  const node = el("button", { type: "button", class: "skanon-button", title }, label);
  node.addEventListener("click", () => {
    if (node.getAttribute("aria-disabled") !== "true") run();
  });
  return node;
}

/** The bar above the tree; `update` greys out what makes no sense now. */
function toolBar(root, commands, tree, search) {
  const some = [
    button("Group…", "Put what is chosen into a new group (Ctrl+G)", () => commands.group()),
    button("Move to…", "Move what is chosen (Ctrl+M)", () => commands.moveTo()),
    button("Delete", "Delete; what is in a group moves up (Delete)", () => commands.delete(false)),
  ];
  const rename = button("Rename…", "Rename the group (F2)", () => commands.rename());
  const depth = el("select", { class: "skanon-select", "aria-label": "Open the tree to level" });
  depth.addEventListener("change", () => tree.openTo(Number(depth.value)));
  const part = (label, ...nodes) =>
    el("span", { class: "skanon-part", role: "group", "aria-label": label }, ...nodes);
  const bar = el(
    "div",
    { class: "skanon-bar" },
    part(
      "Change",
      some[0],
      button("Add group…", "Add an empty group here (Insert)", () => commands.add()),
      rename,
      some[1],
      some[2],
      menu(root, "More", () => commands.more()),
    ),
    part("Look", search, depth),
  );
  const off = (node, is) => node.setAttribute("aria-disabled", String(is));
  const update = (status) => {
    const levels = Math.max(1, status.depth);
    if (depth.options.length !== levels + 1) {
      depth.replaceChildren(
        el("option", { value: "", disabled: true, selected: true }, "Open to level…"),
        ...Array.from({ length: levels }, (_, at) =>
          el("option", { value: at + 1 }, at + 1 < levels ? `Level ${at + 1}` : "All levels"),
        ),
      );
    }
  };
  const chosen = () => {
    const none = !tree.choice().length;
    for (const node of some) off(node, none);
    const node = tree.forest.nodes.get(tree.focused);
    off(rename, !node || node.leaf || node.id === OUTSIDE);
  };
  return { bar, update, chosen };
}

/** What is below the views: numbers, and what is still to do. */
function statusBar(show) {
  const facts = el("span", { class: "skanon-facts" });
  const list = el("ul", { class: "skanon-faults" });
  const verdict = el("span", { class: "skanon-verdict" });
  const bar = el("div", { class: "skanon-status" }, verdict, facts);
  const foot = el("div", { class: "skanon-foot" }, bar, list);
  const update = ({ facts: f, faults }) => {
    const plural = (n, word) => `${number(n)} ${word}${n === 1 ? "" : "s"}`;
    const missing = f.missing ? `, ${number(f.missing)} of them without a value` : "";
    facts.textContent =
      `${plural(f.values, "value")} in ${plural(f.groups, "group")}, ` +
      `${plural(f.levels, "level")} · ${plural(f.records, "record")}${missing}`;
    verdict.textContent = faults.length ? "Not complete yet" : "✓ Valid";
    foot.classList.toggle("skanon-wrong", faults.length > 0);
    list.replaceChildren(
      ...faults.map((fault) =>
        el(
          "li",
          {},
          fault.text,
          " ",
          button("Show", "Go to it in the tree", () => show(fault.node)),
        ),
      ),
    );
  };
  return { foot, update };
}

/** The tab "Tree". A tab is `{title, node, state(message), patch(message)}`. */
function treeTab(root, model, view, say) {
  const forest = new Forest();
  const hooks = { keys: {}, rename: null, move: null, chosen: () => {} };
  const tree = new TreeView(forest, hooks);
  const commands = new Commands(root, model, view, forest, tree, say);
  hooks.keys = commands.keys;
  hooks.rename = (id) => commands.rename(id);
  hooks.move = (ids, parent, before) => commands.move(ids, parent, before);
  const tools = toolBar(root, commands, tree, searchField(forest, tree, say));
  hooks.chosen = tools.chosen;
  const update = ({ facts }) => tools.update({ depth: facts.levels });
  let stale = true;
  const shown = () => {
    if (!stale) tree.refresh();
    else if (!node.hidden) model.send({ do: "open", view, tree: true });
  };
  const state = (message) => {
    node.hidden = Boolean(message.fixed);
    stale = !message.ids;
    if (stale) return seen(node) && shown();
    forest.fill(message);
    if (forest.nodes.size > 2000) tree.open = new Set([ROOT]);
    tree.refresh();
    update(message);
  };
  const patch = (message) => {
    if (stale) return;
    const mine = message.view === view;
    forest.patch(message);
    if (mine && forest.nodes.has(message.focus)) {
      tree.chosen = new Set(message.focus > OUTSIDE ? [message.focus] : []);
      const inside = tree.space.contains(document.activeElement);
      const free = document.activeElement === document.body;
      tree.reveal(message.focus, { focus: inside || free });
    } else tree.refresh();
    update(message);
  };
  const head = el(
    "div",
    { class: "skanon-head", "aria-hidden": "true" },
    el("span", {}, "Groups and values"),
    el("span", {}, "values · records"),
  );
  const node = el("div", { class: "skanon-tab" }, tools.bar, head, tree.box);
  const show = (id) => {
    tab.button.click(); // another view may be in front
    if (!stale) tree.reveal(id);
  };
  const tab = { title: "Tree", node, state, patch, shown, show };
  return tab;
}

/** The makers of tabs; those of the other files of this front end come before. */
const TABS = [rangesTab, treeTab, tableTab];

function tabBar(tabs) {
  const list = el("div", { class: "skanon-tabs", role: "tablist", "aria-label": "Views" });
  const panels = el("div", { class: "skanon-panels" });
  const show = (at, focus) => {
    tabs.forEach((tab, i) => {
      tab.panel.hidden = i !== at;
      tab.button.setAttribute("aria-selected", i === at);
      tab.button.tabIndex = i === at ? 0 : -1;
    });
    if (focus) tabs[at].button.focus();
    tabs[at].shown?.();
  };
  tabs.forEach((tab, at) => {
    const ids = { panel: unique("panel"), tab: unique("tab") };
    const props = { type: "button", role: "tab", class: "skanon-button", id: ids.tab };
    tab.button = el("button", { ...props, "aria-controls": ids.panel }, tab.title);
    tab.button.addEventListener("click", () => show(at, false));
    const about = { role: "tabpanel", "aria-labelledby": ids.tab, id: ids.panel };
    tab.panel = el("div", about, tab.node);
    list.append(tab.button);
    panels.append(tab.panel);
  });
  list.addEventListener("keydown", (event) => {
    const at = tabs.findIndex((tab) => tab.button === document.activeElement);
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step || at < 0) return;
    event.preventDefault();
    show((at + step + tabs.length) % tabs.length, true);
  });
  list.hidden = tabs.length < 2;
  show(0, false);
  return [list, panels];
}

function render({ model, el: host }) {
  const root = el("div", { class: "skanon-widget skanon-editor" });
  host.append(root);
  const view = unique("view");
  const heading = el("div", { class: "skanon-heading" });
  const fixed = el("p", { class: "skanon-fixed" });
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", "Hierarchy editor");
  alerts(root, model);
  const say = announcer(root);
  const stop = guard(root);
  const bar = fileBar(root, model, view);
  root.append(heading, bar.node, fixed);
  const all = TABS.map((make) => make(root, model, view, say));
  const status = statusBar((id) => tabs.find(({ show }) => show).show(id));
  let tabs = null;
  const open = (message) => {
    if (message.for && message.for !== view) return;
    const name = message.name || "a column";
    heading.replaceChildren("Hierarchy of ", el("b", {}, name));
    root.setAttribute("aria-label", `Hierarchy of ${name}`);
    fixed.textContent = message.about || "";
    bar.update(message);
    status.update(message);
    if (!tabs) {
      tabs = all.filter(({ fits }) => !fits || fits(message));
      root.append(...tabBar(tabs), status.foot);
    }
    for (const tab of tabs) tab.state(message);
    if (message.said && (message.view === view || !message.view)) say(message.said);
  };
  const receive = (message) => {
    const { kind } = message;
    if (kind === "state") open(message);
    else if (kind === "patch" && tabs) {
      bar.update(message);
      status.update(message);
      for (const tab of tabs) tab.patch(message);
      if (message.view === view || message.view === null) say(message.said);
    } else if (message.view === view) {
      bar[kind]?.(message);
      for (const tab of tabs || []) tab[kind]?.(message);
    }
  };
  const leave = connect(root, model, receive, { view });
  return () => {
    stop();
    leave();
  };
}

export default { render };
