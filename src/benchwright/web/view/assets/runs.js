// The list of runs, the latest first.

/** The row of a run. */
function drawRun(run, old) {
  const row = old || make("tr", {},
    make("th", { scope: "row" }, make("a", { href: "/runs/" + run.id })), make("td", {}, make("span")), make("td"),
    ...[1, 2, 3, 4].map(() => make("td", { class: "number" })), make("td", { class: "name" }), make("td"));
  const [name, state, progress, passed, rate, tokens, cost, track, model] = row.cells;
  setText(name.firstChild, run.name);
  showState(state.firstChild, run);
  state.title = run.why;
  showBar(progress, "judged", run.judged, run.planned);
  const isGraded = "scored" in run.outcomes || !run.judged;
  setText(passed, isGraded ? "–" : `${shownNumber(run.outcomes.passed || 0)} of ${shownNumber(run.judged)}`);
  setText(rate, rateText(run));
  setText(tokens, run.tokens ? shownNumber(run.tokens) : "–");
  setText(cost, run.cost === null ? "–" : run.cost);
  setText(track, run.track);
  setText(model, run.model);
  return row;
}

const part = (id) => document.getElementById(id);
const latest = (a, b) => (a.started === b.started ? a.name < b.name : a.started > b.started);
const list = new KeyedRows(part("runs").tBodies[0], drawRun, latest);

followStream("/stream", (message) => {
  list.update(message);
  part("runs-box").hidden = !list.rows.size;
  part("none").hidden = Boolean(list.rows.size);
  part("more").hidden = !message.more;
});
