"""Copies of a reference that say something else by one word, and the same said in other words."""

from __future__ import annotations

import pytest

from kit.comment_kit import a_spec, judged

CODE = "def poll(source, target, limit):\n    while source.waiting() > limit:\n        target.put(source.take())\n    return target\n"


def totals(reference: str, said: str, code: str = CODE) -> tuple[float, float]:
    """The accuracy of the reference itself and of what is said in its place."""
    spec = a_spec(code, (3, reference))
    lines = code.splitlines(keepends=True)
    made = ("".join([*lines[:2], f"        # {text}\n", *lines[2:]]) for text in (reference, said))
    one, other = (judged(program, spec).scores["accuracy"] for program in made)
    return one, other


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ("Moves at most 64 records per round.", "Moves at most 65 records per round."),
        ("Retries three times before giving up.", "Retries four times before giving up."),
        ("The pause between rounds lasts 30 seconds.", "The pause between rounds lasts 30 milliseconds."),
        ("Sizes are counted in bytes on both sides.", "Sizes are counted in kilobytes on both sides."),
        ("Length is counted in characters, not in bytes.", "Length is counted in bytes, not in characters."),
        ("The oldest record moves from source into target.", "The oldest record moves from target into source."),
        ("Headers are written before the rows.", "The rows are written before headers."),
        ("Keeps the minimum of both counters.", "Keeps the maximum of both counters."),
        ("The upper end of the range is inclusive.", "The upper end of the range is exclusive."),
        ("Accepts at most ten open requests at once.", "Accepts fewer than ten open requests at once."),
        ("Client errors end it, server errors are repeated.", "Server errors end it, client errors are repeated."),
        ("A record waits in the source until it fits.", "A record waits in the target until it fits."),
        ("Both the name and the date have to match.", "Both the name or the date have to match."),
        ("Подождать не больше 5 секунд между запросами.", "Подождать не больше 6 секунд между запросами."),
        ("Сначала закрывается очередь, потом файл.", "Сначала закрывается файл, потом очередь."),
        ("最多保留 10 条最近的记录。", "最多保留 11 条最近的记录。"),
    ],
)  # fmt: skip
def test_a_near_copy_that_is_wrong_is_worth_nothing(reference: str, said: str) -> None:
    """Number, unit, order, bound, name or opposite."""
    right, wrong = totals(reference, said)
    assert right == 1.0 and wrong == 0.0


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ("Retries three times before giving up.", "Tries again three times before giving up."),
        ("The pause between rounds lasts 30 seconds.", "The wait between rounds lasts 30 seconds."),
        ("Keeps the largest of both counters.", "Keeps the maximum of both counters."),
        ("The left and the right side are joined.", "The right and the left side are joined."),
        ("The caller closes the file.", "The file is closed by the caller."),
        ("Headers are written before the rows.", "Headers are written before the rows, once."),
        ("Moves at most 64 records per round.", "At most 64 records are moved per round."),
        ("Accepts no more than ten requests at once.", "Accepts at most ten requests at once."),
    ],
)  # fmt: skip
def test_a_near_copy_that_is_right_counts(reference: str, said: str) -> None:
    """Synonyms, additions, passive voice and two that may change places."""
    assert totals(reference, said)[1] > 0.5


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ("An account that is missing is opened with this amount.", "An account that is missing is audited with this amount."),
        ("The workers finish what they have begun and leave.", "The workers burn what they have begun and leave."),
        ("Every visitor of the page gets a fresh ticket.", "Every visitor of the page gets a fresh sandwich."),
        ("Renaming keeps the link of the folder alive.", "Renaming keeps the colour of the folder alive."),
        ("После закрытия работники доделывают начатое.", "После закрытия работники бросают начатое."),
    ],
)  # fmt: skip
def test_a_word_that_may_mean_something_else_costs_half(reference: str, said: str) -> None:
    """Rules cannot tell a wrong word from an unknown synonym."""
    assert 0.0 < totals(reference, said)[1] < 0.5


def test_another_reference_is_not_a_wrong_copy() -> None:
    """Two references that differ in a number are both right."""
    spec = a_spec(CODE, (2, "The first 10 records stay."), (3, "The next 20 records move."))
    one, two, three, four = CODE.splitlines(keepends=True)
    program = (
        f"{one}    # The first 10 records stay.\n{two}        # The next 20 records move.\n{three}{four}"
    )
    assert judged(program, spec).scores["accuracy"] == 1.0


LIMITS = "def fetch(reply):\n    if reply.status >= 400:\n        wait(3000)\n    return reply[:80]\n"


