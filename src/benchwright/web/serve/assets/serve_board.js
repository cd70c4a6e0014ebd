// Tables that can be sorted by their headers; in a static copy also filtered by a text.

const part = (id) => document.getElementById(id);
makeSortable();

/** Hide the rows of a table that do not contain the text of its search field. */
function findRows(input) {
  const rows = [...part(input.dataset.table).tBodies[0].rows];
  const wanted = input.value.trim().toLowerCase();
  for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
  const shown = rows.filter((row) => !row.hidden).length;
  input.closest("p").querySelector("[role=status]").textContent = wanted ? `${shown} of ${rows.length} rows` : "";
}

for (const input of document.querySelectorAll("input[data-table]")) {
  input.closest("p").hidden = false;
  input.addEventListener("input", () => findRows(input));
}
