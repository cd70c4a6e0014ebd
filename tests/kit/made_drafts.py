"""Small drafts written for the tests: sound ones in six domains, and one for each reason for refusal."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent, indent
from typing import Any

import msgspec

from benchwright.building.aicodereval.draft_records import Draft
from benchwright.contracts.specs import CallCase, CaseInput, CaseLevel, ExpectedResult
from benchwright.tracks.aicodereval.entry import BenchmarkEntry, Domain

NORMAL, EDGE, RIGHT = CaseLevel.normal, CaseLevel.edge_case, CaseLevel.correctness


def case(name: str, level: CaseLevel, args: list[Any], **expected: Any) -> CallCase:
    """Return a case of one call."""
    return CallCase(name=name, level=level, input=CaseInput(args=args), expected=ExpectedResult(**expected))


def draft(
    task_id: str,
    signature: str,
    body: str,
    cases: list[CallCase],
    *,
    about: str = "",
    doc: str = "",
    domain: Domain = Domain.nlp,
    imports: tuple[str, ...] = (),
    **more: Any,
) -> Draft:
    """Return a draft; its docstring names the exceptions of its cases unless `doc` is given."""
    raised = sorted({each.expected.raises for each in cases} - {""})
    entry = BenchmarkEntry(
        task_id=task_id,
        domain=domain,
        description=about or f"Write {task_id} as its docstring says.",
        signature=signature,
        docstring=doc or f"Do {task_id}. Raises: {', '.join(raised) or 'nothing'}",
        implementation=indent(dedent(body).strip("\n"), "    "),
        imports=list(imports),
        cases=cases,
        **{name: more.pop(name) for name in ("environment", "libraries", "model", "weights") if name in more},
    )
    return Draft(entry=entry, **{"licence": "MIT", "lineage": {"source": f"made:{task_id}"}, **more})


def _word_counts() -> Draft:
    return draft(
        "word-counts",
        "def word_counts(text: str) -> dict[str, int]:",
        """
        if not text.strip():
            raise ValueError("there is no text")
        counts = {}
        for word in text.lower().split():
            counts[word] = counts.get(word, 0) + 1
        return counts
        """,
        [
            case("two", NORMAL, ["a b a"], value={"a": 2, "b": 1}),
            case("empty", EDGE, ["  "], raises="ValueError"),
            case("capitals", RIGHT, ["To be or not to BE"], value={"to": 2, "be": 2, "or": 1, "not": 1}),
            case("one", RIGHT, ["x"], value={"x": 1}),
        ],
        about="Count how often each word stands in a text, in small letters.",
        wrong={"keeps_capitals": _WRONG_COUNTS},
    )


_WRONG_COUNTS = """
def word_counts(text):
    if not text.strip():
        raise ValueError("there is no text")
    words = text.split()
    return {word: words.count(word) for word in words}
