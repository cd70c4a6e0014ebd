// Graded answers: scores, references and judges beside what every report shows of an answer. This file stands
// after the reader's own and takes the place of three of its functions where a task's answers are graded.

const inPercent = (share) => `${(100 * share).toFixed(1)} %`;
const spaced = (name) => name.replaceAll("_", " ");

/** How good an answer is, as its model's list counts it; undefined where nobody could tell. */
function gradeOf(answer) {
  if (answer.outcome === "passed") return 1;
  if (answer.outcome === "scored") return answer.scores && (answer.scores.total ?? answer.scores.answer);
  return ["undecided", "model_error", "sandbox_error"].includes(answer.outcome) ? undefined : 0;
}

/** A table of texts, the first column with the names of its rows. */
function listed(title, rows, columns) {
  const head = columns.map((name, at) => make("th", { scope: "col", class: at ? "number" : null }, name));
  const body = rows.map(([name, ...values]) =>
    make("tr", {}, addText(make("th", { scope: "row" }), name),
      ...values.map((value) => addText(make("td", { class: "number" }), value))));
  return make("table", { class: "plain scores" }, make("caption", {}, title),
    make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body));
}

const FIRST = ["total", "format", "accuracy", "logic", "answer", "strongest"];

/** The scores of an answer: what counts, with its parts by rule and by judges; all else in a fold. */
function scorePart(answer) {
  const scores = answer.scores || {};
  const shown = (name) => (name in scores ? inPercent(scores[name]) : "");
  const counting = FIRST.filter((name) => name in scores);
  const rows = counting.map((name) => [name, shown(name), shown("rule_" + name), shown("judge_" + name)]);
  const known = new Set(counting.flatMap((name) => [name, "rule_" + name, "judge_" + name]));
  const others = Object.keys(scores).filter((name) => !known.has(name)).map((name) => [spaced(name), shown(name)]);
  const split = rows.some(([, , rule]) => rule);
  const columns = split ? ["Score", "Value", "By rule", "By judges"] : ["Score", "Value"];
  const checks = Object.entries(answer.checks || {});
  return [
    rows.length ? listed("Scores", rows.map((row) => row.slice(0, columns.length)), columns) : null,
    others.length ? fold("Other figures", listed("Figures used in the scores", others, ["Figure", "Value"])) : null,
    checks.length ? fold("Checks", listed("Each check and the judges' decisions", checks, ["Check", "Result"])) : null,
  ];
}

/** The commented code line by line, with the reference annotations beside their lines. */
function besidePart(answer, program) {
  if (!program || !program.text || answer.notes === undefined && answer.added === undefined) return null;
  const notes = new Map();
  for (const [line, text] of answer.notes || []) notes.set(line, [...(notes.get(line) || []), text]);
  const added = new Set(answer.added || []);
  const rows = program.text.replace(/\n$/, "").split("\n").map((text, at) => {
    const note = addText(make("td", { class: notes.has(at + 1) ? "note" : "" }), (notes.get(at + 1) || []).join("\n"));
    const code = addText(make("td", { class: "code", dir: "ltr" }), text);
    return make("tr", { class: added.has(at + 1) ? "added" : null }, make("td", { class: "at" }, String(at + 1)), code, note);
  });
  const caption = "Commented code with added lines marked, and reference annotations beside their lines";
  const table = make("table", { class: "beside" }, make("caption", {}, caption), make("tbody", {}, ...rows));
  const lost = (notes.get(0) || []).map((text) => addText(make("li"), text));
  return make("div", {},
    make("div", { class: "scroll", role: "group", "aria-label": "Commented code", tabindex: "0" }, table),
    cutNote(program),
    lost.length ? make("p", {}, "Reference annotations whose line is not in this answer:") : null,
    lost.length ? make("ul", {}, ...lost) : null);
}

/** What one judge said: its decision or its scores, its reasons, and what it quotes. */
function opinion(said) {
  const scores = Object.entries(said.scores || {}).map(([name, value]) => `${spaced(name)} ${inPercent(value)}`);
  const facts = [said.label || said.status, ...scores];
  if (said.reference) facts.push(`held against reference answer ${said.reference}`);
  const votes = Object.entries(said.votes || {}).map(([name, number]) => `${spaced(name)}: ${number}`);
  const lines = [...Object.entries(said.reasons || {}).map(([name, text]) => `${spaced(name)}: ${text}`), said.why]
    .filter(Boolean).map((text) => addText(make("p"), text));
  const quotes = (said.evidence || []).map((text) => addText(make("blockquote"), text));
  const flags = (said.flags || []).length ? addText(make("p", { class: "muted small" }), "flags: " + said.flags.join(", ")) : null;
  const title = addText(make("h4"), `${said.judge}: ${facts.join(", ")}`);
  const counted = votes.length > 1 ? addText(make("p", { class: "muted small" }), "votes: " + votes.join(", ")) : null;
  return make("div", { class: "opinion" }, title, ...lines, ...quotes, counted, flags);
}

/** What all judges said of an answer. */
function judgesPart(answer) {
  if (!answer.judges) return null;
  const mark = answer.judges.every((said) => said.calibrated) ? "" : " (uncalibrated)";
  return make("div", {}, make("h3", {}, `Opinions of judges${mark}`), ...answer.judges.map(opinion));
}

/** What people made of an answer, a line for each field. */
function peoplePart(answer) {
  if (!answer.people) return null;
  const lines = answer.people.map((text) => addText(make("p"), text));
  return make("div", {}, make("h3", {}, "Human votes"), ...lines);
}

/** One graded answer in full. */
function showGradedAnswer(data, index, answer) {
  const model = MODEL_NAMES[index];
  const { label, group, sign } = META.outcomes[answer.outcome];
  const heading = addText(make("h2"), model);
  heading.append(` · answer ${answer.sample} `, make("span", { class: "badge g-" + group }, `${sign} ${label}`));
  const program = data.programs[answer.program];
  const beside = besidePart(answer, program);
  const said = beside || !program || !program.text ? null
    : block("Answer", (code) => addText(code, program.text));
  const parts = [heading, factList(data, answer), ...scorePart(answer), beside, said, judgesPart(answer), peoplePart(answer),
    rawPart(data.texts[answer.text], program)];
  showAsked(data, index, answer);
  part("answer").replaceChildren(...parts.filter(Boolean));
  part("status").textContent = `${model}, answer ${answer.sample}: ${label}`;
}

const plainAnswer = showAnswer, plainTask = showTask, plainList = showList;

showAnswer = (data, index, answer) =>
  data.graded ? showGradedAnswer(data, index, answer) : plainAnswer(data, index, answer);

showTask = (number, data) => {
  plainTask(number, data);
  if (!data.graded) return;
  const folds = (data.references || []).map(({ title, text }) => fold(title, block(title, (code) => addText(code, text))));
  part("reader-folds").replaceChildren(...folds);
};

showList = (number, data) => {
  plainList(number, data);
  if (!data.graded) return;
  const answers = data.answers.filter((each) => !META.several || each.length);
  part("reader-list").querySelectorAll(".count").forEach((count, at) => {
    const grades = answers[at].map(gradeOf).filter((grade) => grade !== undefined);
    const mean = grades.reduce((sum, grade) => sum + grade, 0) / grades.length;
    count.textContent = grades.length ? `mean score ${inPercent(mean)} of ${grades.length} decided` : "none decided";
  });
};
