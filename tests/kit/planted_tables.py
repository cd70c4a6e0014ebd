"""Ten sound drafts about cards, formats and tables of rows."""

# fmt: off
from __future__ import annotations

from benchwright.building.aicodereval.draft_records import Draft
from benchwright.tracks.aicodereval.entry import Domain
from kit.made_drafts import EDGE, NORMAL, RIGHT, case, draft


def sound_tables() -> list[Draft]:
    """Return drafts with three levels, a complete prompt, and tests that refuse wrong answers."""
    return [*_cards(), *_tables()]


def _cards() -> list[Draft]:
    return [
        draft(
            "card_url",
            "def card_url(model: str, revision: str) -> str:",
            """
            if model.count("/") != 1:
                raise ValueError("write owner/name")
            base = "https://huggingface.co"
            return f"{base}/{model}/blob/{revision}/README.md"
            """,
            [
                case(
                    "main",
                    NORMAL,
                    ["org/tiny", "main"],
                    value="https://huggingface.co/org/tiny/blob/main/README.md",
                ),
                case("no_owner", EDGE, ["tiny", "main"], raises="ValueError"),
                case("too_deep", EDGE, ["a/b/c", "main"], raises="ValueError"),
                case(
                    "tag", RIGHT, ["me/bert", "v1"], value="https://huggingface.co/me/bert/blob/v1/README.md"
                ),
                case("dots", RIGHT, ["a/b.c", "x"], value="https://huggingface.co/a/b.c/blob/x/README.md"),
            ],
            doc="The address of a model's card: https://huggingface.co/OWNER/NAME/blob/REVISION/README.md, "
            "with the model as owner/name.\n\nRaises:\n    ValueError: if the model is not owner/name.",
        ),
        draft(
            "stamp_year",
            "def stamp_year(stamp: float) -> str:",
            """
            if stamp < 0:
                raise ValueError("before the epoch")
            return time.strftime('%Y', time.gmtime(stamp))
            """,
            [
                case("epoch", NORMAL, [0], value="1970"),
                case("before", EDGE, [-1], raises="ValueError"),
                case("end_of_year", EDGE, [31535999], value="1970"),
                case("next_year", RIGHT, [31536000], value="1971"),
                case("later", RIGHT, [1700000000], value="2023"),
            ],
            about="Give the year of a time stamp in UTC, as four digits.",
            doc="The year of `stamp` seconds since 1970 in UTC.\n\nRaises:\n    ValueError: for a stamp below 0.",
            imports=("import time",),
        ),
        draft(
            "json_score",
            "def json_score(line: str) -> float:",
            """
            row = json.loads(line)
            if "score" not in row:
                raise KeyError("score")
            return float(row["score"])
            """,
            [
                case("plain", NORMAL, ['{"score": 0.5}'], value=0.5, rel_tol=1e-9),
                case("broken", EDGE, ["{"], raises="ValueError"),
                case("missing", EDGE, ['{"label": "x"}'], raises="KeyError"),
                case("whole", RIGHT, ['{"label": "x", "score": 3}'], value=3.0, rel_tol=1e-9),
                case("text", RIGHT, ['{"score": "0.25"}'], value=0.25, rel_tol=1e-9),
            ],
            doc="Read `score` from a JSON object, as a number; a text that holds one counts.\n\nRaises:\n"
            "    ValueError: if the line is not JSON.\n    KeyError: if there is no `score`.",
            imports=("import json",),
        ),
        draft(
            "version_newer",
            "def version_newer(left: str, right: str) -> bool:",
            """
            one = [int(part) for part in left.split(".")]
            other = [int(part) for part in right.split(".")]
            size = max(len(one), len(other))
            one += [0] * (size - len(one))
            other += [0] * (size - len(other))
            return one > other
            """,
            [
                case("newer", NORMAL, ["1.2", "1.1"], value=True),
                case("no_number", EDGE, ["a", "1"], raises="ValueError"),
                case("padded", EDGE, ["1.0", "1"], value=False),
                case("right_padded", EDGE, ["1", "1.0.0"], value=False),
                case("by_number", RIGHT, ["1.10", "1.9"], value=True),
                case("older", RIGHT, ["2.0", "10.0"], value=False),
                case("longer", RIGHT, ["1.0.1", "1"], value=True),
            ],
            about="Say whether the first version is newer; missing parts count as 0.",
            doc="Versions are whole numbers parted by dots.\n\nRaises:\n    ValueError: for a part that is no number.",
        ),
        draft(
            "greedy_path",
            "def greedy_path(table: dict[str, dict[str, float]], start: str, steps: int) -> list[str]:",
            """
            if start not in table:
                raise KeyError(start)
            path = [start]
            for _ in range(steps):
                options = table.get(path[-1], {})
                if not options:
                    break
                path.append(max(options, key=lambda name: options[name]))
            return path
            """,
            [
                case("one_step", NORMAL, [{"a": {"b": 1.0, "c": 2.0}}, "a", 1], value=["a", "c"]),
                case("unknown", EDGE, [{"a": {}}, "z", 1], raises="KeyError"),
                case("no_steps", EDGE, [{"a": {"b": 1.0}}, "a", 0], value=["a"]),
                case("stuck", EDGE, [{"a": {}}, "a", 3], value=["a"]),
                case(
                    "two_steps",
                    RIGHT,
                    [{"a": {"b": 5.0, "c": -1.0}, "b": {"a": 0.5}}, "a", 2],
                    value=["a", "b", "a"],
                ),
                case("ends", RIGHT, [{"a": {"x": -3.0, "y": -2.0}}, "a", 4], value=["a", "y"]),
            ],
            about="Follow the best action from a state for some steps; stop where there is none.",
            doc="`table` has the value of each next state. The path begins with the start.\n\nRaises:\n"
            "    KeyError: if the start has no row in the table.",
            domain=Domain.rl,
        ),
    ]


