// Which of the two views is shown: the report, or the reader. The address decides.

const TITLE = document.title;
const left = { back: "", scroll: null, link: null }; // where the report was when the reader opened; back: its address
const clicked = { scroll: null, link: null }; // where it was at the latest click
let shown = null; // the task in the reader, with its answers
let isFirst = true; // nothing has been shown yet
let turn = 0; // the latest address: what arrives after a later click is not shown

/** Show the report, where it was left. */
function showReport(state) {
  const returning = part("report").hidden;
  const filters = ["find", "outcome", "of", "in", "differ"].some((name) => state.has(name));
  const searches = Object.keys(ASKED).some((name) => state.has(name));
  part("reader").hidden = true;
  part("report").hidden = false;
  document.title = TITLE;
  const switched = PANELS.length > 0 && switchTo(panelOf(location.hash, filters || searches));
  if (filters) readFilter(state);
  if (searches) {
    readSearch(state);
    if (!returning) part("search").scrollIntoView();
  }
  const anchor = anchorOf(location.hash);
  if (switched && anchor && !isHead(anchor)) anchor.scrollIntoView();
  if (!returning) return;
  if (left.scroll === null && anchor) anchor.scrollIntoView();
  if (left.scroll !== null) scrollTo(0, left.scroll);
  if (left.link) left.link.focus({ preventScroll: true });
}

/** The address of what the report shows: a tab, a selection of tasks, a search. */
function reportAddress() {
  const panel = openPanel();
  const tab = tabs().find((each) => panel && each.getAttribute("aria-controls") === panel.id);
  if (panel && !panel.contains(part("all-tasks"))) return tab.getAttribute("href");
  return "#" + (searched || filterHash() || (panel ? "all-tasks" : "tasks"));
}

/** Show the reader in place of the report, and remember where that was. */
function openReader() {
  if (!part("report").hidden) {
    left.back = reportAddress();
    left.scroll = clicked.scroll;
    left.link = clicked.link;
  }
  part("report").hidden = true;
  part("reader").hidden = false;
}

/** The answers to a task, unpacked once while the reader stays at it. */
async function open(number) {
  if (shown === null || shown.number !== number) shown = { number, data: await unpack(number), fresh: true };
  return shown;
}

/** The answer that the address names; where it names less, the first, preferably one that did not pass. */
function choose(data, state) {
  const index = state.has("model") ? MODEL_AT.get(state.get("model")) : data.answers.findIndex((answers) => answers.length);
  const answers = data.answers[index] || [];
  const sample = state.get("sample");
  const first = answers.find((answer) => answer.outcome !== "passed") || answers[0];
  const answer = sample === null ? first : answers.find((each) => String(each.sample) === sample);
  return { index, answer };
}

/** Show what the address asks for: a task, a model's answers to it, one answer. */
async function showReader(state) {
  const mine = ++turn;
  const number = TASK_AT.get(state.get("task"));
  if (number !== undefined && isFirst) switchTo(anchorOf(trackAddress(number)).closest(".panel"));
  isFirst = false;
  openReader();
  if (number === undefined) return complain("This report has no such task.");
  const task = await open(number);
  if (mine !== turn) return;
  document.title = `Task ${META.tasks[number]} · ${TITLE}`;
  showCrumbs(number, left.back);
  if (task.fresh) {
    showTask(number, task.data);
    showList(number, task.data);
  }
  const { index, answer } = choose(task.data, state);
  if (answer === undefined) return complain("This report has no such answer.");
  showBeside(number, task.data, { index, answer }, state);
  showAnswer(task.data, index, answer);
  markCurrent(addressOf(number, index, answer.sample));
  comeInto(task);
}

/** Begin at the top of a task; from then on only bring an answer into view that is out of it. */
function comeInto(task) {
  if (task.fresh) {
    scrollTo(0, 0);
    part("reader-title").focus({ preventScroll: true });
  } else {
    const { top } = part("answer").getBoundingClientRect();
    if (top < 0 || top > innerHeight / 2) part("answer").scrollIntoView();
  }
  task.fresh = false;
}

/** Say in the reader that something is not there. */
function complain(text) {
  openReader();
  if (!part("reader-crumbs").firstChild) showCrumbs(-2, left.back);
  part("reader-asked").replaceChildren();
  part("beside").replaceChildren();
  part("answer").replaceChildren(make("p", {}, text));
  part("status").textContent = text;
}

/** Go where the address says. */
function follow() {
  const state = new URLSearchParams(location.hash.slice(1));
  if (state.has("task")) {
    showReader(state).catch((error) => complain("Cannot show the answers: " + error.message));
  } else {
    turn++;
    showReport(state);
    isFirst = false;
  }
}

// A click on a link moves the page before `hashchange` tells of it, so where it was is kept before.
document.addEventListener("click", (event) => {
  const link = event.target.closest ? event.target.closest("a[href^='#']") : null;
  clicked.scroll = scrollY;
  clicked.link = link && part("report").contains(link) ? link : null;
}, true);
addEventListener("hashchange", follow);
makeTabs();
makeSortable();
makeDownloads();
hintScrolling();
makeFilter();
makeSearch();
applyFilter();
follow();
