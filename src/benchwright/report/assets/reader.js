// The reader: one task, its answers by model, and one answer in full. Its state is the part of the address
// after "#", so that the back button works and a colleague can be sent straight to an answer.

const part = (id) => document.getElementById(id);

// Tasks and models by their keys, as an address has them once it is decoded. Names are for reading alone.
const TASK_AT = new Map(META.taskKeys.map((key, number) => [decodeURIComponent(key), number]));
const MODEL_NAMES = META.modelNames || META.models; // without their track, where a task's own answers are listed
const MODEL_AT = new Map(META.modelKeys.map((key, index) => [decodeURIComponent(key), index]));

/** The address of an answer; the same as Python's `keys.address` makes. */
function addressOf(number, index, sample) {
  let hash = "#task=" + META.taskKeys[number];
  if (index !== undefined) hash += "&model=" + META.modelKeys[index];
  if (sample !== undefined) hash += "&sample=" + sample;
  return hash;
}

/** A link to a task, or nothing at either end of the list. */
function taskLink(number, label) {
  if (META.tasks[number] === undefined) return null;
  return addText(make("a", { href: addressOf(number), class: "task-link" }, label), META.tasks[number]);
}

/** The links over a task: back, the one before, the one after. */
function showCrumbs(number, back) {
  const links = [make("a", { href: back }, "← All tasks"), taskLink(number - 1, "Previous: "), taskLink(number + 1, "Next: ")];
  part("reader-crumbs").replaceChildren(...links.filter(Boolean));
}

/** The name of a task, and its canonical solution in a fold; of a label, the label that is expected. */
function showTask(number, data) {
  part("reader-title").replaceChildren("Task ");
  addText(part("reader-title"), META.tasks[number]);
  if (data.labels) {
    const known = data.expected ? addText(make("p", {}, "Expected label: "), data.expected) : null;
    part("reader-folds").replaceChildren(...[known].filter(Boolean));
    return;
  }
  const [canonical] = data.canonical;
  const title = "Canonical solution";
  const folds = canonical ? [fold(title, block(title, (code) => addPython(code, canonical)))] : [];
  part("reader-folds").replaceChildren(...folds);
}

/** A fold that is opened with its summary. */
function fold(title, ...content) {
  return make("details", {}, make("summary", {}, title), ...content);
}

/** One small link for each answer of each model, with a sign for how it ended. */
function showList(number, data) {
  const groups = META.models.map((_, index) => {
    const answers = data.answers[index];
    if (META.several && !answers.length) return null; // a run of another track
    const passed = answers.filter((answer) => answer.outcome === "passed").length;
    const title = addText(make("h2"), MODEL_NAMES[index]);
    title.append(" ", make("span", { class: "count" }, `${passed} of ${answers.length} passed`));
    const items = answers.map((answer) => make("li", {}, sampleLink(number, index, answer)));
    return make("section", {}, title, answers.length ? make("ul", { class: "samples" }, ...items) : "no answers: its run has not this task");
  });
  part("reader-list").replaceChildren(...groups.filter(Boolean));
}

/** The link to one answer. */
function sampleLink(number, index, answer) {
  const { label, group, sign } = META.outcomes[answer.outcome];
  const link = make("a", { href: addressOf(number, index, answer.sample), class: "sample g-" + group });
  link.append(make("span", { class: "hidden" }, "answer "), String(answer.sample));
  link.append(make("span", { "aria-hidden": "true" }, " " + sign), make("span", { class: "hidden" }, ", " + label));
  link.title = label;
  return link;
}

/** Mark the link of the answer that is shown; in a long list, bring it into view. */
function markCurrent(hash) {
  for (const link of part("reader-list").querySelectorAll("a")) {
    if (link.getAttribute("href") === hash) {
      link.setAttribute("aria-current", "true");
      link.scrollIntoView({ block: "nearest" });
    } else {
      link.removeAttribute("aria-current");
    }
  }
}

/** The facts of an answer: name and value, those that it has. */
function factsOf(data, answer) {
  const seconds = (value) => `${value.toFixed(3)} s`;
  return [
    ["said", answer.said],
    ["expected", data.expected],
    ["why", answer.why],
    ["looks like an attempt to cheat", answer.suspicious],
    [data.labels ? "read by rule" : "taken by rule", answer.rule],
    ["cut off", answer.truncated ? "the model was stopped before it ended" : ""],
    ["prompt variant", answer.variant],
    ["isolation", answer.isolation],
    ["used", answer.cpu === undefined ? "" : `${seconds(answer.cpu)} of processor time in ${seconds(answer.wall)}`],
    ["tokens", answer.tokens === undefined ? "" : `${answer.tokens} written`],
  ].filter(([, value]) => value);
}