def _tables() -> list[Draft]:
    return [
        draft(
            "rows_above",
            "def rows_above(rows: list[dict[str, int]], column: str, bound: int) -> list[int]:",
            """
            if any(column not in row for row in rows):
                raise KeyError(column)
            return [number for number, row in enumerate(rows) if row[column] > bound]
            """,
            [
                case("two", NORMAL, [[{"v": 1}, {"v": 5}, {"v": 9}], "v", 4], value=[1, 2]),
                case("nothing", EDGE, [[], "v", 1], value=[]),
                case("no_column", EDGE, [[{"v": 1}], "w", 0], raises="KeyError"),
                case("missing_once", EDGE, [[{"v": 1}, {"w": 2}], "v", 0], raises="KeyError"),
                case("at_the_bound", RIGHT, [[{"v": 3}, {"v": 4}, {"v": 5}], "v", 4], value=[2]),
                case("other_column", RIGHT, [[{"v": 9, "w": -3}, {"v": 0, "w": 0}], "w", -2], value=[1]),
            ],
            about="List the numbers of the rows, from 0, whose value in a column is above a bound.",
            doc="Values equal to the bound are left out.\n\nRaises:\n    KeyError: if a row lacks the column.",
            domain=Domain.tabular,
        ),
        draft(
            "filled_down",
            "def filled_down(values: list[int | None]) -> list[int | None]:",
            """
            found = []
            last = None
            for value in values:
                if value is not None:
                    last = value
                found.append(last)
            return found
            """,
            [
                case("gap", NORMAL, [[1, None, 3]], value=[1, 1, 3]),
                case("nothing", EDGE, [[]], value=[]),
                case("leading", EDGE, [[None, 2]], value=[None, 2]),
                case("zeros", RIGHT, [[0, None, None, 4, None]], value=[0, 0, 0, 4, 4]),
                case("all_missing", RIGHT, [[None, None]], value=[None, None]),
            ],
            about="Replace each missing value of a column by the last one before it; leading ones stay missing.",
            domain=Domain.tabular,
        ),
        draft(
            "box_area",
            "def box_area(box: list[float]) -> float:",
            """
            left, top, right, bottom = box
            if right < left or bottom < top:
                raise ValueError("the box is turned over")
            return (right - left) * (bottom - top)
            """,
            [
                case("plain", NORMAL, [[0.0, 0.0, 2.0, 3.0]], value=6.0, rel_tol=1e-9),
                case("flat", EDGE, [[1.0, 1.0, 1.0, 5.0]], value=0.0, abs_tol=1e-9),
                case("turned", EDGE, [[2.0, 0.0, 1.0, 1.0]], raises="ValueError"),
                case("turned_down", EDGE, [[0.0, 2.0, 1.0, 1.0]], raises="ValueError"),
                case("flat_down", EDGE, [[0.0, 2.0, 1.0, 2.0]], value=0.0, abs_tol=1e-9),
                case("moved", RIGHT, [[-1.0, 2.0, 3.0, 4.5]], value=10.0, rel_tol=1e-9),
                case("small", RIGHT, [[0.5, 0.25, 1.0, 0.75]], value=0.25, rel_tol=1e-9),
            ],
            doc="The area of a box [left, top, right, bottom].\n\nRaises:\n    ValueError: if right is less than "
            "left, or bottom less than top.",
            domain=Domain.cv,
        ),
        draft(
            "grey_mean",
            "def grey_mean(pixel: list[int]) -> int:",
            """
            if len(pixel) != 3 or not all(0 <= each <= 255 for each in pixel):
                raise ValueError("three values from 0 to 255")
            return sum(pixel) // 3
            """,
            [
                case("red", NORMAL, [[255, 0, 0]], value=85),
                case("too_few", EDGE, [[1, 2]], raises="ValueError"),
                case("too_many", EDGE, [[1, 2, 3, 4]], raises="ValueError"),
                case("too_large", EDGE, [[256, 0, 0]], raises="ValueError"),
                case("negative", EDGE, [[0, -1, 0]], raises="ValueError"),
                case("black", EDGE, [[0, 0, 0]], value=0),
                case("white", EDGE, [[255, 255, 255]], value=255),
                case("mixed", RIGHT, [[10, 20, 31]], value=20),
                case("rounds_down", RIGHT, [[1, 1, 0]], value=0),
            ],
            doc="The mean of red, green and blue, rounded down to a whole number.\n\nRaises:\n    ValueError: "
            "unless there are three values from 0 to 255.",
            domain=Domain.cv,
        ),
        draft(
            "shared_tags",
            "def shared_tags(cards: list[list[str]]) -> list[str]:",
            """
            if not cards:
                return []
            common = set(cards[0])
            for tags in cards[1:]:
                common &= set(tags)
            return sorted(common)
            """,
            [
                case("two", NORMAL, [[["a", "b"], ["b", "c"]]], value=["b"]),
                case("nothing", EDGE, [[]], value=[]),
                case("one", EDGE, [[["z", "y"]]], value=["y", "z"]),
                case("none_shared", RIGHT, [[["a"], ["b"], ["a"]]], value=[]),
                case("several", RIGHT, [[["q", "p", "r"], ["r", "q"], ["r", "s", "q"]]], value=["q", "r"]),
            ],
            about="List the tags that all cards share, in alphabetical order.",
        ),
    ]
