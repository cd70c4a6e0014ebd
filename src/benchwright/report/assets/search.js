// Answers found by what they say, how they ended and which prompt they are to. Tasks are unpacked in turn and let
// go again, so a search holds no more than one of them.

const MOST_FOUND = 200; // answers that are listed; all are counted
const AROUND = 60; // characters on each side of what was found
const ASKED = { said: "search-text", prompt: "search-prompt", ended: "search-outcome", by: "search-model" };
let searched = ""; // the address of the search whose answers are shown

/** What the form asks for: fields of the address by name. A field that the page has not is empty. */
function searchState() {
  return Object.fromEntries(Object.entries(ASKED).map(([name, id]) => [name, part(id) ? part(id).value : ""]));
}

/** The search as a part of the address; empty where nothing is asked for. */
function searchHash() {
  const { by, ...others } = searchState();
  const set = Object.entries(others).map(([name, value]) => [name, encodeURIComponent(value)]);
  return [...set, ["by", by && META.modelKeys[Number(by)]]].filter(([, value]) => value)
    .map(([name, value]) => name + "=" + value).join("&");
}

/** Whether an answer is one of those that are looked for. */
function isWanted(data, index, answer, asked) {
  if (asked.ended && answer.outcome !== asked.ended) return false;
  if (asked.prompt && answer.variant !== asked.prompt) return false;
  if (asked.by && Number(asked.by) !== index) return false;
  return !asked.said || data.texts[answer.text].text.toLowerCase().includes(asked.said.toLowerCase());
}

/** The text around the first place that was found, its line ends as spaces. */
function snippet(text, said) {
  const at = said ? Math.max(0, text.toLowerCase().indexOf(said.toLowerCase())) : 0;
  const from = Math.max(0, at - AROUND), to = at + said.length + AROUND;
  return (from ? "…" : "") + text.slice(from, to).replace(/\s+/g, " ").trim() + (to < text.length ? "…" : "");
}

/** A line of the list: a link to the answer, how it ended, and the place. */
function foundItem(number, data, index, answer, said) {
  const { label, group, sign } = META.outcomes[answer.outcome];
  const link = addText(make("a", { href: addressOf(number, index, answer.sample) }, "Task "), META.tasks[number]);
  addText(link, ` · ${META.models[index]} · answer ${answer.sample}`);
  const place = addText(make("span", { class: "found", dir: "ltr" }), snippet(data.texts[answer.text].text, said));
  return make("li", {}, link, " ", make("span", { class: "badge g-" + group }, `${sign} ${label}`), make("br"), place);
}

/** Look through all tasks; stop where another search has begun. */
async function search(hash) {
  const asked = searchState();
  searched = hash;
  let found = 0;
  part("search-found").replaceChildren();
  for (let number = 0; number < META.tasks.length; number++) {
    const data = await unpack(number);
    if (searched !== hash) return;
    const items = data.answers.flatMap((answers, index) => answers.filter((answer) => isWanted(data, index, answer, asked))
      .map((answer) => (found++ < MOST_FOUND ? foundItem(number, data, index, answer, asked.said) : null)));
    part("search-found").append(...items.filter(Boolean));
    part("search-count").textContent = `${found.toLocaleString("en")} answers in ${number + 1} of ${META.tasks.length} tasks`;
  }
  const more = found > MOST_FOUND ? `; the first ${MOST_FOUND} are listed` : "";
  part("search-count").textContent = `${found.toLocaleString("en")} answers found${more}`;
}

/** Begin what the form asks for; nothing where it asks for nothing or the answers are there already. */
function startSearch() {
  const hash = searchHash();
  if (hash === searched) return;
  if (!hash) {
    searched = "";
    part("search-found").replaceChildren();
    part("search-count").textContent = "";
    return;
  }
  search(hash).catch((error) => { part("search-count").textContent = "Cannot read the answers: " + error.message; });
}

/** Set the form from an address, and search. */
function readSearch(state) {
  for (const [name, id] of Object.entries(ASKED)) if (part(id)) part(id).value = state.get(name) || "";
  const by = MODEL_AT.get(state.get("by"));
  part("search-model").value = by === undefined ? "" : String(by);
  startSearch();
}

/** A search is an address, so that it can be gone back to and sent to others. */
function makeSearch() {
  part("search").hidden = false;
  part("search").addEventListener("submit", (event) => {
    event.preventDefault();
    const hash = searchHash();
    if (location.hash === "#" + hash || !hash) startSearch();
    else location.hash = hash;
  });
}
