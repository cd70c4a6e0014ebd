// Tables as CSV files, made of what is shown when a button is pressed.

/** A field of CSV. A text that a spreadsheet would take for a formula gets an apostrophe before it. */
function csvField(text) {
  const plain = text.replace(/\s+/gu, " ").trim();
  const safe = /^[=+@\t\r-]/u.test(plain) && !/^[+-]?[\d.,]+( %)?$/u.test(plain) ? "'" + plain : plain;
  return /[",]/u.test(safe) ? '"' + safe.replaceAll('"', '""') + '"' : safe;
}

/** The rows of a table that are shown, its header first. */
function csvOf(table) {
  const rows = [...table.rows].filter((row) => !row.hidden);
  return rows.map((row) => [...row.cells].map((cell) => csvField(cell.textContent)).join(",")).join("\r\n") + "\r\n";
}

/** What a file with a table is called: its caption, in letters that every system allows. */
function csvName(table) {
  const title = table.caption ? table.caption.textContent : "table";
  return (title.toLowerCase().replace(/[^a-z0-9]+/gu, "-").replace(/^-|-$/gu, "").slice(0, 60) || "table") + ".csv";
}

/** Hand a table to the reader as a file. */
function download(table) {
  const text = "\ufeff" + csvOf(table);
  make("a", { href: "data:text/csv;charset=utf-8," + encodeURIComponent(text), download: csvName(table) }).click();
}

/** Give each table a button that saves it. */
function makeDownloads() {
  for (const box of document.querySelectorAll("#report .scroll")) {
    const table = box.querySelector("table");
    if (table.classList.contains("overview")) continue; // it has a file of its own, a run per row
    const named = box.getAttribute("aria-label");
    const button = make("button", { type: "button", class: "csv" }, "CSV", make("span", { class: "hidden" }, ` of ${named}`));
    button.addEventListener("click", () => download(table));
    box.after(button);
  }
}