"""


def _zero_crossings() -> Draft:
    return draft(
        "zero-crossings",
        "def zero_crossings(samples: list[float]) -> int:",
        """
        if not samples:
            raise ValueError("there are no samples")
        signs = [each > 0 for each in samples if each]
        return sum(one != other for one, other in zip(signs, signs[1:]))
        """,
        [
            case("once", NORMAL, [[1.0, -1.0]], value=1),
            case("silence", EDGE, [[0.0, 0.0]], value=0),
            case("nothing", EDGE, [[]], raises="ValueError"),
            case("through_zero", RIGHT, [[0.5, 0.0, -0.5, -0.25, 0.0, 2.0]], value=2),
            case("one_side", RIGHT, [[3.0, 1.0, 0.0, 2.0]], value=0),
        ],
        about="Count how often an audio signal changes its sign; zeros are left out.",
        domain=Domain.audio,
    )


def _grey_levels() -> Draft:
    return draft(
        "grey-levels",
        "def grey_levels(pixels: list[list[int]], count: int) -> list[list[int]]:",
        """
        if count < 2:
            raise ValueError("two levels at least")
        step = 256 / count
        return [[int(value // step) for value in row] for row in pixels]
        """,
        [
            case("halves", NORMAL, [[[0, 255], [127, 128]], 2], value=[[0, 1], [0, 1]]),
            case("one_level", EDGE, [[[1]], 1], raises="ValueError"),
            case("no_pixels", EDGE, [[], 2], value=[]),
            case(
                "quarters",
                RIGHT,
                [[[0, 63, 64, 127], [128, 191, 192, 255]], 4],
                value=[[0, 0, 1, 1], [2, 2, 3, 3]],
            ),
            case("three", RIGHT, [[[85, 86, 170, 171]], 3], value=[[0, 1, 1, 2]]),
        ],
        about="Quantise the grey values of an image, 0 to 255, to a number of levels of equal width.",
        domain=Domain.cv,
    )


def _column_means() -> Draft:
    return draft(
        "column-means",
        "def column_means(rows: list[list[float | None]]) -> list[float]:",
        """
        means = []
        for column in zip(*rows, strict=True):
            there = [value for value in column if value is not None]
            if not there:
                raise ValueError("a column has no value")
            means.append(sum(there) / len(there))
        return means
        """,
        [
            case("plain", NORMAL, [[[1.0, 2.0], [3.0, 6.0]]], value=[2.0, 4.0], rel_tol=1e-9),
            case("no_value", EDGE, [[[None], [None]]], raises="ValueError"),
            case("uneven", EDGE, [[[1.0, 2.0], [1.0]]], raises="ValueError"),
            case("missing", RIGHT, [[[1.0, None], [2.0, 5.0], [None, 6.0]]], value=[1.5, 5.5], rel_tol=1e-9),
            case("zero_counts", RIGHT, [[[0.0], [4.0]]], value=[2.0], rel_tol=1e-9),
        ],
        about="Compute the mean of each column of a table, without the missing values.",
        domain=Domain.tabular,
    )


def _greedy_action() -> Draft:
    return draft(
        "greedy-action",
        "def greedy_action(values: dict[str, float], allowed: list[str]) -> str:",
        """
        known = [name for name in allowed if name in values]
        if not known:
            raise LookupError("no allowed action has a value")
        return max(known, key=lambda name: values[name])
        """,
        [
            case("best", NORMAL, [{"left": 0.5, "right": 1.5}, ["left", "right"]], value="right"),
            case("nothing_allowed", EDGE, [{"left": 1.0}, []], raises="LookupError"),
            case("unknown", EDGE, [{"left": 1.0}, ["up"]], raises="LookupError"),
            case("forbidden_best", RIGHT, [{"a": 9.0, "b": -1.0, "c": -2.0}, ["c", "b"]], value="b"),
            case("first_of_equals", RIGHT, [{"a": 1.0, "b": 1.0}, ["b", "a"]], value="b"),
        ],
        about="Choose the allowed action of the greatest value; of equal ones the one that is allowed first.",
        domain=Domain.rl,
    )


def _confusion() -> Draft:
    return draft(
        "confusion",
        "def confusion(expected: list[str], given: list[str]) -> dict[str, dict[str, int]]:",
        """
        if len(expected) != len(given):
            raise ValueError("as many of both are needed")
        names = sorted({*expected, *given})
        table = {name: {other: 0 for other in names} for name in names}
        for one, other in zip(expected, given):
            table[one][other] += 1
        return table
        """,
        [
            case(
                "two", NORMAL, [["a", "b"], ["a", "a"]], value={"a": {"a": 1, "b": 0}, "b": {"a": 1, "b": 0}}
            ),
            case("uneven", EDGE, [["a"], []], raises="ValueError"),
            case("nothing", EDGE, [[], []], value={}),
            case(
                "twice", RIGHT, [["x", "x"], ["y", "y"]], value={"x": {"x": 0, "y": 2}, "y": {"x": 0, "y": 0}}
            ),
        ],
        about="Count for each label how often each label was given in its place.",
        domain=Domain.classification,
    )


def sound() -> list[Draft]:
    """Return drafts in six domains that every gate keeps."""
    return [
        _word_counts(),
        _zero_crossings(),
        _grey_levels(),
        _column_means(),
        _greedy_action(),
        _confusion(),
    ]


_THREE = [
    case("small", NORMAL, [[3, 1]], value=3),
    case("nothing", EDGE, [[]], raises="LookupError"),
    case("last", RIGHT, [[1, 5, 9]], value=9),
]


def _largest(task_id: str, body: str, cases: list[CallCase] | None = None, **more: Any) -> Draft:
    """Return a variation of one task, the largest number of a list, with a flaw."""
    about = f"Find the largest number of a list, as {task_id} does."
    if body.endswith(_PLAIN):  # a different solution, otherwise it would be a clone of the others
        body = body.replace(
            "max(values)", f"max(values, key=lambda value: (value, {sum(map(ord, task_id))}))"
        )
    return draft(
        task_id, f"def {task_id}(values: list[int]) -> int:", body, cases or _THREE, about=about, **more
    )


_PLAIN = """
if not values:
    raise LookupError("there are no values")
return max(values)
"""


_NAME = "return max(values) if values else 'ValueError'"


def refused_for_form() -> dict[str, Draft]:
    """Return drafts that become no entry, by reason code."""
    named = [*_THREE[:1], case("nothing", EDGE, [[]], value="ValueError"), _THREE[2]]
    halves = [case("half", NORMAL, [[1, 2]], value=0.5), *_THREE[1:]]
    return {
        "bad_task_id": _largest("a", _PLAIN).__class__(entry=_renamed("../up"), licence="MIT"),
        "no_cases": draft("untested", "def f(x):", "return x", []),
        "bad_signature": draft("colonless", "def f(x) -> int", "return x", _THREE),
        "bad_implementation": _largest("torn", "return max(values"),
        "further_syntax": _largest("torn_too", _PLAIN, alternatives=["def f(:"]),
        "licence_unknown": _largest("nobodys", _PLAIN, licence=""),
        "licence_not_allowed": _largest("theirs", _PLAIN, licence="CC-BY-NC-4.0"),
        "forbidden_call": _largest("shelling", "import os\nos.system('ls')\nreturn max(values)"),
        "secret": _largest("leaking", f"key = {'AKIA' + 'IOSFODNN7EXAMPLQ'!r}\nreturn max(values)"),
        "environment_unknown": _largest("elsewhere", _PLAIN, environment="atari"),
        "expected_unclear": _largest(
            "two_ways", _PLAIN, [case("both", NORMAL, [[]], value=1, raises="ValueError")]
        ),
        "exception_name_expected": _largest("named", _NAME, named),
        "float_equality": _largest("halved", _PLAIN, halves),
    }


def _renamed(task_id: str) -> BenchmarkEntry:
    return msgspec.structs.replace(_word_counts().entry, task_id=task_id)


def uncertified() -> dict[str, Draft]:
    """Return drafts that are not certified, by reason code."""
    told = '"""Example: told([3, 1]) gives 3. Raises LookupError."""'.strip('"')
    return {
        "level_missing": _largest("unlevelled", _PLAIN, _THREE[:2]),
        "swallowed_exception": _largest(
            "quiet", "try:\n    return max(values)\nexcept Exception:\n    return 0"
        ),
        "graded_assertion_in_prompt": _largest("told", _PLAIN, doc=told),
        "exception_unnamed": _largest("unsaid", _PLAIN, doc="The largest of them."),
        "needless_mock": _largest("mocked", _PLAIN, imports=("from unittest import mock",)),
        "network_used": _largest("calling", _PLAIN, imports=("import socket",)),
        "address_in_code": _largest("addressed", f"values.__contains__('https://example.org/x'){_PLAIN}"),
        "random_unseeded": _largest("drawn", f"random.shuffle(values){_PLAIN}", imports=("import random",)),
        "numpy_random_unseeded": _largest(
            "drawn_by_numpy",
            f"np.random.rand(){_PLAIN}",
            imports=("import numpy as np",),
            environment="numpy",
        ),
        "clock_read": _largest("timed", f"time.time(){_PLAIN}", imports=("import time",)),
    }


def flaky() -> dict[str, Draft]:
    """Return drafts whose solutions differ between executions, by reason code."""
    order = ["d", "b", "c", "a", "e"]  # the order of the set with a hash seed of 0
    cases = [
        case("five", NORMAL, [["a", "b", "c", "d", "e"]], value=order),
        case("nothing", EDGE, [[]], value=[]),
        case("one", RIGHT, [["x"]], value=["x"]),
    ]
    body = "return list({*words})"
    return {"flaky_set_order": draft("by-hash", "def by_hash(words: list[str]) -> list[str]:", body, cases)}


def beside() -> dict[str, Draft]:
    """Return drafts of the tiers that are neither certified nor refused, by tier."""
    partial = [_THREE[0], _THREE[1], case("last", RIGHT, [[1, 5, 9]], value=5)]
    return {
        "partial": _largest("half_right", _PLAIN, partial),
        "rejected": _largest("all_wrong", "return None"),
        "env-missing": _largest("elsewhere", _PLAIN, imports=("import torchvision",)),
    }


def narrow() -> Draft:
    """Return a draft whose tests refuse a correct alternative: they require an order of the list that the
    prompt leaves open."""
    cases = [
        case("two", NORMAL, [[1, 2, 2]], value=[1, 2]),
        case("nothing", EDGE, [[]], value=[]),
        case("three", RIGHT, [[5, 4, 5, 4]], value=[5, 4]),
    ]
    other = "def distinct(values):\n    return sorted(set(values), reverse=False)\n"
    about = "List the distinct numbers, in any order."
    return draft(
        "distinct", "def distinct(values: list[int]) -> list[int]:", "return list(dict.fromkeys(values))", cases,
        about=about, alternatives=[other],
    )  # fmt: skip


def constant() -> Draft:
    """Return a draft whose tests accept a constant."""
    cases = [
        case("yes", NORMAL, ["good"], value={"POSITIVE": 0.95}, rel_tol=0.01),
        case("short", EDGE, ["x"], value={"POSITIVE": 0.95}, rel_tol=0.01),
        case("right", RIGHT, ["fine"], value={"POSITIVE": 0.95}, rel_tol=0.01),
    ]
    body = "return {'POSITIVE': 0.95 if text else 0.5}"
    return draft("always-positive", "def feeling(text: str) -> dict[str, float]:", body, cases)


def write_drafts(path: Path, drafts: list[Draft]) -> Path:
    """Write a file of drafts."""
    path.write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in drafts))
    return path
