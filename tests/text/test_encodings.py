"""Code in a wrapping: a named rule undoes each wrapping, and nothing else changes."""

from __future__ import annotations

import ast
import html
import json
from collections.abc import Callable
from urllib.parse import quote

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from benchwright.text.extract import extract
from kit.examples import examples

PROMPT = 'import math\n\n\ndef f(x):\n    """Doc."""\n'
CODE = "def f(x):\n    y = [\n        x,\n    ]\n\n    if x < 0 and 1:\n        return 'a\\n'\n    return y"
Wrap = Callable[[str], str]


def each_line(form: str) -> Wrap:
    """Return a wrapping that writes each line in a form, with its number from 1."""
    return lambda code: "\n".join(form.format(at, line) for at, line in enumerate(code.split("\n"), 1))


def _session(first: str, more: str) -> Wrap:
    def wrap(code: str) -> str:
        lines = [f"{more if at else first}{line}" for at, line in enumerate(code.split("\n"))]
        return "\n".join([*lines, more.rstrip(), f"{first}2 + 2", "4", ""])

    return wrap


def _notebook(code: str) -> str:
    cells = [
        {"cell_type": "markdown", "source": ["# Title\n", "words"]},
        {"cell_type": "code", "source": ["%matplotlib inline\n", "import os"]},
        {"cell_type": "code", "source": code.splitlines(keepends=True)},
    ]
    return json.dumps({"cells": cells, "nbformat": 4})


def _tool_call(code: str) -> str:
    call = {"name": "python", "arguments": json.dumps({"code": code})}
    return json.dumps({"tool_calls": [{"type": "function", "function": call}]})


WRAPPINGS: dict[str, Wrap] = {
    "no-break spaces": lambda code: code.replace(" ", "\u00a0"),
    "ideographic spaces": lambda code: "\n".join(
        "\u3000" * (len(line) - len(line.lstrip())) + line.lstrip() for line in code.split("\n")
    ),
    "thin and zero-width": lambda code: "\u200b" + code.replace("    ", "\u2009\u2009\u200b\u2009\u2009"),
    "begin, done, quoted": "[BEGIN]\n '{}' \n[DONE]\n".format,
    "begin, done, double quotes": '[BEGIN]\n"{}"\n[DONE]'.format,
    "begin, done, triple quotes": '[BEGIN]\n"""{}"""\n[DONE]'.format,
    "begin, done, backticks": "[BEGIN] `{}` [DONE]".format,
    "quotes": "'{}'".format,
    "python tags": "[PYTHON]\n{}\n[/PYTHON]".format,
    "element": "<code>\n{}\n</code>".format,
    "answer element, words": "Here it is.\n<answer>\n{}\n</answer>\nThat is it.".format,
    "parameter": "<function=run>\n<parameter=code>\n{}\n</parameter>\n</function>".format,
    "cdata": "<reply><source><![CDATA[{}]]></source></reply>".format,
    "html": lambda code: f"<pre><code>{html.escape(code)}</code></pre>",
    "html entities": html.escape,
    "numbers": each_line("{:3} {}"),
    "numbers, colon": each_line("{}: {}"),
    "numbers, bar": each_line("{}| {}"),
    "numbers, spaced bar": each_line("{:>4} | {}"),
    "numbers, dot": each_line(" {}. {}"),
    "numbers, tab": each_line("{:6}\t{}"),
    "numbers, arrow": each_line("{:6}\u2192{}"),
    "numbers, bracket": each_line("[{}] {}"),
    "numbers in a fence": lambda code: f"So:\n```python\n{each_line('{:2} {}')(code)}\n```\n",
    "quoted lines": each_line("> {1}"),
    "quoted lines and words": lambda code: "You wrote:\n\n" + each_line("> {1}")(code) + "\n\nYes.",
    "bars": each_line("\u2502 {1}"),
    "closed bars": each_line("| {1:40} |"),
    "json": lambda code: json.dumps({"code": code}),
    "json string": json.dumps,
    "json in a fence": lambda code: f"```json\n{json.dumps({'answer': code, 'why': 'So.'}, indent=2)}\n```",
    "json of lines": lambda code: json.dumps({"lines": code.split("\n")}),
    "json and words": lambda code: f"Here:\n{json.dumps({'language': 'python', 'code': code})}\nDone.",
    "json with a fence": lambda code: json.dumps({"content": f"Sure:\n```python\n{code}\n```"}),
    "tool call": _tool_call,
    "notebook": _notebook,
    "python string": repr,
    "python assignment": "code = {!r}".format,
    "python dict": lambda code: repr({"code": code}),
    "python call": lambda code: f"```python\nexecute({code!r})\n```",
    "session": _session(">>> ", "... "),
    "indented session": lambda code: "".join(
        f"    {line}\n" for line in _session(">>> ", "... ")(code).split("\n")
    ),
    "notebook session": _session("In [1]: ", "   ...: "),
    "session in a fence": lambda code: f"```pycon\n{_session('>>> ', '... ')(code)}\n```",
    "here document": "cat > f.py <<'EOF'\n{}\nEOF\npython f.py\n".format,
    "here document in a fence": "```bash\ncat << END > f.py\n{}\nEND\n```".format,
    "diff": lambda code: "--- a/f.py\n+++ b/f.py\n@@ -0,0 +1,9 @@\n" + each_line("+{1}")(code),
    "diff in a fence": lambda code: (
        "```diff\n@@ -1 +1 @@\n-def f(x): ...\n" + each_line("+{1}")(code) + "\n```"
    ),
    "patch": lambda code: f"*** Begin Patch\n*** Add File: f.py\n{each_line('+{1}')(code)}\n*** End Patch",
    "escaped lines": lambda code: json.dumps(code)[1:-1],
    "escaped lines in a fence": lambda code: f"```python\n{json.dumps(code)[1:-1]}\n```",
    "yaml": lambda code: "name: f\ncode: |\n" + each_line("  {1}")(code) + "\nlanguage: python\n",
    "table cell": lambda code: f"| code |\n|---|\n| `{code.replace(chr(10), '<br>')}` |",
    "address": quote,
    "toml": "title = \"f\"\ncode = '''\n{}\n'''\n".format,
    "org": "#+BEGIN_SRC python\n{}\n#+END_SRC\n".format,
    "listing": "\\begin{{lstlisting}}[language=Python]\n{}\n\\end{{lstlisting}}".format,
    "wiki": "{{code:python}}\n{}\n{{code}}".replace("{{", "{").replace("}}", "}").replace("{}", "%s").__mod__,
}


