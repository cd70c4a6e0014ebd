// Two answers to one task side by side, and what differs between them. The address names both.

/** What of an answer is held against another: its program, or its text where it has none. */
function comparable(data, answer) {
  const program = data.programs[answer.program];
  return program && program.text ? { title: "Program", ...program } : { title: "Text", ...data.texts[answer.text] };
}

/** The other answer that the address names; undefined where it names one that is not there. */
function otherOf(data, state) {
  const index = MODEL_AT.get(state.get("beside"));
  const answer = (data.answers[index] || []).find((each) => String(each.sample) === state.get("other"));
  return answer && { index, answer };
}

/** The address of two answers side by side. */
function besideAddress(number, { index, answer }, key, sample) {
  return addressOf(number, index, answer.sample) + (key === undefined ? "" : `&beside=${key}&other=${sample}`);
}

/** The list of all other answers to the task, by model; what is chosen becomes the address. */
function otherChoice(number, data, first, other) {
  const select = make("select", {}, make("option", { value: besideAddress(number, first) }, "no other answer"));
  MODEL_NAMES.forEach((model, index) => {
    const group = make("optgroup");
    group.label = plainText(model);
    for (const answer of data.answers[index]) {
      if (answer === first.answer) continue;
      const value = besideAddress(number, first, META.modelKeys[index], answer.sample);
      const option = make("option", { value, selected: other && answer === other.answer });
      option.append(`${plainText(model)} · answer ${answer.sample} · ${META.outcomes[answer.outcome].label}`);
      group.append(option);
    }
    if (group.firstChild) select.append(group);
  });
  select.addEventListener("change", () => { location.hash = select.value; });
  return make("p", { class: "choice" }, make("label", {}, "Side by side with ", select));
}

/** One of the two, with its model, how it ended, and the text that is compared. */
function besideColumn(data, { index, answer }) {
  const { label, group, sign } = META.outcomes[answer.outcome];
  const shown = comparable(data, answer);
  const heading = addText(make("h3"), MODEL_NAMES[index]);
  heading.append(` · answer ${answer.sample} `, make("span", { class: "badge g-" + group }, `${sign} ${label}`));
  const fill = (code) => (shown.title === "Program" ? addPython(code, shown.text) : addText(code, shown.text));
  return make("div", {}, heading, block(`${shown.title} of answer ${answer.sample}`, fill), cutNote(shown));
}

/** The difference from the first answer to the second, or why there is none to show. */
function besideDiff(data, first, other) {
  const [from, to] = [first, other].map(({ answer }) => comparable(data, answer));
  const said = (text) => make("p", { class: "muted" }, text);
  if (from.title !== to.title) return said("Only one of the two has a program, so they are not compared.");
  if (from.whole || to.whole) return said("Not compared: this page holds only the beginning of one of them.");
  const rows = diff(from.text, to.text);
  if (rows === null) return said("Too long to compare.");
  if (!changes(rows)) return said("No differences.");
  const title = "Differences between the two answers";
  return make("div", {}, make("h3", {}, title), block(title, (code) => addDiff(code, rows)));
}

/** The choice of another answer to the task, and what the address asks for of it. */
function showBeside(number, data, first, state) {
  const other = state.has("beside") ? otherOf(data, state) : null;
  const parts = [otherChoice(number, data, first, other)];
  if (other === undefined) parts.push(make("p", {}, "This report has no such answer to compare."));
  if (other) {
    parts.push(make("div", { class: "two" }, besideColumn(data, first), besideColumn(data, other)));
    parts.push(besideDiff(data, first, other));
  }
  part("beside").replaceChildren(...parts);
}
