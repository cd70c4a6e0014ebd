"""Rules that extract code from other encodings: strings of a format, enclosing marks, or marks on each line.

Each rule reverses one encoding and returns the texts inside; it repairs nothing. A rule returns nothing if
the text is not encoded consistently. All rules take linear time.
"""

from __future__ import annotations

import ast
import html
import json
import re
from collections.abc import Callable, Iterator, Sequence
from textwrap import dedent
from typing import Any
from urllib.parse import unquote

from benchwright.text.syntax import ParseFault, parse

Rule = Callable[[str], list[str]]
DOCUMENTS = 8  # maximum JSON documents in a text

# Blanks: some servers and editors write characters that Python does not accept as white space.

_BLANKS = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_NOTHING = "\u200b\u2060\ufeff"
_ODD = re.compile(rf"[{_BLANKS}{_NOTHING}]")
_OUTSIDE = re.compile(
    rf"(\"(?:[^\"\\\n]|\\.){{0,200}}\"|'(?:[^'\\\n]|\\.){{0,200}}'|#[^\n]*)|([{_BLANKS}])|[{_NOTHING}]"
)
_LEADING = re.compile(rf"^[ \t{_BLANKS}{_NOTHING}]+")
_TO_SPACES = re.compile(rf"[{_BLANKS}]")
_TO_NOTHING = re.compile(rf"[{_NOTHING}]")


def unicode_blanks(text: str) -> list[str]:
    """Replace Unicode blanks at the start of lines and between words.

    Those in quotes are kept, unless the line has others between words and no space after the first: then
    something has replaced all of its spaces.
    """
    if text.isascii() or not _ODD.search(text):
        return []
    return ["\n".join(map(_with_spaces, text.split("\n")))]


def _with_spaces(line: str) -> str:
    rest = _LEADING.sub("", line)
    indentation = line.removesuffix(rest)
    first = next((found.start() for found in _OUTSIDE.finditer(rest) if found[2]), len(rest))
    if first < len(rest.rstrip()) and " " not in rest[first:]:
        return _replaced(line)
    return _replaced(indentation) + _OUTSIDE.sub(lambda found: found[1] or (" " if found[2] else ""), rest)


def _replaced(text: str) -> str:
    return _TO_NOTHING.sub("", _TO_SPACES.sub(" ", text))


# Strings of other formats.

_DOCUMENT = re.compile(r"^[ \t]*(?:[\w.]+[ \t]*[:=][ \t]*)?(?=[\[{\"])", re.MULTILINE)
_DECODER = json.JSONDecoder()
_LOOSE = json.JSONDecoder(strict=False)  # replaces line ends in strings, where no escape could be intended


def json_strings(text: str) -> list[str]:
    """Return strings of JSON documents in a text; the cells of a notebook are joined."""
    found: list[str] = []
    for document in _documents(text):
        found += _strings(document)
    return found


def _documents(text: str) -> Iterator[Any]:
    """Yield the first JSON documents that start a line."""
    at = tried = 0
    decoder = _DECODER if "\\" in text else _LOOSE
    while tried < DOCUMENTS and (start := _DOCUMENT.search(text, at)):
        tried += 1
        try:
            document, at = decoder.raw_decode(text, start.end())
        except (ValueError, RecursionError):
            at = text.find("\n", start.end()) + 1 or len(text) + 1
        else:
            yield document
        if at > len(text):
            return


def _strings(document: Any) -> Iterator[str]:
    """Yield strings of a document, except names; a list of lines is joined."""
    stack = [document]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            if isinstance(cells := value.get("cells"), list):
                stack.append("\n\n".join(_cells(cells)))
                continue
            stack.extend(value.values())
        elif isinstance(value, list):
            if len(value) > 1 and all(isinstance(each, str) for each in value):
                ends = all(each.endswith("\n") for each in value[:-1])
                stack.append(("" if ends else "\n").join(value))
            else:
                stack.extend(value)
        elif isinstance(value, str):
            yield value


def _cells(cells: Sequence[Any]) -> Iterator[str]:
    for cell in cells:
        if isinstance(cell, dict) and cell.get("cell_type", "code") == "code":
            source = cell.get("source", "")
            code = "".join(map(str, source)) if isinstance(source, list) else str(source)
            yield "\n".join(line for line in code.split("\n") if not line.startswith(("%", "!")))


def python_strings(text: str) -> list[str]:
    """Return string literals of a text that is Python, such as `code = "def …"`."""
    if "'" not in text and '"' not in text:
        return []
    tree = parse(text.strip())
    if isinstance(tree, ParseFault):
        return []
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "'": "'", "\\": "\\", "/": "/"}


def escaped_lines(text: str) -> list[str]:
    """Decode a text on one line with escaped line ends."""
    inner = text.strip().strip("\"'`").strip() if text.lstrip()[:1] in "\"'`" else text.strip("\n")
    if "\\n" not in inner or "\n" in inner:
        return []
    return [_ESCAPE.sub(lambda found: _ESCAPED.get(found[1], found[0]), inner)]