def _tree(program: str) -> list[str]:
    """Return the definitions of the entry point, and the code below them."""
    body = ast.parse(program).body
    return [ast.dump(item) for item in body if getattr(item, "name", "") == "f"]


def test_each_wrapping_is_undone() -> None:
    """The program inside is found unchanged."""
    for name, wrap in WRAPPINGS.items():
        found = extract(wrap(CODE), prompt=PROMPT, entry_point="f")

        assert found.problem is None, (name, found.detail)
        assert _tree(found.program) == _tree(CODE), name


LINES = st.sampled_from(
    ["y = x + 1", "if x < 2:\n    y = '<a & b>'", "y = 'a\\nb'", "y = [\n    x,\n    1\n]", "if x:\n    return x", "while x:\n    return -x",
     "y = \"it's\"", "for y in x:\n    pass", "", "z = '>>> 1'", "y = 1  # 2: so", "y = x | 2", "if x:\n    raise ValueError"]
)  # fmt: skip
PROGRAMS = st.lists(LINES, min_size=1, max_size=5).map(
    lambda parts: "def f(x):\n" + "\n".join("    " + line if line else "" for part in parts for line in part.split("\n"))
    + "\n    return 7"
)  # fmt: skip


@settings(deadline=None, max_examples=examples(200))
@given(code=PROGRAMS, name=st.sampled_from(sorted(WRAPPINGS)))
def test_no_wrapping_changes_a_program(code: str, name: str) -> None:
    """A wrong program is the same program in any wrapping, or none is found."""
    found = extract(WRAPPINGS[name](code), prompt=PROMPT, entry_point="f")

    assert found.problem is not None or _tree(found.program) == _tree(code)


@settings(deadline=None, max_examples=examples(100))
@given(code=PROGRAMS, name=st.sampled_from(sorted(WRAPPINGS)), outer=st.sampled_from(sorted(WRAPPINGS)))
def test_no_two_wrappings_change_a_program(code: str, name: str, outer: str) -> None:
    """This also holds for a wrapping inside another one, but not for a number before a single line of JSON.

    With a bar between them, they are an expression of Python.
    """
    wrapped = WRAPPINGS[name](code)
    assume("\n" in wrapped or not outer.startswith("numbers"))
    found = extract(WRAPPINGS[outer](wrapped), prompt=PROMPT, entry_point="f")

    assert found.problem is not None or _tree(found.program) == _tree(code)


def test_blanks_in_quotes_are_replaced_only_with_all_others() -> None:
    """A no-break space in quotes is part of the program if the line has other spaces between words."""
    kept = "def f(x):\n\u00a0\u00a0\u00a0\u00a0return\u00a0x.replace('\u00a0', '-') + 'a'"
    lost = "def f(x):\n\u00a0\u00a0\u00a0\u00a0return\u00a0x\u00a0+\u00a0'a\u00a0b'"
    programs = [extract(raw, prompt=PROMPT, entry_point="f").program for raw in (kept, lost)]

    assert "x.replace('\u00a0', '-')" in programs[0]
    assert "x + 'a b'" in programs[1]


BROKEN = "def f(x):\n    return (x"


def test_what_is_broken_stays_broken() -> None:
    """No rule repairs a program."""
    for name, wrap in WRAPPINGS.items():
        found = extract(wrap(BROKEN), prompt=PROMPT, entry_point="f")

        assert found.problem is not None or "(x')" in found.program, name  # the call that contains it


TWO = "def f(x):\n    return 1", "def f(x):\n    return 2"


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"draft": TWO[0], "code": TWO[1]}),
        json.dumps([*TWO, {"a": 1}]),
        f"codes = [{TWO[0]!r}, {TWO[1]!r}]",
        "class A:\n    def f(self, x):\n        return 1\n\n\nclass B:\n    def f(self, x):\n        return 2\n",
        f"x: |\n  {TWO[0].replace(chr(10), chr(10) + '  ')}\ny: |\n  {TWO[1].replace(chr(10), chr(10) + '  ')}\n",
    ],
)
def test_of_two_programs_none_is_taken(text: str) -> None:
    """No rule decides which of them was meant."""
    found = extract(text, prompt=PROMPT, entry_point="f")

    assert found.problem is not None or ("return 1" in found.program and "return 2" in found.program)
