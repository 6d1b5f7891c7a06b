// The bar above the tabs: history, wizards, import with its difference, export.

const seen = (node) => node.isConnected && !node.closest("[hidden]");

function fileBar(root, model, view) {
  const send = (word, rest) => tell(root, model, { do: word, view, ...rest });
  const undo = button("Undo", "", () => send("undo"));
  const redo = button("Redo", "", () => send("redo"));
  let offers = [];
  let asked = null; // the wizard that is open
  const file = el("input", { type: "file", accept: ".csv,.json", hidden: true, "aria-label": "File to import" });
  file.addEventListener("change", () => {
    const reader = new FileReader();
    const [{ name }] = file.files;
    reader.onload = () => send("import", { name, data: reader.result.split(",")[1] || "" });
    reader.readAsDataURL(file.files[0]);
    file.value = "";
  });
  const exports = () =>
    ["csv", "json"].map((form) => ({ label: { csv: "ARX's CSV", json: "JSON" }[form], run: () => send("export", { form }) }));
  const wizards = () => offers.map(({ name, title }) => ({ label: title, run: () => send("wizard", { name }) }));
  const node = el("div", { class: "skanon-bar" }, undo, redo, menu(root, "Build", wizards), button("Import…", "Read ARX's CSV or JSON", () => file.click()), menu(root, "Export", exports), file);
  root.addEventListener("keydown", (event) => {
    const word = { z: event.shiftKey ? "redo" : "undo", y: "redo" }[event.key.toLowerCase()];
    if (!word || !(event.ctrlKey || event.metaKey) || event.target.closest("dialog, input")) return;
    event.preventDefault();
    send(word);
  });
  const update = (status) => {
    offers = status.offers || offers;
    if (status.said && status.view === view) asked?.close();
    for (const [x, word, keys] of [[undo, "undo", "Ctrl+Z"], [redo, "redo", "Ctrl+Shift+Z"]]) {
      x.setAttribute("aria-disabled", !status[word]);
      x.title = status[word] ? `${x.textContent}: ${status[word]} (${keys})` : `Nothing to ${word}`;
    }
  };
  const difference = ({ name, words, parts }) => {
    const part = ({ title, items, n }) =>
      el("details", { open: n <= 10 }, el("summary", {}, `${title}: ${number(n)}`), el("ul", {}, ...items.map((x) => el("li", {}, x)), n > items.length ? el("li", {}, "…") : ""));
    const body = [el("p", {}, words), ...parts.map(part)];
    dialog(root, { title: `Import ${name}`, body, buttons: [{ label: "Replace", primary: true, run: () => send("take") }] });
  };
  const download = ({ name, text }) => {
    const href = URL.createObjectURL(new Blob([text]));
    el("a", { href, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(href), 1000);
  };
  return { node, update, difference, file: download, wizard: (form) => (asked = wizardDialog(root, model, view, form)), preview: (message) => asked?.preview(message) };
}