_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|nbsp|#\d{1,7}|#x[0-9a-fA-F]{1,6});")
_BREAK = re.compile(r"<br[ \t]*/?>\n?", re.IGNORECASE)
_TAG = re.compile(
    r"</?(?:pre|code|span|div|p|samp|tt|td|tr|table|tbody)(?:[ \t][^<>\n]{0,200})?>", re.IGNORECASE
)


def html_text(text: str) -> list[str]:
    """Decode HTML: remove tags and replace entities."""
    if not (_ENTITY.search(text) or _TAG.search(text) or _BREAK.search(text)):
        return []
    bare = _TAG.sub("", _BREAK.sub("\n", text))
    if _ENTITY.search(text) and re.search(r"&(?!\w{1,10};|#\w{1,8};)", bare):
        return []  # an ampersand that is not an entity: the text is not escaped consistently
    return [html.unescape(bare)]


def percent_text(text: str) -> list[str]:
    """Decode percent encoding: no blanks, but %20 or +."""
    bare = text.strip()
    if "%0A" not in bare.upper() or any(char.isspace() for char in bare):
        return []
    return [unquote(bare.replace("+", " ") if "%20" not in bare else bare)]


# Marks around the code.

_QUOTES = ("'''", '"""', "```", "'", '"', "`")
_PAIRS = (
    *((f"[{name}]", f"[{end}]") for name, end in (("BEGIN", "DONE"), ("BEGIN", "END"), ("BEGIN", "/BEGIN"))),
    *(
        (f"[{name}]", f"[/{name}]")
        for name in ("PYTHON", "CODE", "ANSWER", "SOLUTION", "ANS", "code", "python")
    ),
    ("<![CDATA[", "]]>"),
    ("{code:python}", "{code}"),
    ("{code}", "{code}"),
    ("{{{", "}}}"),
    ("'''", "'''"),  # of TOML, where a backslash is one
)
_XML = re.compile(r"<([A-Za-z_][\w.:-]{0,40})(?:[= ][^<>\n]{0,200})?>")
_BLOCK = re.compile(r"^[ \t]*#\+begin_src\b[^\n]*\n", re.MULTILINE | re.IGNORECASE)
_LISTING = re.compile(r"\\begin\{(minted|lstlisting|verbatim)\}[^\n]*\n")


def quoted_text(text: str) -> list[str]:
    """Remove one pair of quotes around a text with real line ends."""
    bare = text.strip()
    for quote in _QUOTES:
        if len(bare) > 2 * len(quote) and bare.startswith(quote) and bare.endswith(quote):
            return [bare[len(quote) : -len(quote)]]
    return []


def between_marks(text: str) -> list[str]:
    """Return texts between an opening mark and the next closing mark of its kind."""
    found = [inner for first, last in _PAIRS for inner in _between(text, first, last)]
    for opening in (_BLOCK, _LISTING):
        start = opening.search(text)
        closing = "#+end_src" if start is None or opening is _BLOCK else f"\\end{{{start[1]}}}"
        if start and (end := text.lower().find(closing, start.end())) >= 0:
            found.append(text[start.end() : end])
    return found


def _between(text: str, first: str, last: str) -> Iterator[str]:
    at = 0
    while (start := text.find(first, at)) >= 0:
        start += len(first)
        if (end := text.find(last, start)) < 0:
            return
        yield text[start:end]
        at = end + len(last)


def xml_elements(text: str) -> list[str]:
    """Return contents of outermost elements such as `<answer>` or `<parameter=code>`."""
    found: list[str] = []
    at = 0
    missing: set[str] = set()
    while len(missing) < DOCUMENTS and (start := _XML.search(text, at)):
        at = start.end()
        if start[1] in missing:
            continue
        end = text.find(f"</{start[1]}>", at)
        if end < 0:
            missing.add(start[1])
            continue
        found.append(text[at:end])
        at = end
    return found


_HERE = re.compile(r"<<-?[ \t]*(['\"]?)([A-Za-z_]\w{0,40})\1[^\n]{0,200}\n")


def here_document(text: str) -> list[str]:
    """Return here-documents of shell commands, as in `cat > f.py <<EOF`."""
    found = []
    for start in list(_HERE.finditer(text))[:DOCUMENTS]:
        end = re.compile(rf"^[ \t]*{start[2]}[ \t]*$", re.MULTILINE).search(text, start.end())
        if end:
            found.append(text[start.end() : end.start()])
    return found


_SCALAR = re.compile(r"^([ \t]*)(?:- )?[\w\"'. -]{1,60}:[ \t]*[|>][-+0-9]{0,2}[ \t]*$")


def block_scalars(text: str) -> list[str]:
    """Return block scalars of YAML: the indented lines below `name: |`."""
    if "|" not in text and ">" not in text:
        return []
    found: list[str] = []
    lines, at = text.split("\n"), 0
    while at < len(lines) and len(found) < DOCUMENTS:
        head = _SCALAR.match(lines[at])
        at += 1
        if head is None:
            continue
        start = at
        while at < len(lines) and (not lines[at].strip() or len(_blanks(lines[at])) > len(head[1])):
            at += 1
        found.append(dedent("\n".join(lines[start:at])))
    return found


