// The studio's opening page: which file, and with which policy.

function render({ model, el: host }) {
  const root = el("div", { class: "skanon-widget skanon-studio", role: "group" });
  root.setAttribute("aria-label", "Open a table");
  const body = el("div", {});
  root.append(body);
  host.append(root);
  const bar = alerts(root, model);
  let policy = "";
  const send = (name, rest) => {
    bar.clear();
    tell(root, model, { do: name, policy, ...rest }, false);
  };

  const upload = (most) => {
    const file = el("input", {
      type: "file",
      accept: ".csv,.tsv,.txt,.parquet,.pq,.xlsx",
      hidden: true,
      "aria-label": "File of this computer",
    });
    file.addEventListener("change", () => {
      const [one] = file.files;
      if (!one) return;
      if (one.size > most) {
        bar.show(
          `“${one.name}” has ${size(one.size)}; from here at most ${size(most)} can be sent. ` +
            "Put it into the notebook's folder, and open this page again.",
        );
        file.value = "";
        return;
      }
      const reader = new FileReader();
      reader.onload = () => {
        const [, data = ""] = String(reader.result).split(",");
        send("upload", { name: one.name, data });
      };
      reader.readAsDataURL(one);
      file.value = "";
    });
    const click = () => file.click();
    return [
      el("button", { type: "button", class: "skanon-button", onclick: click }, "From this computer…"),
      file,
    ];
  };

  const policies = (names) => {
    if (!names.length) return null;
    const select = el(
      "select",
      { class: "skanon-select", "aria-label": "Settings of a policy" },
      el("option", { value: "" }, "none: begin anew"),
      names.map((name) => el("option", { value: name, selected: name === policy }, name)),
    );
    select.addEventListener("change", () => {
      policy = select.value;
    });
    return el("p", {}, "With the settings of a policy: ", select);
  };

  const rows = (tables) =>
    tables.map(({ name, bytes }) =>
      el(
        "tr",
        {},
        el("th", { scope: "row" }, name),
        el("td", {}, size(bytes)),
        el(
          "td",
          {},
          el(
            "button",
            {
              type: "button",
              class: "skanon-button",
              "aria-label": `Open ${name}`,
              onclick: () => send("table", { name }),
            },
            "Open",
          ),
        ),
      ),
    );

  const draw = ({ folder, tables, more, policies: known, most }) => {
    const heads = ["File", "Size", ""].map((x) =>
      x ? el("th", { scope: "col" }, x) : el("td", {}),
    );
    const list = el(
      "table",
      { class: "skanon-studio-table" },
      el("caption", { class: "skanon-hidden" }, "Tables in this folder"),
      el("thead", {}, el("tr", {}, heads)),
      el("tbody", {}, rows(tables)),
    );
    body.replaceChildren(
      ...[
        el("h2", { class: "skanon-studio-title" }, "Which table?"),
        policies(known),
        tables.length
          ? list
          : el("p", {}, `There is no CSV, Parquet or Excel file in the folder “${folder}”.`),
        more ? el("p", {}, `… and ${number(more)} more`) : null,
        el("p", {}, upload(most)),
      ].filter(Boolean),
    );
  };

  const stops = [
    guard(root),
    connect(root, model, (message) => {
      if (message.kind === "files") draw(message);
    }),
  ];
  return () => stops.forEach((stop) => stop());
}

function size(bytes) {
  if (bytes < 1000) return `${number(bytes)} bytes`;
  return bytes < 1e6 ? `${number(bytes / 1000)} kB` : `${number(bytes / 1e6)} MB`;
}

export default { render };
