// Tables sorted by clicking on their headers, and the list of tasks filtered by text and outcome.

/** What a cell is sorted by: a number where it has one, else its text. */
function keyOf(row, column) {
  const cell = row.cells[column];
  if (cell === undefined) return "";
  return cell.dataset.value === undefined ? cell.textContent.trim() : Number(cell.dataset.value);
}

/** Numbers before texts, numbers by size, texts as people sort them. */
function compareKeys(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === typeof b) return String(a).localeCompare(String(b), "en", { numeric: true });
  return typeof a === "number" ? -1 : 1;
}

/** Sort a table by a column; a second time the other way round. Numbers begin with the largest. */
function sortBy(table, header, column) {
  const rows = [...table.tBodies[0].rows].map((row) => [keyOf(row, column), row]);
  const numeric = rows.some(([key]) => typeof key === "number");
  const was = header.getAttribute("aria-sort");
  const now = was === "descending" ? "ascending" : was === "ascending" ? "descending" : numeric ? "descending" : "ascending";
  for (const each of table.tHead.querySelectorAll("th[aria-sort]")) each.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", now);
  rows.sort(([a], [b]) => (now === "ascending" ? compareKeys(a, b) : compareKeys(b, a)));
  table.tBodies[0].append(...rows.map(([, row]) => row));
}

/** Make the headers of each sortable table into buttons. */
function makeSortable() {
  for (const table of document.querySelectorAll("table.sortable")) {
    [...table.tHead.rows[0].cells].forEach((header, column) => {
      if (header.classList.contains("unsorted")) return;
      const button = make("button", { type: "button", class: "sort" });
      button.append(...header.childNodes);
      button.addEventListener("click", () => sortBy(table, header, column));
      header.append(button);
    });
  }
}

/** What the filter is set to. */
function filterState() {
  const differ = part("filter-differ") && part("filter-differ").checked ? "yes" : "";
  const group = part("filter-group") ? part("filter-group").value : "";
  return { find: part("filter-text").value, outcome: part("filter-outcome").value, of: part("filter-model").value, group, differ };
}

/** The names of groups in the order of the page. */
function groupNames() {
  return part("filter-group") ? [...part("filter-group").options].slice(1).map((option) => option.textContent) : [];
}

/** Whether a row of the task table has an answer of this outcome, of any model or of one. */
function hasOutcome(row, { outcome, of }) {
  if (!outcome) return true;
  return META.models.some((model, index) => {
    if (of && Number(of) !== index) return false;
    return (row.dataset["m" + index] || "").split(" ").includes(outcome);
  });
}

/** Whether the models' values of a task lie half of the scale apart, or more. */
function modelsDiffer(row) {
  const values = [...row.querySelectorAll("td.heat")].map((cell) => Number(cell.dataset.value)).filter((value) => value >= 0);
  return values.length > 1 && Math.max(...values) - Math.min(...values) >= 0.5;
}

/** Show the tasks that the filter lets through, and say how many they are. */
function applyFilter() {
  const state = filterState();
  const wanted = state.find.trim().toLowerCase();
  const rows = [...document.querySelectorAll("table.tasks")].flatMap((table) => [...table.tBodies[0].rows]);
  let shown = 0;
  for (const row of rows) {
    const fits = row.cells[0].textContent.toLowerCase().includes(wanted) && hasOutcome(row, state)
      && (!state.group || (row.dataset.in || "").split(" ").includes(state.group))
      && (!state.differ || modelsDiffer(row));
    row.hidden = !fits;
    shown += fits ? 1 : 0;
  }
  for (const list of document.querySelectorAll(".task-list")) list.hidden = !list.querySelector("tbody tr:not([hidden])");
  part("filter-none").hidden = shown > 0;
  part("filter-count").textContent = `${shown} of ${rows.length} tasks`;
  const hash = filterHash();
  part("filter-link").hidden = !hash;
  part("filter-link").href = "#" + (hash || "all-tasks");
}

/** The filter as a part of the address; empty when nothing is filtered. */
function filterHash() {
  const { find, outcome, of, group, differ } = filterState();
  const set = [
    ["find", encodeURIComponent(find)], ["outcome", outcome], ["of", of && META.modelKeys[Number(of)]],
    ["in", group && encodeURIComponent(groupNames()[Number(group)])], ["differ", differ],
  ];
  return set.filter(([, value]) => value).map(([name, value]) => name + "=" + value).join("&");
}

/** Set the filter from an address, and apply it. */
function readFilter(state) {
  part("filter-text").value = state.get("find") || "";
  part("filter-outcome").value = state.get("outcome") || "";
  const of = MODEL_AT.get(state.get("of"));
  part("filter-model").value = of === undefined ? "" : String(of);
  if (part("filter-group")) {
    const at = groupNames().indexOf(state.get("in"));
    part("filter-group").value = at < 0 ? "" : String(at);
  }
  if (part("filter-differ")) part("filter-differ").checked = state.get("differ") === "yes";
  applyFilter();
}

/** Filter as the user types, and keep the address in step without filling the history. */
function makeFilter() {
  part("filter").hidden = false;
  part("filter").addEventListener("submit", (event) => event.preventDefault());
  part("filter").addEventListener("input", () => {
    applyFilter();
    const hash = filterHash();
    history.replaceState(history.state, "", "#" + (hash || "all-tasks"));
  });
  part("filter-clear").addEventListener("click", () => readFilter(new URLSearchParams()));
}

/** Say over each table that is wider than its box that it can be scrolled. */
function hintScrolling() {
  const watch = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const box = target.closest(".scroll");
      box.previousElementSibling.hidden = box.scrollWidth <= box.clientWidth + 1;
    }
  });
  for (const box of document.querySelectorAll(".scroll")) {
    box.before(make("p", { class: "sideways", "aria-hidden": "true" }, "Scroll sideways for more \u2192"));
    box.previousElementSibling.hidden = true;
    watch.observe(box);
    watch.observe(box.firstElementChild);
  }
}