# Marks on each line.

_NUMBER = re.compile(
    r"[ \t]*(?:[Ll](?:ine[ \t]+)?)?[\[(]?(\d{1,6})([\])]?[:.|\u2502\u2192>-]|[ \t][|\u2502\u2192:]|[\])]?)"
)
_PROMPT = re.compile(r"(?:>>>|In ?\[\d*\]:)(?: |$)")
_GOES_ON = re.compile(r"(?:\.\.\.|[ ]*\.\.\.:)(?: |$)")
_HUNK = re.compile(r"^(?:@@|diff |\+\+\+ |--- |\*\*\* )", re.MULTILINE)
_DIFF_HEAD = ("+++", "---", "@@", "diff ", "index ", "new file", "*** ", "\\ No newline")
_CELL = re.compile(r"^[ \t]*\|(.*)\|[ \t]*$", re.DOTALL)


def numbered_lines(text: str) -> list[str]:
    """Return the longest run of consecutively numbered lines, without the numbers."""
    best: list[str] = []
    run: list[str] = []
    last, style = -1, ""
    for line in text.split("\n"):
        found = _NUMBER.match(line)
        if found and run and int(found[1]) == last + 1 and found[2].strip() == style:
            run.append(line[found.end() :])
            last += 1
        elif found:
            run, last, style = [line[found.end() :]], int(found[1]), found[2].strip()
        elif line.strip():
            run = []
        if len(run) > len(best):
            best = run
    return [dedent("\n".join(best))] if len(best) > 1 else []


def quoted_lines(text: str) -> list[str]:
    """Return lines quoted with `>`, if all lines of code are quoted."""
    lines = [line.lstrip() for line in text.split("\n")]
    marked = [line for line in lines if line.startswith(">") and not line.startswith(">>>")]
    if len(marked) < 2:
        return []
    return [dedent("\n".join(line[1:] for line in marked))]


def barred_lines(text: str) -> list[str]:
    """Return lines after a bar, as in a box or a table cell, and perhaps before another bar."""
    lines = [line for line in text.strip("\n").split("\n") if line.strip()]
    bars = "|\u2502\u2503"
    with_bars = [line.strip() for line in lines if line.strip()[0] in bars]
    if len(with_bars) < 2 or len(with_bars) < len(lines) - 3:
        return _cell(text)
    closed = all(line[-1] in bars for line in with_bars)
    inner = (line[1:-1].rstrip() if closed else line[1:] for line in with_bars)
    return [dedent("\n".join(inner))]


def _cell(text: str) -> list[str]:
    """Return the contents of rows with a single cell."""
    found = _CELL.match(text.strip("\n"))
    return [found[1].strip()] if found else []


def table_cells(text: str) -> list[str]:
    """Return cells with `<br>` line breaks: between backticks, or the only one of a row."""
    rows = [row.strip() for row in text.split("\n") if "<br" in row.lower() and row.lstrip().startswith("|")]
    marked = [cell for row in rows for cell in row.split("`")[1::2]]
    single = [row.strip("|").strip() for row in rows if "`" not in row and "|" not in row.strip("|")]
    return [cell for cell in (*marked, *single) if "<br" in cell.lower()]


def added_lines(text: str) -> list[str]:
    """Return the new side of a diff: added and unchanged lines."""
    lines = text.split("\n")
    if not _HUNK.search(text) and not all(line.startswith("+") for line in lines if line.strip()):
        return []
    new = [
        line[1:] for line in lines if not line.startswith(_DIFF_HEAD) and (line[:1] in ("+", " ") or not line)
    ]
    return ["\n".join(new)] if any(line.startswith("+") for line in lines) else []


def session_input(text: str) -> list[str]:
    """Return the input of a recorded Python or IPython session."""
    typed, inside = [], False
    for line in text.split("\n"):
        bare = line.lstrip()
        if found := _PROMPT.match(bare):
            inside = True
            typed.append(bare[found.end() :])
        elif inside and (found := _GOES_ON.match(line) or _GOES_ON.match(bare)):
            typed.append((line if _GOES_ON.match(line) else bare)[found.end() :])
        else:
            inside = False
    return ["\n".join(typed)] if typed else []


def class_in_prose(text: str) -> list[str]:
    """Return a class below prose, from its first line."""
    found = re.search(r"^(?:import[ \t]|from[ \t]|class[ \t]+\w)", text, re.MULTILINE)
    return [text[found.start() :]] if found and found.start() > 0 and "class" in text else []


def _blanks(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


RULES: dict[str, Rule] = {
    "blanks": unicode_blanks,
    "json": json_strings,
    "python-string": python_strings,
    "session": session_input,
    "here-document": here_document,
    "diff": added_lines,
    "table-cell": table_cells,
    "html": html_text,
    "xml": xml_elements,
    "marks": between_marks,
    "quotes": quoted_text,
    "line-numbers": numbered_lines,
    "quoted-lines": quoted_lines,
    "bars": barred_lines,
    "yaml": block_scalars,
    "escaped-lines": escaped_lines,
    "percent": percent_text,
    "prose": class_in_prose,
}