def accuracy_beside(said: str, line: int) -> float:
    """Of a sentence above a line of code whose only reference is about another line."""
    spec = a_spec(LIMITS, (1, "Gives the start of a reply of the server."))
    lines = LIMITS.splitlines(keepends=True)
    lines[0] = f"# Gives the start of a reply of the server.\n{lines[0]}"
    indent = lines[line - 1][: len(lines[line - 1]) - len(lines[line - 1].lstrip())]
    lines[line - 1] = f"{indent}# {said}\n{lines[line - 1]}"
    return judged("".join(lines), spec).scores["accuracy"]


@pytest.mark.parametrize(
    ("right", "wrong", "line"),
    [
        ("An error of the server starts at 400.", "An error of the server starts at 300.", 2),
        ("An error of the server starts at 400.", "An error of the server starts at 401.", 2),
        ("The server gets 3000 milliseconds.", "The server gets 2500 milliseconds.", 3),
        ("Only the first 80 letters of the reply.", "Only the first 90 letters of the reply.", 4),
        ("Не больше 80 букв ответа.", "Не больше 81 буквы ответа.", 4),
    ],
)
def test_a_number_other_than_the_one_of_its_line_costs(right: str, wrong: str, line: int) -> None:
    assert accuracy_beside(wrong, line) < 0.85 * accuracy_beside(right, line)


@pytest.mark.parametrize(
    ("same", "line"),
    [
        ("The server gets 3 seconds.", 3),
        ("An error of the server.", 2),
        ("Codes from 400 to 599 are errors.", 2),
    ],
)
def test_the_same_number_in_another_unit_costs_nothing(same: str, line: int) -> None:
    named = same.replace("3 seconds", "3000 milliseconds")
    assert accuracy_beside(same, line) == pytest.approx(accuracy_beside(named, line), abs=0.02)


@pytest.mark.parametrize(
    "said",
    [
        "Never returns what was asked for.\n\n    It does not read `source`. It is not about `limit`. Nothing is moved.",
        "Does not poll.\n\n    The source is never read. The target is not changed.",
        "No records are moved.\n\n    There is no limit. The source does not wait.",
        "Does nothing with the source.\n\n    Never touches the target. Ignores the limit.",
        "Cannot poll the source.\n\n    It has no target. It never ends the loop.",
    ],
)
def test_documentation_that_denies_everything_is_below_an_echo(said: str) -> None:
    """Where no reference covers what it denies."""
    spec = a_spec(CODE, (2, "Leaves a reserve behind, so that late readers find something."))
    denied = CODE.replace("\n", f'\n    """{said}\n    """\n', 1)
    echo = CODE.replace("    while", "    # while source waiting is greater than limit\n    while", 1)
    assert judged(denied, spec).scores["total"] < judged(echo, spec).scores["total"]


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ("Headers are written before the rows.", "The rows are written after the headers."),
        ("Parsing before checking.", "Checking after parsing."),
        ("The lock is taken before the queue is read.", "The queue is read after the lock is taken."),
        ("The lock is taken before the queue is read.", "After the lock is taken, the queue is read."),
        ("The queue is closed after the last record.", "The last record comes before the queue is closed."),
        ("Rows come after the header.", "Before the rows comes the header."),
        ("The source is smaller than the target.", "The target is larger than the source."),
        ("Limit is below the maximum.", "The maximum is above the limit."),
        ("Записи переносятся до закрытия очереди.", "Очередь закрывается после переноса записей."),
        ("Источник больше приёмника.", "Приёмник меньше источника."),
        ("读取队列之前先加锁。", "加锁之后读取队列。"),
    ],
)  # fmt: skip
def test_a_converse_says_the_same(reference: str, said: str) -> None:
    """With its sides exchanged, an opposite relation is no contradiction."""
    assert totals(reference, said)[1] > 0.5


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ("Headers are written before the rows.", "Headers are written after the rows."),
        ("The lock is taken before the queue is read.", "The lock is taken after the queue is read."),
        ("The lock is taken before the queue is read.", "After the queue is read, the lock is taken."),
        ("The source is smaller than the target.", "The source is larger than the target."),
        ("Headers are written before the first rows.", "The last rows are written after the headers."),
        ("Источник больше приёмника.", "Источник меньше приёмника."),
    ],
)  # fmt: skip
def test_an_opposite_relation_of_the_same_sides_contradicts(reference: str, said: str) -> None:
    """Nor does a converse hide another opposite."""
    assert totals(reference, said)[1] == 0.0
