// Colours for Python, by a scanner of one regular expression. It is done here, when an answer is opened:
// colouring 164,000 answers while the report is written would take minutes and double its size.

const KEYWORDS = new Set((
  "False None True and as assert async await break class continue def del elif else except finally for from " +
  "global if import in is lambda match case nonlocal not or pass raise return try while with yield"
).split(" "));
const BUILTINS = new Set((
  "abs all any bool bytes callable chr dict divmod enumerate filter float format frozenset getattr hasattr " +
  "hash hex id input int isinstance issubclass iter len list map max min next object open ord pow print " +
  "property range repr reversed round self set setattr slice sorted str sum super tuple type vars zip"
).split(" "));

// The alternatives in order: comment, string (an unfinished one ends with its line, or with the text where
// it is triple), number, name, the rest. Each eats at least one character, and none can backtrack far.
const TOKEN = new RegExp(
  [
    "(?<comment>#[^\\n]*)",
    "(?<string>(?<![\\p{L}\\p{N}_])[rRbBuUfFtT]{0,2}" +
      "(?:'''(?:[^\\\\]|\\\\[^])*?(?:'''|$)|\"\"\"(?:[^\\\\]|\\\\[^])*?(?:\"\"\"|$)" +
      "|'(?:[^'\\\\\\n]|\\\\[^])*'?|\"(?:[^\"\\\\\\n]|\\\\[^])*\"?))",
    "(?<decorator>@[\\p{L}_][\\p{L}\\p{N}_.]*)",
    "(?<number>(?<![\\p{L}\\p{N}_])(?:0[xXoObB][0-9a-fA-F_]+|[0-9][0-9_]*(?:\\.[0-9_]*)?(?:[eE][+-]?[0-9_]+)?[jJ]?))",
    "(?<name>[\\p{L}_][\\p{L}\\p{N}_]*)",
    "(?<other>[^])",
  ].join("|"),
  "gu",
);

/** The class of a token, or "" for plain text. `before` is the last name or keyword before it. */
function classOf(groups, before) {
  if (groups.comment) return "c";
  if (groups.string) return "s";
  if (groups.number) return "n";
  if (groups.decorator) return "d";
  if (!groups.name) return "";
  if (before === "def" || before === "class") return "f";
  if (KEYWORDS.has(groups.name)) return "k";
  return BUILTINS.has(groups.name) ? "b" : "";
}

/** The pieces of a program as [class, text], neighbours of one class joined. */
function tokens(source) {
  const pieces = [];
  let before = "";
  for (const match of source.matchAll(TOKEN)) {
    const kind = classOf(match.groups, before);
    if (match[0].trim()) before = match.groups.name || "";
    const last = pieces[pieces.length - 1];
    if (last && last[0] === kind) last[1] += match[0];
    else pieces.push([kind, match[0]]);
  }
  return pieces;
}

/** Add a program to an element, in colours unless it is very long. */
function addPython(element, source) {
  if (source.length > SHOWN_WHOLE) return addText(element, source);
  for (const [kind, text] of tokens(source)) {
    if (kind) element.append(addText(make("span", { class: kind }), text));
    else addText(element, text);
  }
  return element;
}
