// The list of columns above the editors of their hierarchies. Python holds all of it.

/**
 * @typedef {{name: string, kind: string, distinct: number, missing: number,
 *   form: string, forms: string[], about: string, fault: string}} ColumnRow
 */

function render({ model, el: host }) {
  const root = el("div", { class: "skanon-widget skanon-columns", role: "group" });
  root.setAttribute("aria-label", "Hierarchies of the columns");
  const body = el("div", { class: "skanon-columns-body" });
  root.append(body);
  host.append(root);
  alerts(root, model);
  const say = announcer(root);
  const faults = new Map();
  const send = (message) => tell(root, model, message, false);
  const draw = (state) => {
    const focused = document.activeElement;
    const key = root.contains(focused) ? focused.getAttribute("data-key") : null;
    body.replaceChildren(columnTable(send, state));
    const same = key && [...body.querySelectorAll("[data-key]")].find(
      (node) => node.getAttribute("data-key") === key,
    );
    same?.focus({ preventScroll: true });
    for (const row of state.rows) {
      const before = faults.get(row.name);
      if (row.fault && before === "") say(`${row.name}: ${row.fault}`);
      if (!row.fault && before) say(`${row.name} is valid again.`);
      faults.set(row.name, row.fault);
    }
  };
  const stops = [guard(root), connect(root, model, draw)];
  return () => stops.forEach((stop) => stop());
}

/** @param {(message: any) => void} send @param {{rows: ColumnRow[], opened: number, forms: any}} state */
function columnTable(send, { rows, opened, forms }) {
  const heads = ["Column", "Values", "A value may become", "State", "Edit"];
  const table = el("table", { class: "skanon-columns-table" });
  table.append(
    el("caption", { class: "skanon-hidden" }, "Columns and their hierarchies"),
    el("thead", {}, el("tr", {}, heads.map((x) => el("th", { scope: "col" }, x)))),
    el("tbody", {}, rows.map((row, at) => columnRow(send, row, at, at === opened, forms))),
  );
  if (!rows.length) return el("p", {}, "No column is a quasi-identifier.");
  return table;
}

function columnRow(send, row, at, open, forms) {
  const missing = row.missing ? `, ${number(row.missing)} missing` : "";
  const state = row.fault
    ? el("span", { class: "skanon-columns-fault" }, "✗ ", row.fault)
    : el("span", { class: "skanon-columns-fine" }, "✓ valid");
  return el(
    "tr",
    { class: open ? "skanon-columns-open" : null },
    el("th", { scope: "row" }, row.name),
    el("td", {}, `${number(row.distinct)} values · ${row.kind}${missing}`),
    el("td", {}, formSelect(send, row, at, forms), " ", el("span", {}, row.about)),
    el("td", {}, state),
    el("td", {}, openButton(send, row, at, open)),
  );
}

function formSelect(send, row, at, forms) {
  const select = el(
    "select",
    {
      class: "skanon-select",
      "aria-label": `What values of ${row.name} may become`,
      "data-key": `form ${row.name}`,
      onchange: () => send({ do: "choose", at, form: select.value }),
    },
    row.forms.map((form) =>
      el("option", { value: form, selected: form === row.form }, forms[form]),
    ),
  );
  return select;
}

function openButton(send, row, at, open) {
  return el(
    "button",
    {
      type: "button",
      class: "skanon-button",
      "aria-expanded": String(open),
      "aria-label": `${open ? "Close" : "Edit"} ${row.name}`,
      "data-key": `edit ${row.name}`,
      onclick: () => send({ do: "edit", at: open ? -1 : at }),
    },
    open ? "Close" : "Edit",
  );
}

export default { render };
