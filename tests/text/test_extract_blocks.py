"""The choice among fenced blocks, and the definitions taken from the others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.text.extract import MOST, answer_blocks, is_source, read_definitions, read_others
from benchwright.text.fences import Block
from benchwright.text.prompt_frame import frame_of

FRAME = frame_of("import re\n\n\ndef f(x):\n", "f")
GOOD = "def f(x):\n    return x"
OTHER = "def f(x):\n    return -x"
STUB = 'def f(x):\n    """Doc."""'
BROKEN = "def f(x):\n    return ("
LONG = GOOD + "\nIt is so."


def blocks(*contents: str, tag: str = "python") -> list[Block]:
    return [Block(tag=tag, content=content, closed=True) for content in contents]


CHOICES = {
    "one": ([GOOD], GOOD),
    "the last": ([OTHER, GOOD], GOOD),
    "not a broken one": ([GOOD, BROKEN], GOOD),
    "not a stub": ([GOOD, STUB], GOOD),
    "not one to cut": ([GOOD, OTHER + "\nIt is so."], GOOD),
    "a cut one rather than a stub": ([STUB, LONG], GOOD),
    "not an example": ([GOOD, "print(f(1))"], GOOD),
    "not the output": ([GOOD, "[1, 2]"], GOOD),
    "not another function": ([GOOD, "def g(x):\n    return x"], GOOD),
}


@pytest.mark.parametrize(("contents", "expected"), CHOICES.values(), ids=CHOICES)
def test_read_definitions(contents: list[str], expected: str) -> None:
    """The last block with a definition counts: whole before cut, cut before empty."""
    reading = read_definitions(blocks(*contents), FRAME)

    assert reading is not None
    assert reading.program == f"import re\n\n\n{expected}\n"


def test_read_definitions_without_one() -> None:
    """Without a definition nothing is read; the tag has no effect if there is one."""
    assert read_definitions(blocks("return x", BROKEN), FRAME) is None
    assert read_definitions(blocks(GOOD, tag="java"), FRAME) is not None


@pytest.mark.parametrize(
    ("contents", "shape"),
    [
        (["    return x"], "body"),
        (["return x"], "flat-body"),
        (["f = abs"], "module"),
        (["return x", "print(f(1))"], "flat-body"),
        (["return x", "import os"], "flat-body"),
    ],
)
def test_read_others(contents: list[str], shape: str) -> None:
    """A body or another binding is taken; blocks without an answer are skipped."""
    reading = read_others(blocks(*contents), FRAME)

    assert reading is not None
    assert (reading.shape, reading.problem) == (shape, None)


def test_read_others_only_in_python() -> None:
    """A body in a block of another language is ignored: `return x` is C as well."""
    assert read_others(blocks("return x", tag="c"), FRAME) is None


def test_only_the_last_blocks_are_tried() -> None:
    """A hostile text with thousands of blocks costs no more than a few."""
    assert read_definitions(blocks(GOOD, *[BROKEN] * MOST), FRAME) is None
    assert read_definitions(blocks(GOOD, *[BROKEN] * (MOST - 1)), FRAME) is not None


USES = "def f(x):\n    return g(x)"
NEEDS = {
    "function": ("def g(x):\n    return x", "def g(x):\n    return x"),
    "import": ("import os\nfrom a import g", "from a import g"),
    "assignment": ("g = abs", "g = abs"),
    "class": ("@d\nclass g:\n    pass", "@d\nclass g:\n    pass"),
    "the later of two": ("g = 1\ng = 2", "g = 2"),
    "a chain": ("h = 1\ndef g(x):\n    return h", "h = 1\n\ndef g(x):\n    return h"),
    "a star import": ("from a import *", "from a import *"),
    "not the rest": ("print(1)\ng = 1\nk = 2", "g = 1"),
}


@pytest.mark.parametrize(("source", "fetched"), NEEDS.values(), ids=NEEDS)
@pytest.mark.parametrize("order", [1, -1], ids=["above", "below"])
def test_what_is_missing_is_fetched(source: str, fetched: str, order: int) -> None:
    """Helpers come from blocks above and below, are put under the imports, and bring their own dependencies."""
    reading = read_definitions(blocks(*[source, USES][::order]), FRAME)

    assert reading is not None
    assert reading.program == f"import re\n{fetched}\n\n\n\n{USES}\n"
    assert reading.shape == "function+helpers"


NOT_NEEDED = {
    "bound already": ("x = 1", GOOD),
    "a builtin": ("sum = 1", "def f(x):\n    return sum(x)"),
    "an example": ("g = f(1)", USES),
    "an older version": ("def f(x):\n    return 0", USES),
    "broken": ("def g(:", USES),
    "from the prompt": ("import re", "def f(x):\n    return re.sub(x)"),
}


@pytest.mark.parametrize(("source", "code"), NOT_NEEDED.values(), ids=NOT_NEEDED)
def test_nothing_else_is_fetched(source: str, code: str) -> None:
    """Only names that the program reads and nothing binds."""
    reading = read_definitions(blocks(source, code), FRAME)

    assert reading is not None
    assert reading.program == f"import re\n\n\n{code}\n"


def test_a_body_gets_its_imports() -> None:
    """They are put below the prompt's own imports, above its head."""
    reading = read_others(blocks("import os", "return os.name"), FRAME)

    assert reading is not None
    assert reading.program == "import re\nimport os\n\n\n\ndef f(x):\n    return os.name\n"


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ("", True),
        ("py", True),
        ("python3", True),
        ("ipython", True),
        ("tool_code", True),
        ("pycon", False),
        ("sh", False),
        ("text", False),
        ("java", False),
    ],
)
def test_is_source(tag: str, expected: bool) -> None:
    """Python in any spelling, or no tag."""
    assert is_source(Block(tag=tag, content="", closed=True)) is expected


def test_markdown_stands_for_its_blocks() -> None:
    """An answer that is wrapped in Markdown is read as if it were not."""
    text = "````markdown\nSo:\n```python\na\n```\n````\n```sh\nb\n```\n"

    assert answer_blocks(text) == [*blocks("a"), *blocks("b", tag="sh")]


def fetched(source: str) -> str:
    """Return the program of a function that reads `a`, if another block has this source."""
    reading = read_definitions(blocks(source, "def f(x):\n    return a\n"), FRAME)
    assert reading is not None
    return reading.program


@given(st.lists(st.tuples(*[st.sampled_from("abcde")] * 3), min_size=1, max_size=12))
def test_helpers_are_chosen_as_by_walks_over_all(definitions: list[tuple[str, str, str]]) -> None:
    """The result equals that of the plain rule: walk from the last to the first, until a walk finds nothing
    more."""
    pool = [
        f"def {name}(): return {first} + {second} + '{at}'"
        for at, (name, first, second) in enumerate(definitions)
    ]
    missing, have, chosen = {"a"}, set[str](), set[int]()
    before = -1
    while len(chosen) > before:
        before = len(chosen)
        for at in range(len(pool) - 1, -1, -1):
            name, first, second = definitions[at]
            if at not in chosen and name in missing - have:
                chosen.add(at)
                have.add(name)
                missing |= {first, second}

    program = fetched("\n".join(pool))

    assert [line for line in program.split("\n") if line in pool] == [pool[at] for at in sorted(chosen)]


def test_a_line_with_several_helpers_is_there_once() -> None:
    """Not once for each of them: with 10,000 on one line that would be a gigabyte."""
    assert fetched("a = b; b = c; c = 1").count("a = b; b = c; c = 1") == 1
    assert fetched("a = [b,\n     1]; b = 2").count("1]; b = 2") == 1
