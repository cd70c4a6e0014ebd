"""Forty bad drafts by class of fault, written for the tests: none may be certified."""
# fmt: off

from __future__ import annotations

from typing import Any

from benchwright.building.aicodereval.draft_records import Draft
from benchwright.contracts import CallCase
from kit.made_drafts import EDGE, NORMAL, RIGHT, case, draft

SPREAD = [
    case("two", NORMAL, [[3, 10]], value=7),
    case("nothing", EDGE, [[]], raises="ValueError"),
    case("negative", RIGHT, [[-5, 2, 0]], value=7),
    case("unsorted", RIGHT, [[9, 1, 4]], value=8),
    case("one", RIGHT, [[4]], value=0),
]
GUARD = 'if not values:\n    raise ValueError("no values")\n'


def planted_bad() -> dict[str, Draft]:
    """Return them by `class: name`."""
    found = [*_contradictions(), *_unnamed(), *_leaks(), *_tables(), *_machine(), *_loose(), *_claims(), *_known()]
    return {f"{kind}: {each.unit}": each for kind, each in found}


def _spread(name: str, body: str, cases: list[CallCase] = SPREAD, *, doc: str = "", **more: Any) -> Draft:
    """Return a draft about a list of numbers."""
    doc = doc or "The greatest value minus the smallest. Raises ValueError without values."
    about = more.pop("about", f"Compute the {name.replace('_', ' ')} of a list of whole numbers.")
    return draft(name, f"def {name}(values: list[int]) -> int:", GUARD + body, cases, about=about, doc=doc, **more)


def _moved(by: int) -> list[CallCase]:
    return [
        case("two", NORMAL, [[3, 10]], value=7 + by),
        case("nothing", EDGE, [[]], raises="ValueError"),
        case("negative", RIGHT, [[-5, 2, 0]], value=7 + by),
        case("unsorted", RIGHT, [[9, 1, 4]], value=8 + by),
    ]


def _contradictions() -> list[tuple[str, Draft]]:
    solve = {"outcome": "failed", "program": "", "detail": "two: gave 7, expected 8"}
    zero = [case("empty", EDGE, [[]], value=0), *_moved(0)[:1], *_moved(0)[2:]]
    return [
        ("blind_solve", _spread("spread_off", "return max(values) - min(values) + 1", _moved(1),
                                lineage={"source": "made:1", "blind_solve": solve})),
        ("blind_solve", _spread("spread_late", "return max(values) - min(values) - 2", _moved(-2),
                                lineage={"source": "made:2", "blind_solve": {**solve, "outcome": "timed_out"}})),
        ("example_contradicted", _spread("spread_shown", "return max(values) - min(values) + 3", _moved(3),
                                         doc="Greatest minus smallest.\n\n>>> spread_shown([1, 6])\n5\n\n"
                                             "Raises ValueError without values.")),
        ("exception_ruled_out", _spread("spread_safe", "return 2 * (max(values) - min(values))",
                                        [case(c.name, c.level, c.input.args, value=2 * c.expected.value)
                                         if c.expected.value is not None else c for c in SPREAD],
                                        doc="Twice the greatest minus the smallest. It never raises an exception, "
                                            "whatever it is given.")),
        ("exception_ruled_out", _spread("spread_empty", "return 3 * (max(values) - min(values))",
                                        [case(c.name, c.level, c.input.args, value=3 * c.expected.value)
                                         if c.expected.value is not None else c for c in SPREAD],
                                        doc="Three times the greatest minus the smallest. An empty list returns 0. "
                                            "See ValueError.")),
        ("exception_ruled_out", draft(
            "spread_zero", "def spread_zero(values: list[int]) -> int:",
            "return max(values, default=0) - min(values, default=0)", zero,
            doc="Greatest minus smallest.\n\nRaises:\n    ValueError: if the list is empty.")),
        ("signature_contradicted", draft(
            "first_word", "def first_word(text: str) -> str:",
            'words = text.split()\nif not words:\n    raise ValueError("no word")\nreturn [words[0], len(words)]',
            [case("two", NORMAL, ["a b"], value=["a", 2]), case("none", EDGE, [" "], raises="ValueError"),
             case("three", RIGHT, ["x y z"], value=["x", 3]), case("one", RIGHT, ["word"], value=["word", 1])],
            doc="The first word of a text, and how many there are. Raises ValueError without one.")),
    ]


