// @ts-check
// What every front end needs. Each widget's own file follows this one in one module.

const FOCUSABLE =
  "a[href], button, input, select, textarea, summary, [tabindex], [contenteditable]";
const SUPPRESS = "data-lm-suppress-shortcuts";
const SVG = "http://www.w3.org/2000/svg";

/**
 * Make an element. Children that are not nodes become text: data is never markup.
 * @param {string} tag
 * @param {Record<string, any>} [props] properties, attributes, `class`, `style` (an
 *   object) and `on*` handlers; null, undefined and false leave a property away
 * @param {...any} children
 * @returns {any}
 */
function el(tag, props, ...children) {
  return fill(document.createElement(tag), props, children);
}

/**
 * Make an SVG element, as `el` does.
 * @param {string} tag
 * @param {Record<string, any>} [props]
 * @param {...any} children
 * @returns {any}
 */
function svg(tag, props, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

function fill(node, props, children) {
  for (const [key, value] of Object.entries(props || {})) {
    if (value === null || value === undefined) continue;
    if (key.startsWith("on") && typeof value === "function") {
      node.addEventListener(key.slice(2).toLowerCase(), value);
    } else if (key === "class") node.setAttribute("class", value);
    else if (key === "style" && typeof value === "object") {
      Object.assign(node.style, value);
    } else if (key.startsWith("aria-")) node.setAttribute(key, String(value));
    else if (key in node && node.namespaceURI !== SVG) node[key] = value;
    else if (value !== false) node.setAttribute(key, value === true ? "" : value);
  }
  if (node.matches(FOCUSABLE)) node.setAttribute(SUPPRESS, "");
  node.append(...children.flat(Infinity).filter((x) => x !== null && x !== undefined));
  return node;
}

/**
 * Keep keys inside a widget. JupyterLab looks for shortcuts from the focused element
 * outwards, in some versions before the widget sees the key, so every focusable node
 * needs its mark. Ctrl+S is handed to the notebook; Tab moves on as ever.
 * @param {HTMLElement} root
 * @returns {() => void} stop guarding
 */
function guard(root) {
  const mark = (/** @type {any} */ node) => {
    if (node.nodeType !== 1) return;
    if (node.matches(FOCUSABLE)) node.setAttribute(SUPPRESS, "");
    for (const inner of node.querySelectorAll(`:is(${FOCUSABLE}):not([${SUPPRESS}])`)) {
      inner.setAttribute(SUPPRESS, "");
    }
  };
  root.setAttribute(SUPPRESS, "");
  mark(root);
  const observer = new MutationObserver((changes) => {
    for (const change of changes) {
      if (change.type === "attributes") mark(change.target);
      else change.addedNodes.forEach(mark);
    }
  });
  observer.observe(root, {
    childList: true,
    subtree: true,
    attributeFilter: ["tabindex", "href", "contenteditable"],
  });
  const save = (/** @type {any} */ event) => {
    if (!isSave(event) || !root.parentElement) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    root.parentElement.dispatchEvent(new KeyboardEvent(event.type, event));
  };
  const keep = (/** @type {any} */ event) => {
    // outside of a field the browser would undo in the field that was typed in last
    if (isUndo(event) && !event.target.matches("input, textarea")) event.preventDefault();
    if (event.key !== "Tab") event.stopPropagation();
  };
  root.addEventListener("keydown", save, true);
  for (const type of ["keydown", "keyup", "keypress"]) root.addEventListener(type, keep);
  return () => observer.disconnect();
}

function isUndo(event) {
  return (event.ctrlKey || event.metaKey) && "zy".includes(event.key.toLowerCase());
}

function isSave(event) {
  const command = event.ctrlKey || event.metaKey;
  return command && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "s";
}

/**
 * Tell a screen reader what happened.
 * @param {HTMLElement} root
 * @returns {(text: string) => void}
 */
function announcer(root) {
  const region = el("div", { class: "skanon-hidden", role: "status", "aria-live": "polite" });
  root.append(region);
  return (text) => {
    // the same words twice are news, too: a blank makes them differ
    region.textContent = text === region.textContent ? text + "\u00a0" : text;
  };
}

/** @type {WeakMap<HTMLElement, (text: string) => void>} */
const STRIPS = new WeakMap();

/**
 * Show errors, Python's and the front end's own, in a strip on top of a widget.
 * @param {HTMLElement} root
 * @param {any} model
 * @returns {{show: (text: string) => void, clear: () => void}}
 */
function alerts(root, model) {
  const words = el("span", { class: "skanon-alert-words" });
  const strip = el("div", { class: "skanon-alert", role: "alert" });
  root.prepend(strip);
  const clear = () => strip.replaceChildren();
  const close = el("button", { class: "skanon-close", title: "Close", onclick: clear }, "×");
  close.setAttribute("aria-label", "Close this message");
  const show = (/** @type {string} */ text) => {
    words.textContent = text;
    strip.replaceChildren(words, close);
  };
  STRIPS.set(root, show);
  model.on("msg:custom", (/** @type {any} */ message) => {
    if (message && typeof message.error === "string") show(message.error);
  });
  return { show, clear };
}

const SEVERITIES = {
  good: ["✓", "Good"],
  look: ["!", "Look"],
  danger: ["▲", "Danger"],
  error: ["✗", "Error"],
};

/**
 * Show how bad something is: a colour, a sign and a word.
 * @param {string} level good, look, danger or error
 * @returns {HTMLElement}
 */
function severity(level) {
  const [sign, word] = SEVERITIES[level];
  return el(
    "span",
    { class: `skanon-severity skanon-is-${level}` },
    el("span", { "aria-hidden": "true" }, sign),
    ` ${word}`,
  );
}

/**
 * Say something, and how bad it is.
 * @param {string} level
 * @param {string} text
 * @returns {HTMLElement}
 */
function finding(level, text) {
  const props = { class: `skanon-finding skanon-finding-${level}` };
  return el("p", props, severity(level), el("span", {}, ` ${text}`));
}

const PATIENCE = 10_000;

/**
 * Watch that Python answers, and say so while it doesn't: after a restart of the
 * kernel there is nobody to ask.
 * @param {HTMLElement} root
 * @returns {{wait: (patient?: boolean) => void, done: () => void}}
 */
function patience(root) {
  if (WATCHES.has(root)) return WATCHES.get(root);
  const notice = el(
    "div",
    { class: "skanon-notice", role: "status" },
    "Python has not answered yet. It may be busy with another cell; after a restart " +
      "of the kernel, run this cell again.",
  );
  /** @type {any} */
  let timer = null;
  const watch = {
    wait: (patient = true) => {
      if (!patient) root.prepend(notice);
      timer = timer || setTimeout(() => root.prepend(notice), PATIENCE);
    },
    done: () => {
      clearTimeout(timer);
      timer = null;
      notice.remove();
    },
  };
  WATCHES.set(root, watch);
  return watch;
}

/** @type {WeakMap<HTMLElement, any>} */
const WATCHES = new WeakMap();

/**
 * Send a message, and say so if Python is not there or doesn't answer.
 * @param {HTMLElement} root
 * @param {any} model
 * @param {{do: string}} message
 * @param {boolean} [answered] whether Python answers by a message, not a trait
 */
function tell(root, model, message, answered = true) {
  try {
    if (answered) patience(root).wait();
    model.send(message);
  } catch (error) {
    console.warn(error); // the kernel was restarted, and its end of the line is gone
    patience(root).wait(false);
  }
}

/**
 * Ask Python for the whole state, and hand on its messages (errors go to `alerts`).
 * @param {HTMLElement} root
 * @param {any} model
 * @param {(message: any, buffers: DataView[]) => void} receive
 * @param {Record<string, any>} [rest] what else the question holds
 * @returns {() => void} stop listening
 */
function connect(root, model, receive, rest) {
  const watch = patience(root);
  const listen = (/** @type {any} */ message, /** @type {any} */ buffers) => {
    watch.done();
    if (!message || "error" in message) return;
    try {
      receive(message, buffers);
    } catch (error) {
      console.error(error);
      STRIPS.get(root)?.(`Unexpected, in the page: ${error}`);
    }
  };
  model.on("msg:custom", listen);
  tell(root, model, { do: "open", ...rest });
  return () => {
    watch.done();
    model.off("msg:custom", listen);
  };
}

/**
 * Open a dialog above everything. Focus stays in it until it closes and returns then.
 * @param {HTMLElement} root the widget
 * @param {object} options
 * @param {string} options.title
 * @param {any[]} options.body nodes or texts
 * @param {{label: string, primary?: boolean, run?: () => (boolean | void)}[]}
 *   options.buttons the primary one is pressed by Enter; `run` that returns false
 *   keeps the dialog open
 * @param {string} [options.cancel] the label of the button that only closes
 * @param {HTMLElement} [options.focus] what gets the focus
 * @param {() => void} [options.onclose]
 * @returns {{node: HTMLDialogElement, close: () => void}}
 */
function dialog(root, { title, body, buttons, focus, onclose, cancel = "Cancel" }) {
  const before = /** @type {HTMLElement | null} */ (document.activeElement);
  const heading = el("h2", { class: "skanon-dialog-title", id: unique("title") }, title);
  const close = () => node.close();
  const row = el("div", { class: "skanon-dialog-buttons" });
  const form = el("form", { class: "skanon-dialog-form", method: "dialog" });
  const press = (/** @type {any} */ button) => {
    if (!button.run || button.run() !== false) close();
  };
  form.addEventListener("submit", (/** @type {Event} */ event) => {
    event.preventDefault();
    const primary = buttons.find((button) => button.primary);
    if (primary) press(primary);
  });
  for (const button of buttons) {
    row.append(
      el(
        "button",
        {
          type: button.primary ? "submit" : "button",
          class: button.primary ? "skanon-button skanon-primary" : "skanon-button",
          onclick: button.primary ? null : () => press(button),
        },
        button.label,
      ),
    );
  }
  row.append(el("button", { type: "button", class: "skanon-button", onclick: close }, cancel));
  form.append(heading, el("div", { class: "skanon-dialog-body" }, ...body), row);
  const node = el("dialog", { class: "skanon-dialog", "aria-labelledby": heading.id }, form);
  node.addEventListener("close", () => {
    node.remove();
    if (before && before.isConnected) before.focus({ preventScroll: true });
    if (onclose) onclose();
  });
  root.append(node);
  node.showModal();
  const first = focus || form.querySelector("input, select, textarea, button");
  if (first) first.focus();
  return { node, close };
}

let serial = 0;

/** @param {string} stem @returns {string} an id that the page has not seen */
function unique(stem) {
  serial += 1;
  return `skanon-${stem}-${serial}-${Math.random().toString(36).slice(2, 8)}`;
}

/**
 * Make a button that opens a menu. Arrows, Home and End move, Escape closes.
 * @param {HTMLElement} root the widget
 * @param {string} label the button's text
 * @param {() => {label: string, keys?: string, run: () => void, disabled?: boolean}[]}
 *   items what the menu offers, asked for each time it opens
 * @returns {HTMLButtonElement}
 */
function menu(root, label, items) {
  const id = unique("menu");
  const button = el(
    "button",
    {
      type: "button",
      class: "skanon-button",
      "aria-haspopup": "menu",
      "aria-expanded": "false",
      onclick: () => openMenu(root, button, id, items()),
    },
    label,
    el("span", { "aria-hidden": "true" }, " ▾"),
  );
  button.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "ArrowDown") return;
    event.preventDefault();
    button.click();
  });
  return button;
}

