"""Twenty sound drafts of kinds that a gate may take for bad ones."""

# fmt: off
from __future__ import annotations

from benchwright.building.aicodereval.draft_records import Draft
from benchwright.tracks.aicodereval.entry import Domain
from kit.made_drafts import EDGE, NORMAL, RIGHT, case, draft
from kit.planted_tables import sound_tables


def planted_sound() -> list[Draft]:
    """Return drafts with three levels, a complete prompt, and tests that refuse wrong answers."""
    return [*_texts(), *_numbers(), *sound_tables()]


def _texts() -> list[Draft]:
    return [
        draft(
            "is_literal",
            "def is_literal(text: str) -> bool:",
            "try:\n    ast.literal_eval(text)\n    return True\nexcept Exception:\n    return False",
            [
                case("number", NORMAL, ["12"], value=True),
                case("broken", EDGE, ["[1,"], value=False),
                case("empty", EDGE, [""], value=False),
                case("name", RIGHT, ["spam"], value=False),
                case("nested", RIGHT, ["{'a': [1, (2,)]}"], value=True),
                case("call", RIGHT, ["len('a')"], value=False),
            ],
            doc="Whether a text is a Python literal. A text that cannot be read is not one.",
            imports=("import ast",),
        ),
        draft(
            "snake_name",
            "def snake_name(title: str) -> str:",
            """
            words = title.lower().split()
            if not words:
                raise ValueError("no word")
            return "_".join(words)
            """,
            [
                case("two", NORMAL, ["Hello World"], value="hello_world"),
                case("blank", EDGE, ["   "], raises="ValueError"),
                case("three", RIGHT, ["A  Tiny MODEL"], value="a_tiny_model"),
                case("one", RIGHT, ["Word"], value="word"),
            ],
            about="Write the words of a title in lower case, joined by underscores.",
            doc="The words, parted by white space, in lower case with one underscore between.\n\n"
            "Raises:\n    ValueError: if there is no word.",
        ),
        draft(
            "token_pairs",
            "def token_pairs(tokens: list[str]) -> list[list[str]]:",
            """
            if len(tokens) < 2:
                return []
            return [[left, right] for left, right in zip(tokens, tokens[1:])]
            """,
            [
                case("three", NORMAL, [["a", "b", "c"]], value=[["a", "b"], ["b", "c"]]),
                case("one", EDGE, [["a"]], value=[]),
                case("none", EDGE, [[]], value=[]),
                case("repeated", RIGHT, [["x", "x", "y"]], value=[["x", "x"], ["x", "y"]]),
                case("two", RIGHT, [["go", "on"]], value=[["go", "on"]]),
            ],
            about="List each pair of neighbouring tokens as [left, right], in the order of the text.",
        ),
        draft(
            "label_counts",
            "def label_counts(labels: list[str]) -> dict[str, int]:",
            """
            counts = {"POSITIVE": 0, "NEGATIVE": 0}
            for label in labels:
                if label not in counts:
                    raise KeyError(label)
                counts[label] += 1
            return counts
            """,
            [
                case(
                    "both",
                    NORMAL,
                    [["POSITIVE", "NEGATIVE", "POSITIVE"]],
                    value={"POSITIVE": 2, "NEGATIVE": 1},
                ),
                case("nothing", EDGE, [[]], value={"POSITIVE": 0, "NEGATIVE": 0}),
                case("unknown", EDGE, [["NEUTRAL"]], raises="KeyError"),
                case("one_kind", RIGHT, [["NEGATIVE", "NEGATIVE"]], value={"POSITIVE": 0, "NEGATIVE": 2}),
                case("unknown_late", RIGHT, [["POSITIVE", "positive"]], raises="KeyError"),
            ],
            doc="Count the labels POSITIVE and NEGATIVE; both are keys of the result.\n\n"
            "Raises:\n    KeyError: for any other label.",
            domain=Domain.classification,
        ),
        draft(
            "masked_digits",
            "def masked_digits(text: str, mark: str = '#') -> str:",
            """
            if len(mark) != 1:
                raise ValueError("one character is wanted")
            return "".join(mark if each.isdigit() else each for each in text)
            """,
            [
                case("phone", NORMAL, ["call 555 12"], value="call ### ##"),
                case("empty", EDGE, [""], value=""),
                case("long_mark", EDGE, ["1", "##"], raises="ValueError"),
                case("no_mark", EDGE, ["1", ""], raises="ValueError"),
                case("other", RIGHT, ["a1b22", "*"], value="a*b**"),
                case("none", RIGHT, ["abc"], value="abc"),
            ],
            doc="The text with each digit replaced by the mark.\n\nRaises:\n    ValueError: if the mark is not "
            "one character.",
        ),
    ]


