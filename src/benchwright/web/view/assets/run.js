// One run that grows: its state, the table of its answers, and the report's reader for the answers to a task.

const FIRST_LOOK_MS = 60000; // an answer that takes longer is given up, with a button to try again
const TITLE = document.title;
const left = { scroll: 0, link: null }; // where the table was when the reader opened
let turn = 0; // the latest address: what arrives after a later one is not shown
let shown = null; // the task in the reader: its key, number and answers
let source = null; // the stream

/** The number of a task on this page; a new one for a task that was not seen before. */
function learn(key, name) {
  if (!TASK_AT.has(key)) {
    TASK_AT.set(key, META.tasks.length);
    META.tasks.push(name);
    META.taskKeys.push(encodeURIComponent(key));
  }
  return TASK_AT.get(key);
}

/** The row of an answer. */
function drawAnswer(answer, old) {
  const { label, group, sign } = META.outcomes[answer.outcome];
  const row = old || make("tr", {}, make("th", { scope: "row" }, make("a")), make("td", { class: "number" }),
    make("td", {}, make("span")), make("td", { class: "number" }));
  const [task, sample, outcome, tokens] = row.cells;
  const number = learn(answer.key, answer.task);
  task.firstChild.setAttribute("href", addressOf(number, 0, answer.sample));
  setText(task.firstChild, answer.task);
  setText(sample, String(answer.sample));
  outcome.firstChild.className = "badge g-" + group;
  setText(outcome.firstChild, `${sign} ${label}`);
  setText(tokens, answer.tokens ? shownNumber(answer.tokens) : "–");
  return row;
}

const table = new KeyedRows(part("rows").tBodies[0], drawAnswer, (a, b) => a.order > b.order);

/** A fact of the list, if there is one. */
function fact(name, value) {
  return make("div", {}, make("dt", {}, name), addText(make("dd"), value));
}

/** The state of the run. */
function showRun(run) {
  document.dispatchEvent(new CustomEvent("runstate", { detail: run.state }));
  showState(part("state"), run);
  const hints = {
    failed: run.why, damaged: run.why,
    stopped: run.planned !== null && run.judged >= run.planned ? "" : "No process writes to this run. The same command continues it.",
  };
  part("why").hidden = !hints[run.state];
  setText(part("why"), hints[run.state] || "");
  const box = part("progress");
  if (!box.firstChild) box.append(make("div", { class: "meter" }), make("div", { class: "meter" }));
  showBar(box.children[0], "answered", run.answered, run.planned);
  showBar(box.children[1], "judged", run.judged, run.planned);
  const facts = [
    ["Stage", run.stage],
    ["Time left", run.left],
    ["Answers a minute", run.rate === null ? "" : rateText(run)],
    ["Tokens", run.tokens ? shownNumber(run.tokens) : ""],
    ["Cost so far", run.cost === null ? "" : run.cost],
    ["Without an answer", run.failed ? `${shownNumber(run.failed)} of ${shownNumber(run.answered)}` : ""],
    ["Incomplete last row", run.state === "running" ? "" : run.partial.join(", ")],
    ["Not read yet", run.is_reading ? "rows on disk are still being read" : ""],
  ].filter(([, value]) => value);
  part("facts").replaceChildren(...facts.map(([name, value]) => fact(name, value)));
  showDamage(run);
  showOutcomes(run);
}

/** The rows that cannot be read. */
function showDamage(run) {
  part("damaged").hidden = !run.damaged;
  const [summary, rows] = part("damaged").children;
  setText(summary, `${shownNumber(run.damaged)} damaged ${run.damaged === 1 ? "row" : "rows"}`);
  rows.replaceChildren(...run.damaged_rows.map((text) => addText(make("li"), text)));
}

/** How the answers have ended, each with its number and all of them. */
function showOutcomes(run) {
  const items = Object.entries(run.outcomes).map(([name, number]) => {
    const { label, group, sign } = META.outcomes[name];
    const badge = make("span", { class: "badge g-" + group }, `${sign} ${label}`);
    return make("li", {}, badge, ` ${shownNumber(number)} of ${shownNumber(run.answered)}`);
  });
  part("outcomes").replaceChildren(...(items.length ? items : [make("li", { class: "muted" }, "No answers yet.")]));
}

/** Take a message of the stream. */
function take(message) {
  if (message.missing) {
    part("why").hidden = false;
    setText(part("why"), "The folder of this run was removed.");
    return;
  }
  for (const row of [...message.rows].sort((a, b) => a.order - b.order)) learn(row.key, row.task);
  table.update(message);
  if (message.state) showRun(message.state);
  setText(part("filter-count"), message.matching > table.rows.size
    ? `the latest ${shownNumber(table.rows.size)} of ${shownNumber(message.matching)} answers` : `${shownNumber(message.matching)} ${message.matching === 1 ? "answer" : "answers"}`);
  if (shown && message.rows.some((row) => row.key === shown.key)) readAgain(shown.key);
}