function openMenu(root, button, id, items) {
  const list = el("div", { class: "skanon-menu", role: "menu", id, popover: "auto" });
  list.setAttribute("aria-label", button.textContent.replace(" ▾", ""));
  for (const item of items) list.append(menuItem(item, list));
  list.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    moveInMenu(event, list);
  });
  list.addEventListener("toggle", (/** @type {any} */ event) => {
    if (event.newState !== "closed") return;
    button.setAttribute("aria-expanded", "false");
    if (list.contains(document.activeElement) || document.activeElement === document.body) {
      button.focus();
    }
    list.remove();
  });
  root.append(list);
  list.showPopover();
  button.setAttribute("aria-expanded", "true");
  placeBelow(list, button);
  list.querySelector("button")?.focus();
}

function menuItem(item, list) {
  const keys = item.keys && el("span", { class: "skanon-keys", "aria-hidden": "true" }, item.keys);
  const run = () => {
    if (item.disabled) return;
    list.hidePopover();
    item.run();
  };
  const props = { type: "button", role: "menuitem", class: "skanon-menu-item", tabIndex: -1 };
  const node = el("button", { ...props, onclick: run }, item.label, keys);
  if (item.disabled) node.setAttribute("aria-disabled", "true");
  return node;
}

function moveInMenu(event, list) {
  const all = [...list.children];
  const at = all.indexOf(document.activeElement);
  const last = all.length - 1;
  const to = { ArrowDown: at < last ? at + 1 : 0, ArrowUp: at > 0 ? at - 1 : last };
  const next = { ...to, Home: 0, End: last }[event.key];
  if (next !== undefined) {
    event.preventDefault();
    all[next].focus();
  } else if (event.key === "Escape" || event.key === "Tab") {
    event.preventDefault();
    list.hidePopover();
  }
}

function placeBelow(list, anchor) {
  const place = anchor.getBoundingClientRect();
  const size = list.getBoundingClientRect();
  const above = place.bottom + size.height > innerHeight && place.top > size.height;
  list.style.left = `${Math.max(4, Math.min(place.left, innerWidth - size.width - 4))}px`;
  list.style.top = `${above ? place.top - size.height : place.bottom}px`;
}

/**
 * Write a number for people: 45,222; 0.0905; 12.5.
 * @param {number | null | undefined} x
 * @param {Intl.NumberFormatOptions} [options] for example `{style: "percent"}`
 * @returns {string}
 */
function number(x, options) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  const small = Math.abs(x) < 100 && !Number.isInteger(x);
  const digits = small ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 1 };
  return new Intl.NumberFormat("en", options || digits).format(x);
}