/** The other answers with the very same text. */
function twins(data, answer) {
  const found = [];
  META.models.forEach((_, index) => {
    for (const other of data.answers[index]) {
      if (other !== answer && other.text === answer.text) found.push(`${MODEL_NAMES[index]} #${other.sample}`);
    }
  });
  const more = found.length > 12 ? ` and ${found.length - 12} more` : "";
  return found.slice(0, 12).join(", ") + more;
}

/** How much of a text is here, where it is not the whole of it. */
function cutNote({ text, whole }) {
  if (!whole) return null;
  const size = (number) => number.toLocaleString("en");
  const note = `The first ${size(text.length)} of ${size(whole)} characters; the rest is in the run folder.`;
  return make("p", { class: "muted small" }, note);
}

/** The program with its colours, or a sentence that says why there is none. */
function programPart(program) {
  const gone = META.noProgram || "The available data set does not contain this task, so there is no program.";
  if (program === undefined) return [make("p", { class: "muted" }, gone)];
  if (!program.text) return [make("p", { class: "muted" }, "No program could be extracted from this answer.")];
  return [make("h3", {}, "Program"), block("Program", (code) => addPython(code, program.text)), cutNote(program)];
}

/** The diff to the canonical solution, where there are both. */
function diffPart(data, answer, program) {
  if (!program || !program.text) return null;
  const title = "Difference from the canonical solution";
  const said = (text) => fold(title, make("p", { class: "muted" }, text));
  if (!data.canonical.length) return said("The data set has no canonical solution for this task.");
  if (program.whole) return said("Not available: this page holds only the beginning of the program.");
  const rows = nearestDiff(data.canonical, program.text);
  if (rows === null) return said("Too long to compare.");
  if (!changes(rows)) return said("None: the program equals the canonical solution.");
  const shown = fold(title, block(title, (code) => addDiff(code, rows)));
  shown.open = answer.outcome !== "passed" && changes(rows) <= 40;
  return shown;
}

/** What the model was asked about this answer's task, over everything else; or why that is not known. */
function showAsked(data, index, answer) {
  const questions = data.questions[index];
  const named = [answer.variant || "", ""].find((name) => Object.hasOwn(questions, name) && questions[name]);
  const title = make("h2", {}, "Question");
  if (named) addText(title, ` · prompt ${named}`);
  const why = META.noProgram ? META.noProgram.replace("programs cannot be extracted again", "the question is unknown")
    : "The available data set has no question for this task.";
  const body = named === undefined ? make("p", { class: "muted" }, why)
    : block("Question", (code) => addText(code, questions[named]));
  part("reader-asked").replaceChildren(title, body);
}

/** The raw text; open where no program was found in it. */
function rawPart(raw, program) {
  const shown = fold("Raw text", cutNote(raw), block("Raw text", (code) => addText(code, raw.text)));
  shown.open = !program || !program.text;
  return shown;
}

/** The facts of an answer as a list of terms. */
function factList(data, answer) {
  const list = make("dl", { class: "facts" });
  const known = [...factsOf(data, answer), ["same text", twins(data, answer)]].filter(([, value]) => value);
  for (const [name, value] of known) list.append(make("div", {}, make("dt", {}, name), addText(make("dd"), value)));
  return list;
}

/** One answer in full. */
function showAnswer(data, index, answer) {
  const model = MODEL_NAMES[index];
  const { label, group, sign } = META.outcomes[answer.outcome];
  const heading = addText(make("h2"), model);
  heading.append(` · answer ${answer.sample} `, make("span", { class: "badge g-" + group }, `${sign} ${label}`));
  const program = data.programs[answer.program];
  const printed = answer.stdout
    ? fold("Output", block("Output", (code) => addText(code, answer.stdout)))
    : null;
  const parts = [
    heading,
    factList(data, answer),
    ...(data.labels ? [] : programPart(program)),
    diffPart(data, answer, program),
    rawPart(data.texts[answer.text], program),
    printed,
  ];
  showAsked(data, index, answer);
  part("answer").replaceChildren(...parts.filter(Boolean));
  part("status").textContent = `${model}, answer ${answer.sample}: ${label}`;
}