/** Begin to follow the answers that the filter asks for. */
function restart() {
  const asked = new URLSearchParams({ outcome: part("filter-outcome").value, find: part("filter-find").value.trim() });
  if (source) source.close();
  let isFirst = true;
  source = followStream(`/runs/${META.run}/stream?${asked}`, (message) => {
    if (isFirst) table.update({ rows: [], gone: [...table.rows.keys()].filter((id) => !message.rows.some((row) => row.id === id)) });
    isFirst = false;
    take(message);
  });
}

/** The answers to a task, from the server. Raises Error with what a person can be shown. */
async function readTask(key) {
  const asked = new URLSearchParams({ task: key, beside: META.modelKeys.slice(1).join(",") });
  const reply = await fetch(`/api/runs/${META.run}/answers?${asked}`, { signal: AbortSignal.timeout(FIRST_LOOK_MS) });
  const body = await reply.json();
  if (!reply.ok) throw new Error([body.error, body.why].filter(Boolean).join(": "));
  META.noProgram = body.note ? "The data set was not available, so programs cannot be extracted again." : "";
  return body;
}

/** Show the table, where it was left. */
function showTable() {
  turn++;
  shown = null;
  const returning = part("report").hidden;
  part("reader").hidden = true;
  part("report").hidden = false;
  document.title = TITLE;
  if (!returning) return;
  scrollTo(0, left.scroll);
  if (left.link) left.link.focus({ preventScroll: true });
}

/** Say something in the reader in place of an answer; with `again`, a button that tries once more. */
function complain(text, again) {
  const parts = [make("p", {}, text)];
  if (again) {
    const button = make("button", { type: "button", class: "retry" }, "Try again");
    button.addEventListener("click", again);
    parts.push(button);
  }
  part("answer").replaceChildren(...parts);
  part("status").textContent = text;
}

/** Empty the reader, but for the links above it. */
function clearReader() {
  for (const id of ["reader-asked", "reader-folds", "reader-list", "beside", "answer"]) part(id).replaceChildren();
}

/** The answer that the address names; where it names none, the first of this run. */
function choose(data, state) {
  const index = state.has("model") ? MODEL_AT.get(state.get("model")) : data.answers.findIndex((answers) => answers.length);
  const answers = data.answers[index] || [];
  const sample = state.get("sample");
  return { index, answer: sample === null ? answers[0] : answers.find((each) => String(each.sample) === sample) };
}

/** Show what the address asks for of the task that was read. */
function showChosen(state) {
  const { data, number } = shown;
  const { index, answer } = choose(data, state);
  if (answer === undefined) return complain("This run has no such answer yet.");
  showBeside(number, data, { index, answer }, state);
  showAnswer(data, index, answer);
  markCurrent(addressOf(number, index, answer.sample));
}

/** Open a task in the reader. */
async function openTask(state) {
  const mine = ++turn, key = state.get("task");
  if (!part("report").hidden) Object.assign(left, { scroll: scrollY, link: document.activeElement });
  part("report").hidden = true;
  part("reader").hidden = false;
  if (shown && shown.key === key) return showChosen(state);
  shown = null;
  clearReader();
  part("reader-title").textContent = "Task";
  showCrumbs(TASK_AT.has(key) ? TASK_AT.get(key) : -2, "#answers");
  complain("Reading the answers…");
  scrollTo(0, 0);
  part("reader-title").focus({ preventScroll: true });
  try {
    const { name, document: data } = await readTask(key);
    if (mine === turn) showTaskData(key, name, data, state);
  } catch (error) {
    if (mine === turn) complain("Cannot show the answers: " + error.message, () => openTask(state));
  }
}

/** Show a task that has just been read. */
function showTaskData(key, name, data, state) {
  shown = { key, number: learn(key, name), data };
  document.title = `Task ${name} · ${TITLE}`;
  showCrumbs(shown.number, "#answers");
  showTask(shown.number, data);
  showList(shown.number, data);
  showChosen(state);
}

/** Read the task in the reader again, because an answer was added or judged; keep what has not changed. */
async function readAgain(key) {
  const mine = turn;
  try {
    const { document: data } = await readTask(key);
    if (mine !== turn || !shown || shown.key !== key) return;
    const state = new URLSearchParams(location.hash.slice(1));
    const before = JSON.stringify(choose(shown.data, state)), sameTexts = JSON.stringify(shown.data.texts) === JSON.stringify(data.texts);
    shown.data = data;
    showList(shown.number, data);
    if (before !== JSON.stringify(choose(data, state)) || !sameTexts) showChosen(state);
    else markCurrent(location.hash);
  } catch (error) {
    if (mine === turn) part("status").textContent = "Cannot read the answers again: " + error.message;
  }
}

/** Go where the address says. */
function follow() {
  const state = new URLSearchParams(location.hash.slice(1));
  if (state.has("task")) openTask(state);
  else showTable();
}

addEventListener("hashchange", follow);
part("filter").addEventListener("submit", (event) => event.preventDefault());
part("filter").addEventListener("input", restart);
restart();
follow();
