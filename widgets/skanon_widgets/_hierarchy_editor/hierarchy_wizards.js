// A dialog for any wizard: Python says what to ask, and what it would lead to.

function wizardDialog(root, model, view, { name, title, hint, fields }) {
  const out = el("div", { class: "skanon-preview", role: "status" });
  const readers = {};
  const answers = () => Object.fromEntries(Object.entries(readers).map(([key, read]) => [key, read()]));
  const send = (word) => tell(root, model, { do: word, name, answers: answers(), view });
  const option = (field, value) => el("option", { value, selected: value === field.value }, value);
  const check = (field, value) => {
    const box = el("input", { type: "checkbox", value, checked: field.value.includes(value) });
    return el("label", { class: "skanon-part" }, box, value);
  };
  const ask = (field) => {
    const id = unique("field");
    const about = { class: "skanon-input skanon-wide", id, value: field.value };
    if (field.form === "checks") {
      const set = el("fieldset", { class: "skanon-bar" }, el("legend", {}, field.label), ...field.options.map((x) => check(field, x)));
      readers[field.name] = () => [...set.querySelectorAll(":checked")].map((x) => x.value);
      return set;
    }
    const make = {
      text: () => el("input", { ...about, autocomplete: "off" }),
      area: () => el("textarea", { ...about, rows: Math.min(10, 2 + field.value.split("\n").length), spellcheck: false }),
      choice: () => el("select", about, ...field.options.map((x) => option(field, x))),
    };
    const node = make[field.form]();
    node.addEventListener("keydown", (event) => field.form === "area" && event.stopPropagation());
    readers[field.name] = () => node.value;
    return el("div", {}, el("label", { class: "skanon-label", htmlFor: id }, field.label), node, el("small", {}, field.hint || ""));
  };
  let timer;
  const form = el("div", { class: "skanon-form" }, ...fields.map(ask));
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => send("try"), 250);
  });
  const apply = () => {
    clearTimeout(timer);
    send("build");
    return false; // it stays open until it is done
  };
  const buttons = [{ label: "Apply", primary: true, run: apply }];
  const { close } = dialog(root, { title, body: [el("p", {}, hint), form, out], buttons });
  send("try");
  const preview = ({ words, levels }) => {
    const cells = (kind, texts) => el("tr", {}, ...texts.map((x) => el(kind, {}, x)));
    const lines = levels.map((x) => cells("td", [x.level, number(x.groups), number(x.least), x.largest.map(([label, n]) => `${label}: ${number(n)}`).join(" · ")]));
    const heads = cells("th", ["Level", "Groups", "Smallest", "Largest groups, with their records"]);
    out.replaceChildren(el("p", {}, words), levels.length ? el("table", {}, heads, ...lines) : "");
  };
  return { preview, close };
}
