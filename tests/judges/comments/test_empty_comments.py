"""Comments that say nothing, or nothing true, score below the demo's weak model, in every language."""

from __future__ import annotations

from functools import cache
from statistics import fmean

import pytest

from benchwright.records import Outcome
from kit.comment_kit import a_spec, judged
from kit.empty_comments import KINDS, LANGS, CommentTask, tasks

TASKS = {lang: tasks(lang) for lang in LANGS}
CODE = """def merge(left, right):
    merged = []
    while left and right:
        if left[0] <= right[0]:
            merged.append(left.pop(0))
        else:
            merged.append(right.pop(0))
    return merged + left + right
"""
ONE = "Collects the elements of both lists in order."
TWO = "On a tie the left element goes first, so the merge is stable."
THREE = "At most one of the lists still has elements."
SPEC = a_spec(CODE, (2, ONE), (4, TWO), (8, THREE), language="en", style="google")
DOC = '''    """Merge two sorted lists into one sorted list.

    Equal elements are taken from the left list first, so the merge is stable.

    Args:
        left: a sorted list, emptied while merging.
        right: another sorted list.

    Returns:
        A list of all elements of both in ascending order; what is left of one list is appended at the end.
    """
'''


def mean(tasks: list[CommentTask], programs: list[str]) -> float:
    found = [judged(program, task.spec) for task, program in zip(tasks, programs, strict=True)]
    assert {each.outcome for each in found} == {Outcome.scored}, [each.detail for each in found]
    return fmean(each.scores["total"] for each in found)


@cache
def weak_mean(lang: str) -> float:
    """The score of the demo's weak model in a language."""
    return mean(TASKS[lang], [task.by("weak") for task in TASKS[lang]])


def commented(one: str, two: str, three: str, doc: str = "") -> dict[str, float]:
    """The scores of an answer with these comments."""
    lines = CODE.splitlines(keepends=True)
    for place, text in ((7, three), (3, two), (1, one)):
        indent = lines[place][: len(lines[place]) - len(lines[place].lstrip())]
        lines[place] = f"{indent}# {text}\n{lines[place]}" if text else lines[place]
    return judged("".join([lines[0], doc, *lines[1:]]), SPEC).scores


RIGHT = commented(ONE, TWO, THREE)["total"]
WEAK = commented("merged is empty", "", "return merged", "")["total"]


def test_there_are_enough_kinds() -> None:
    assert len(KINDS) >= 25 and {task.language for each in TASKS.values() for task in each} == {
        "en",
        "ru",
        "zh",
    }


@pytest.mark.parametrize("lang", LANGS)
def test_each_kind_is_below_the_weak_model(lang: str) -> None:
    """And clearly so: at most three quarters of it."""
    means = {name: mean(TASKS[lang], [kind(task) for task in TASKS[lang]]) for name, kind in KINDS.items()}

    assert {name: found for name, found in means.items() if found >= 0.75 * weak_mean(lang)} == {}


@pytest.mark.parametrize("lang", LANGS)
def test_the_strong_model_is_above_the_weak_one(lang: str) -> None:
    strong = mean(TASKS[lang], [task.by("strong") for task in TASKS[lang]])

    assert strong > 1.5 * weak_mean(lang) > 0.2


@pytest.mark.parametrize(
    "said",
    [
        ("The sorted result of both inputs.", "Equal values come from the left one, which keeps the order stable.", "One of them is exhausted; append the rest of the other list."),
        ("Gathers what both lists hold, in order.", "The left element wins a tie: the merge stays stable.", "Only one list still has elements."),
        ("All elements in ascending order.", "Stable: on equal elements the left list goes first.", "The rest of the list that is not empty."),
        ("Elements of both lists, smallest first.", "Equal elements keep their order, left before right.", "One list may still have elements."),
        ("Result list.", "A tie goes to the left element, so the order is stable.", "One of both lists is used up."),
    ],
)  # fmt: skip
def test_a_right_paraphrase_is_above_weak_comments(said: tuple[str, str, str]) -> None:
    """And below the references themselves."""
    assert WEAK < commented(*said)["total"] < RIGHT


def test_a_whole_documentation_that_is_true_tells_key_lines() -> None:
    """Above weak comments, although it stands at no key line."""
    scores = commented("", "", "", DOC)
    assert scores["key_lines"] == 1.0 and scores["total"] > 2 * WEAK


