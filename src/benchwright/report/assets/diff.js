// What an answer has that the canonical solution has not, line by line. Made when it is looked at, within
// limits: two programs of a thousand different lines each are not compared.

const MOST_CELLS = 1000000;

/** The lines of a program without blank ends. */
function linesOf(source) {
  return source.trim().split("\n").map((line) => line.trimEnd());
}

/** The length of the longest common subsequence of a[i:] and b[j:], for all i and j, row after row. */
function commonLengths(a, b) {
  const width = b.length + 1;
  const table = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const here = i * width + j;
      table[here] = a[i] === b[j]
        ? table[here + width + 1] + 1
        : Math.max(table[here + width], table[here + 1]);
    }
  }
  return table;
}

/** The middle parts of a and b, whose ends differ, as a list of [sign, line]. */
function walk(a, b) {
  const table = commonLengths(a, b);
  const width = b.length + 1;
  const out = [];
  let i = 0, j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      out.push([" ", a[i]]);
      i++, j++;
    } else if (j >= b.length || (i < a.length && table[(i + 1) * width + j] >= table[i * width + j + 1])) {
      out.push(["-", a[i++]]);
    } else {
      out.push(["+", b[j++]]);
    }
  }
  return out;
}

/** The differences from one text to another as a list of [sign, line]; null when there are too many. */
function diff(from, to) {
  const a = linesOf(from), b = linesOf(to);
  let start = 0, end = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const left = a.slice(start, a.length - end), right = b.slice(start, b.length - end);
  if ((left.length + 1) * (right.length + 1) > MOST_CELLS || Math.max(left.length, right.length) > 65000) return null;
  const same = (lines) => lines.map((line) => [" ", line]);
  return [...same(a.slice(0, start)), ...walk(left, right), ...same(a.slice(a.length - end))];
}

/** How many lines of a diff are not common. */
function changes(rows) {
  return rows === null ? Infinity : rows.filter(([sign]) => sign !== " ").length;
}

/** The diff to the nearest of several canonical texts: with its docstring, and without. */
function nearestDiff(canonicals, program) {
  const all = canonicals.map((text) => diff(text, program));
  return all.reduce((best, each) => (changes(each) < changes(best) ? each : best), null);
}

/** Add the lines of a diff to an element. Signs are text, so that colour is not all there is. */
function addDiff(element, rows) {
  const tag = { "-": "del", "+": "ins", " ": "span" };
  const said = { "-": "removed: ", "+": "added: ", " ": "" };
  for (const [sign, line] of rows) {
    const row = make(tag[sign], { class: "line" }, make("span", { class: "hidden" }, said[sign]));
    row.append(make("span", { "aria-hidden": "true" }, sign + " "));
    element.append(addText(row, line), "\n");
  }
  return element;
}