def _numbers() -> list[Draft]:
    return [
        draft(
            "value_range",
            "def value_range(values: list[int]) -> int:",
            """
            if not values:
                raise ValueError("there are no values")
            return max(values) - min(values)
            """,
            [
                case("two", NORMAL, [[3, 10]], value=7),
                case("nothing", EDGE, [[]], raises="ValueError"),
                case("one", EDGE, [[4]], value=0),
                case("negative", RIGHT, [[-5, 2, 0]], value=7),
                case("unsorted", RIGHT, [[9, 1, 4]], value=8),
                case("wide", RIGHT, [[100, -100, 5]], value=200),
            ],
            doc="The greatest value minus the smallest.\n\nRaises:\n    ValueError: if there are no values.",
            domain=Domain.tabular,
        ),
        draft(
            "mean_after_collecting",
            "def mean_after_collecting(values: list[float]) -> float:",
            """
            if not values:
                raise ValueError("there are no values")
            total = 0.0
            for value in values:
                total += value
            gc.collect()
            return total / len(values)
            """,
            [
                case("two", NORMAL, [[1.0, 2.0]], value=1.5, rel_tol=1e-9),
                case("nothing", EDGE, [[]], raises="ValueError"),
                case("one", EDGE, [[4.0]], value=4.0, rel_tol=1e-9),
                case("mixed", RIGHT, [[-2.0, 5.0, 9.0]], value=4.0, rel_tol=1e-9),
                case("large", RIGHT, [[300.0, 500.0]], value=400.0, rel_tol=1e-9),
            ],
            doc="The arithmetic mean of the values; free the memory of earlier results before returning.\n\n"
            "Raises:\n    ValueError: if there are no values.",
            imports=("import gc",),
        ),
        draft(
            "softmax_weights",
            "def softmax_weights(scores: list[float], temperature: float) -> list[float]:",
            """
            if temperature <= 0:
                raise ValueError("the temperature is positive")
            if not scores:
                return []
            top = max(scores)
            powers = [math.exp((score - top) / temperature) for score in scores]
            total = sum(powers)
            return [power / total for power in powers]
            """,
            [
                case("even", NORMAL, [[1.0, 1.0], 1.0], value=[0.5, 0.5], rel_tol=1e-9),
                case("empty", EDGE, [[], 1.0], value=[]),
                case("cold", EDGE, [[1.0], 0.0], raises="ValueError"),
                case("below", EDGE, [[1.0], -1.0], raises="ValueError"),
                case("large", RIGHT, [[1000.0, 1000.0], 2.0], value=[0.5, 0.5], rel_tol=1e-9),
                case(
                    "two",
                    RIGHT,
                    [[2.0, 0.0], 2.0],
                    value=[0.7310585786300049, 0.2689414213699951],
                    rel_tol=1e-6,
                ),
                case(
                    "three",
                    RIGHT,
                    [[0.0, 1.0, 3.0], 0.5],
                    value=[0.0024282580295913376, 0.017942534803329194, 0.9796292071670795],
                    rel_tol=1e-6,
                ),
            ],
            about="Turn scores into weights that sum to 1, by softmax with a temperature.",
            doc="Each weight is exp(score / temperature) over the sum of all. Large scores must not overflow. "
            "Without scores the list is empty.\n\nRaises:\n    ValueError: if the temperature is not positive.",
            imports=("import math",),
            domain=Domain.classification,
        ),
        draft(
            "accuracy_percent",
            "def accuracy_percent(expected: list[str], given: list[str]) -> float:",
            """
            if not expected or len(expected) != len(given):
                raise ValueError("as many of both are needed, and at least one")
            right = sum(one == other for one, other in zip(expected, given))
            return round(100 * right / len(expected), 2)
            """,
            [
                case("half", NORMAL, [["a", "b"], ["a", "c"]], value=50.0, abs_tol=1e-6),
                case("nothing", EDGE, [[], []], raises="ValueError"),
                case("uneven", EDGE, [["a"], []], raises="ValueError"),
                case("third", RIGHT, [["a", "b", "c"], ["a", "x", "y"]], value=33.33, abs_tol=1e-6),
                case("none", RIGHT, [["a"], ["b"]], value=0.0, abs_tol=1e-6),
                case("all", RIGHT, [["q", "r"], ["q", "r"]], value=100.0, abs_tol=1e-6),
            ],
            doc="The share of labels that agree, in percent, rounded to two decimals.\n\n"
            "Raises:\n    ValueError: if there are no labels, or not as many of both.",
            domain=Domain.classification,
        ),
        draft(
            "peak_frame",
            "def peak_frame(samples: list[float], width: int) -> int:",
            """
            if width < 1 or len(samples) < width:
                raise ValueError("a frame needs samples")
            energies = [
                sum(value * value for value in samples[start : start + width])
                for start in range(len(samples) - width + 1)
            ]
            return energies.index(max(energies))
            """,
            [
                case("middle", NORMAL, [[0.0, 3.0, 0.0], 1], value=1),
                case("too_wide", EDGE, [[1.0], 2], raises="ValueError"),
                case("no_width", EDGE, [[1.0], 0], raises="ValueError"),
                case("whole", EDGE, [[1.0, 2.0], 2], value=0),
                case("negative", RIGHT, [[1.0, 1.0, -4.0, -4.0, 1.0], 2], value=2),
                case("first_of_equals", RIGHT, [[2.0, 0.0, 2.0], 1], value=0),
                case("end", RIGHT, [[0.0, 1.0, 2.0, 5.0], 2], value=2),
            ],
            about="Find the position of the frame of the greatest energy in a signal; of equals the first.",
            doc="The energy of a frame of `width` neighbouring samples is the sum of their squares.\n\n"
            "Raises:\n    ValueError: if the width is less than 1 or there are fewer samples.",
            domain=Domain.audio,
        ),
    ]
