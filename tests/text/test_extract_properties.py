"""Properties of `extract` for any text."""

from __future__ import annotations

import ast

from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.text.extract import extract
from benchwright.text.syntax import ParseFault, bound_names, parse_program
from kit.examples import examples

PROMPT = 'import math\n\n\ndef f(x: int) -> int:\n    """Return more."""\n'
PIECES = st.sampled_from(
    [
        "def f(x):\n", "    return x\n", "return x\n", "def g(x):\n    return x\n", "class C:\n    pass\n",
        "import math\n", "f = g\n", "x = (\n", ")\n", "```\n", "```python\n", "~~~\n", "   ```py\n",
        "<think>", "</think>\n", "<thinking>\n", "Here's it:\n", "Done\n", "\n", "    ", "\t", "if x:\n",
        "else:\n", '"""', "'''", "'", "\\", "#", "\0", "\ud800", "\r\n", "\r", "\ufeff", "\x0c", "f(1)\n",
        "async ", "@f\n", "yield x\n", "<|im_end|>", "<|channel|>", "analysis", "assistantfinal", PROMPT,
        "from __future__ import annotations\n", "lambda: ", "f: int\n", "print(f(1))\n", "    '\\d'\n",
    ]
)  # fmt: skip
TEXTS = st.one_of(st.lists(PIECES, max_size=14).map("".join), st.text(max_size=200))
PROMPTS = st.sampled_from([PROMPT, PROMPT.rstrip(), "def f(x):\n", "", "x = 1\n", "текст"]) | TEXTS


@settings(deadline=None, max_examples=examples(60))
@given(raw=TEXTS, prompt=PROMPTS)
def test_never_raises_and_a_program_is_a_program(raw: str, prompt: str) -> None:
    """The program parses and binds the entry point, or there is a problem with a reason."""
    found = extract(raw, prompt=prompt, entry_point="f")
    tree = parse_program(found.program)

    assert found.program.encode().decode() == found.program
    if found.problem is None:
        assert not isinstance(tree, ParseFault)
        assert "f" in bound_names(tree.body)
    else:
        assert found.problem in {"no_code", "syntax_error", "no_entry_point"}
        assert found.detail != ""


@settings(deadline=None)
@given(raw=TEXTS)
def test_same_answer_same_program(raw: str) -> None:
    """The result depends on the arguments only."""
    assert extract(raw, prompt=PROMPT, entry_point="f") == extract(raw, prompt=PROMPT, entry_point="f")


@settings(deadline=None)
@given(raw=TEXTS)
def test_line_ends_do_not_matter(raw: str) -> None:
    """CRLF and LF give the same verdict."""
    plain = raw.replace("\r\n", "\n").replace("\r", "\n")

    assert extract(plain.replace("\n", "\r\n"), prompt=PROMPT, entry_point="f") == extract(
        plain, prompt=PROMPT, entry_point="f"
    )


NAMES = st.sampled_from(["a", "b", "x"])
BODIES = st.lists(
    st.one_of(
        st.builds("{0} = {1} + 1".format, NAMES, NAMES),
        st.builds("if {0}:\n    {1} = 2\nelse:\n    return {0}".format, NAMES, NAMES),
        st.builds("for {0} in range({1}):\n    {1} += {0}".format, NAMES, NAMES),
        st.builds('{0} = """\n  {1}\n"""'.format, NAMES, NAMES),
        st.builds("def {0}({1}):\n    return {1}".format, NAMES, NAMES),
    ),
    max_size=5,
).map(lambda items: "\n".join([*items, "return x"]))


@settings(deadline=None)
@given(body=BODIES, form=st.integers(0, 4))
def test_a_body_means_the_same_in_every_form(body: str, form: int) -> None:
    """Indentation, fences and the function's head do not change the statements of the body."""
    lines = body.split("\n")
    inside = _string_lines(body)
    indented = "\n".join(line if at in inside else "    " + line for at, line in enumerate(lines))
    raw = [
        body,
        indented,
        f"def f(x):\n{indented}",
        f"Here's it:\n```\n{indented}\n```\n",
        f"<think>no</think>```python\nimport os\ndef f(x):\n{indented}\n```",
    ][form]
    found = extract(raw, prompt=PROMPT, entry_point="f")
    items = next(item for item in ast.parse(found.program).body if getattr(item, "name", "") == "f").body

    assert found.problem is None
    assert [ast.dump(item) for item in items][-len(ast.parse(body).body) :] == [
        ast.dump(item) for item in ast.parse(body).body
    ]


def _string_lines(body: str) -> set[int]:
    """Return indexes of the lines inside the three-line strings above."""
    starts = [at for at, line in enumerate(body.split("\n")) if line.endswith('= """')]
    return {at + step for at in starts for step in (1, 2)}
