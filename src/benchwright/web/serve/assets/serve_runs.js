// The runs that are running; the rest of the page is from the server.

const part = (id) => document.getElementById(id);
let isFirst = true;

/** The row of a run. */
function drawRun(run, old) {
  const row = old || make("tr", {},
    make("th", { scope: "row" }, make("a", { href: "/runs/" + run.id })), make("td", {}, make("span")), make("td"),
    ...[1, 2, 3, 4].map(() => make("td", { class: "number" })), make("td"), make("td"));
  const [name, state, progress, passed, rate, tokens, cost, track, model] = row.cells;
  setText(name.firstChild, run.name);
  showState(state.firstChild, run);
  showBar(progress, "judged", run.judged, run.planned);
  setText(passed, "scored" in run.outcomes || !run.judged ? "–" : `${shownNumber(run.outcomes.passed || 0)} of ${shownNumber(run.judged)}`);
  setText(rate, rateText(run) + (run.left ? `, ${run.left} left` : ""));
  setText(tokens, run.tokens ? shownNumber(run.tokens) : "–");
  setText(cost, run.cost === null ? "–" : run.cost);
  setText(track, run.track);
  setText(model, run.model);
  return row;
}

const latest = (a, b) => (a.started === b.started ? a.name < b.name : a.started > b.started);
const list = new KeyedRows(part("runs").tBodies[0], drawRun, latest);

followStream("/live", (message) => {
  const ended = message.gone.some((id) => list.rows.has(id));
  if (isFirst) list.update({ rows: [], gone: [...list.rows.keys()].filter((id) => !message.rows.some((row) => row.id === id)) });
  isFirst = false;
  list.update(message);
  part("live-section").hidden = !list.rows.size;
  if (ended) setTimeout(() => location.reload(), 1500); // a run has ended: the server lists it with its score
});