@pytest.mark.parametrize(
    "said",
    [
        ("Does not collect the elements of both lists in order.", "On a tie the left element does not go first, so the merge is not stable.", "At most one of the lists no longer has elements."),
        (f"It is not true that {ONE}", f"It is not true that {TWO}", f"It is not true that {THREE}"),
        (f"False: {ONE}", f"Wrong: {TWO}", f"The opposite is the case: {THREE}"),
        ("Never collects the elements of both lists in order.", "On a tie the left element never goes first, so the merge is never stable.", "Never has at most one of the lists still elements."),
        (f"{ONE} This is false.", f"{TWO} This is a lie.", f"{THREE} That is incorrect."),
        ("Discards the elements of both lists in order.", "On a tie the right element goes last, so the merge is unstable.", "At least one of the lists still has elements."),
    ],
)  # fmt: skip
def test_denied_references_are_worth_less_than_an_echo(said: tuple[str, str, str]) -> None:
    """Whatever the denial is made of; beside true ones they cost accuracy."""
    assert commented(*said)["total"] < WEAK
    assert commented(said[0], TWO, THREE)["accuracy"] < 0.85


@pytest.mark.parametrize("name", ["merge_sorted", "`Basket`", "sortLists()", "self.heap", "MergeError"])
def test_a_name_that_is_not_there_costs_and_does_not_halve(name: str) -> None:
    """It may be true of another file."""
    plain, named = commented(ONE, TWO, THREE), commented(f"{ONE} See {name}.", TWO, THREE)
    assert plain["accuracy"] / 2 < named["accuracy"] < plain["accuracy"]


@pytest.mark.parametrize("name", ["`merged`", "`left`", "merged.append", "`len`", "`right`"])
def test_a_name_that_is_there_earns_nothing(name: str) -> None:
    """It is no claim."""
    assert commented(f"{name} matters.", f"{name} matters.", f"{name} matters.")["total"] < WEAK
    assert commented(f"{ONE} See {name}.", TWO, THREE)["accuracy"] <= 1.0


@pytest.mark.parametrize(
    "phrase", ["Important step.", "This matters.", "`left` is needed.", ONE, "What is done here?"]
)
def test_a_repeated_comment_counts_once(phrase: str) -> None:
    """Also where it is a reference."""
    assert commented(phrase, phrase, phrase)["total"] < 0.55 * RIGHT


@pytest.mark.parametrize(
    "sentence",
    [
        "This function is a part of a well designed module.",
        "Number {} of many good practices is followed here.",
        "The merge of `left` and `right` is a fine example, number {}.",
        "Merging has a long history that began in year {}.",
        "Sorting is used by {} of the most important programs of the world.",
    ],
)
def test_long_filler_costs(sentence: str) -> None:
    """Alone it is below weak comments, and beside the references it costs format."""
    doc = '    """' + " ".join(sentence.format(number) for number in range(200)) + '"""\n'
    assert commented("", "", "", doc)["total"] < WEAK
    beside = commented(ONE, TWO, THREE, doc)
    assert beside["total"] < 0.75 * RIGHT and beside["format"] < 0.2


JAVA = "class A {\n    int area(int width, int height) {\n        return width * height;\n    }\n}\n"
SCRIPT = "function area(width, height) {\n  return width * height;\n}\n"
TYPED = "function area(width: number, height: number): number {\n  return width * height;\n}\n"


def phantom(lang: str, name: str) -> tuple[float, float]:
    """The accuracy of a documentation without and with an exception that is never thrown."""
    code = {
        "Java": JAVA,
        "JavaScript": SCRIPT,
        "TypeScript": TYPED,
        "Python": "def area(width, height):\n    return width + height\n",
    }[lang]
    line = 2 if lang == "Java" else 1
    spec = a_spec(code, lang=lang, comment="The area that two sides enclose.")
    found = []
    for more in ("", name):
        if lang == "Python":
            raises = f"\n\n    Raises:\n        {more}: if a side is wrong." if more else ""
            program = code.replace("\n", f'\n    """The area that two sides enclose.{raises}\n    """\n', 1)
        else:
            throws = f"\n * @throws {more} if a side is wrong" if more else ""
            lines = code.splitlines(keepends=True)
            program = "".join(
                [
                    *lines[: line - 1],
                    f"/**\n * The area that two sides enclose.{throws}\n */\n",
                    *lines[line - 1 :],
                ]
            )
        found.append(judged(program, spec).scores["accuracy"])
    return found[0], found[1]


@pytest.mark.parametrize(
    ("lang", "name"),
    [
        ("Java", "IOException"),
        ("Java", "IllegalArgumentException"),
        ("Java", "java.sql.SQLException"),
        ("Python", "IOError"),
        ("Python", "KeyError"),
        ("JavaScript", "RangeError"),
        ("TypeScript", "SyntaxError"),
    ],
)
def test_an_exception_that_nothing_throws_costs(lang: str, name: str) -> None:
    without, with_it = phantom(lang, name)
    assert with_it < 0.85 * without


def test_an_exception_that_code_may_throw_is_true() -> None:
    """By what it does, though it does not name it."""
    code = "def mean(values):\n    return sum(values) / len(values)\n"
    doc = '"""The mean of all values.\n\n    Raises:\n        ZeroDivisionError: if there are none.\n    """'
    spec = a_spec(code, comment="The mean of all values.")
    assert "not thrown" not in judged(code.replace("\n", f"\n    {doc}\n", 1), spec).detail