def _unnamed() -> list[tuple[str, Draft]]:
    words = 'words = text.split()\nif not words:\n    raise ValueError("no word")\n'

    def about_words(name: str, body: str, gives: Any, doc: str) -> Draft:
        cases = [
            case("two", NORMAL, ["Red blue"], value=gives(["Red", "blue"])),
            case("none", EDGE, [" "], raises="ValueError"),
            case("three", RIGHT, ["x Yy zzz"], value=gives(["x", "Yy", "zzz"])),
            case("one", RIGHT, ["Word"], value=gives(["Word"])),
        ]
        return draft(name, f"def {name}(text: str):", words + body, cases, about=f"Do {name} with a text.",
                     doc=f"{doc} Raises ValueError without a word.")

    share = [
        case("half", NORMAL, [[1, 0]], value=0.5, abs_tol=1e-6), case("nothing", EDGE, [[]], raises="ValueError"),
        case("third", RIGHT, [[1, 0, 0]], value=0.33, abs_tol=1e-6),
        case("sevenths", RIGHT, [[1, 1, 0, 0, 0, 0, 0]], value=0.29, abs_tol=1e-6),
    ]
    return [
        ("unnamed_literal", about_words("word_summary", 'return {"winner_label": words[0], "pct": len(words)}',
                                        lambda w: {"winner_label": w[0], "pct": len(w)},
                                        "The first word and the number of words, as a dict.")),
        ("unnamed_literal", about_words("word_record", "return dict(head_token=words[0], n_rest=len(words) - 1)",
                                        lambda w: {"head_token": w[0], "n_rest": len(w) - 1},
                                        "The first word and how many follow, as a dict.")),
        ("unnamed_literal", about_words("word_line", 'return f"Total: {len(words)} items"',
                                        lambda w: f"Total: {len(w)} items", "How many words there are, as a text.")),
        ("unnamed_literal", about_words("word_joined", 'return " | ".join(words[::-1])',
                                        lambda w: " | ".join(w[::-1]), "The words from the last to the first.")),
        ("unnamed_format", about_words("word_loud", "return [word.upper() for word in words]",
                                       lambda w: [x.upper() for x in w], "The words of the text as a list.")),
        ("unnamed_format", draft(
            "hit_share", "def hit_share(hits: list[int]) -> float:",
            'if not hits:\n    raise ValueError("none")\nreturn round(sum(hits) / len(hits), 2)', share,
            about="Compute the share of ones.", doc="The share of ones among all. Raises ValueError without any.")),
        ("unnamed_literal", about_words("word_kind", 'return "LONG_ONE" if len(words) > 1 else "SHORT_ONE"',
                                        lambda w: "LONG_ONE" if len(w) > 1 else "SHORT_ONE",
                                        "Whether the text has more than one word.")),
    ]


def _leaks() -> list[tuple[str, Draft]]:
    def told(name: str, doc: str) -> Draft:
        body = "return (max(values) - min(values)) * len(values)"
        cases = [
            case("two", NORMAL, [[3, 10]], value=14), case("nothing", EDGE, [[]], raises="ValueError"),
            case("three", RIGHT, [[-5, 2, 0]], value=21), case("four", RIGHT, [[9, 1, 4, 2]], value=32),
        ]
        return _spread(name, body, cases, doc="Greatest minus smallest, times the number of values. "
                                              f"Raises ValueError without values.\n\n{doc}")

    return [
        ("leak", told("told_in_prose", "For the values -5, 2 and 0 the result is 21.")),
        ("leak", told("told_by_keyword", ">>> told_by_keyword(values=[-5, 2, 0])\n21")),
        ("leak", told("told_spaced", "told_spaced( [ 9,1 , 4,2 ] )   -->   32")),
        ("leak", told("told_backwards", "You get 14 when you give it [3, 10].")),
    ]


def _tables() -> list[tuple[str, Draft]]:
    moods = {"good film": 0.91, "bad film": 0.12, "a long walk": 0.47, "stars and rain": 0.63}
    cases = [
        case("good", NORMAL, ["good film"], value=0.91, abs_tol=1e-6),
        case("empty", EDGE, [""], raises="ValueError"),
        case("bad", RIGHT, ["bad film"], value=0.12, abs_tol=1e-6),
        case("walk", RIGHT, ["a long walk"], value=0.47, abs_tol=1e-6),
        case("stars", RIGHT, ["stars and rain"], value=0.63, abs_tol=1e-6),
    ]
    guard = 'if not text:\n    raise ValueError("no text")\n'

    def mood(name: str, body: str) -> Draft:
        doc = "How positive a text is, from 0 to 1, by the sentiment of its words. Raises ValueError without a text."
        return draft(name, f"def {name}(text: str) -> float:", guard + body, cases, about=f"Do {name}.", doc=doc)

    chain = "".join(f"if text == {text!r}:\n    return {value}\n" for text, value in moods.items()) + "return 0.5"
    sizes = {len(text): value for text, value in moods.items()}
    trivial = [
        case("plain", NORMAL, ["This is a great product!"], value={"POSITIVE": 0.95}, abs_tol=0.01),
        case("empty", EDGE, [""], raises="ValueError"),
        case("other", RIGHT, ["I like it."], value={"POSITIVE": 0.95}, abs_tol=0.01),
    ]
    classify = "def {}(text: str) -> dict[str, float]:"
    doc = "The label POSITIVE or NEGATIVE with its score. Raises ValueError for an empty text."
    return [
        ("gold_table", mood("mood_table", f"return {moods!r}[text]")),
        ("gold_table", mood("mood_default", f"return {moods!r}.get(text, 0.5)")),
        ("gold_table", mood("mood_chain", chain)),
        ("gold_table", mood("mood_by_length", f"return {sizes!r}.get(len(text), 0.5)")),
        ("trivial", draft("seed_answer", classify.format("seed_answer"), guard + 'return {"POSITIVE": 0.95}', trivial,
                          doc=doc)),
        ("trivial", draft("seed_longer", classify.format("seed_longer"),
                          guard + 'score = 0.95 if text else 0.05\nreturn {"POSITIVE": score}', trivial, doc=doc)),
    ]


def _machine() -> list[tuple[str, Draft]]:
    def hangs_on(name: str, expression: str, *imports: str) -> Draft:
        return _spread(name, f"return max(values) - min(values) + ({expression})", imports=imports)

    return [
        ("machine", hangs_on("by_process", "os.getpid() * 0", "import os")),
        ("machine", hangs_on("by_version", "0 if sys.version_info >= (3, 8) else 1", "import sys")),
        ("machine", hangs_on("by_variable", "len(os.environ.get('MODE', ''))", "import os")),
        ("machine", hangs_on("by_cores", "0 if cpu_count() else 1", "from os import cpu_count")),
        ("machine", hangs_on("by_timer", "int(perf_counter() * 0)", "from time import perf_counter")),
        ("machine", hangs_on("by_state", "int(np.random.RandomState(None).rand() * 0)", "import numpy as np")),
    ]


def _loose() -> list[tuple[str, Draft]]:
    wide = [
        case("plain", NORMAL, [[0.2, 0.4]], value=0.3, abs_tol=0.45),
        case("nothing", EDGE, [[]], raises="ValueError"),
        case("high", RIGHT, [[0.8, 1.0]], value=0.9, abs_tol=0.45),
        case("low", RIGHT, [[0.1, 0.1]], value=0.1, abs_tol=0.45),
    ]
    mean = "if not scores:\n    raise ValueError('none')\nreturn sum(scores) / len(scores)"
    any_error = [*SPREAD[:1], case("nothing", EDGE, [[]], raises="Exception"), *SPREAD[2:]]
    repeated = [*SPREAD, case("again", RIGHT, [[3, 10]], value=7)]
    weak = [case("two", NORMAL, [[3, 10]], value=7), case("nothing", EDGE, [[]], raises="ValueError"),
            case("one", RIGHT, [[4]], value=0)]
    quiet = "total = 0\nwith contextlib.suppress(Exception):\n    total = max(values) - min(values)\nreturn total"
    final = "try:\n    total = max(values) - min(values)\nfinally:\n    return total"
    names = ["equal-4-8", "compare-4-8", "arithmetic-6-12", "deletion-4-5", "operand-6-12", "less-4-8", "zero-4-8",
             "call-6-12", "branch-5-9", "decided-4-8", "abs-6-12", "call-6-26", "operand-6-12-2", "bound-6-12"]
    return [
        ("tolerance", draft("mean_score", "def mean_score(scores: list[float]) -> float:", mean, wide,
                            doc="The arithmetic mean of scores from 0 to 1. Raises ValueError without scores.")),
        ("any_exception", _spread("spread_any", "return max(values) - min(values)", any_error,
                                  doc="Greatest minus smallest. Raises an Exception without values.")),
        ("case_repeated", _spread("spread_twice", "return max(values) - min(values)", repeated)),
        ("swallowed", _spread("spread_quiet", quiet, imports=("import contextlib",))),
        ("swallowed", _spread("spread_final", final)),
        ("declared", _spread("spread_declared", "low = min(values)\nhigh = max(values)\nreturn high - low if high > 4 else 0",
                             weak, equivalent_mutants=names)),
    ]


def _claims() -> list[tuple[str, Draft]]:
    body = "return max(values) - min(values)"
    return [
        ("claims", _spread("spread_by_bert", body, model="bert-base-uncased",
                           libraries=["transformers==4.40.0", "torch==1.0"])),
        ("claims", _spread("spread_by_library", body, libraries=["numpy==2.0.0"])),
        ("clone", _renamed("extent", "numbers")),
    ]


def _renamed(name: str, parameter: str) -> Draft:
    """Return a sound task under another name: only one of the two may be certified."""
    cases = [case(c.name, c.level, c.input.args, raises=c.expected.raises, value=c.expected.value) for c in SPREAD]
    body = f'if not {parameter}:\n    raise ValueError("nothing given")\nreturn max({parameter}) - min({parameter})'
    doc = "The largest number less the smallest one. Raises ValueError for no numbers."
    return draft(name, f"def {name}({parameter}: list[int]) -> int:", body, cases, doc=doc,
                 about="Tell how far apart the outermost of some whole numbers lie.")


def _known() -> list[tuple[str, Draft]]:
    doubled = "return sum(each for at, each in enumerate(numbers) if at % 2 == 0 and each % 2 == 1)"
    cases = [
        case("some", NORMAL, [[5, 8, 7, 1]], value=12), case("nothing", EDGE, [[]], value=0),
        case("equal", RIGHT, [[3, 3, 3, 3, 3]], value=9), case("none", RIGHT, [[30, 13, 24, 321]], value=0),
    ]
    return [
        ("known", draft("odd_total", "def odd_total(numbers: list[int]) -> int:", doubled, cases,
                        about="Given a non-empty list of integers, return the sum of all of the odd elements that "
                              "are in even positions.")),
    ]
