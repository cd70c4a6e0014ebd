"""The task that a stored answer means: by id, spelling, number, place, or the beginning of its prompt."""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from benchwright.display.escape import escaped_name, quoted
from benchwright.errors import DataError
from benchwright.models.stored_answers.fields import NUMBER, PLACE, PROMPT, TASK
from benchwright.records import Task, TaskId

_NO_WORD = re.compile(r"[^0-9a-z]+")
_BEFORE = re.compile(r"^(?:request|req|task|prompt|item|problem|row|question|custom|id|q|p)_(?=.)")
_SET = re.compile(r"^mbpp_(?=\d)")  # its ids are numbers; others write `MBPP/12`
_AFTER = re.compile(r"(?:_(?:sample|rep|repeat|gen|generation|run|attempt|completion|try|n|s|k))?_?\d+$")
_NAMED = re.compile(r"^((?:[a-z]+_)*\d+)_[a-z].*$")  # `mbpp_12_the_function`, as MultiPL-E has it
_NUMBER = re.compile(r"(\d{1,18})$")
_ZEROS = re.compile(r"(?<![0-9])0+(?=[0-9])")
_SHORTER = ((_AFTER, ""), (_NAMED, r"\1"))
ORDER = "order"
WAYS = {
    TASK: "the tasks' ids",
    "name": "the tasks' ids in another spelling",
    NUMBER: "the numbers in the tasks' ids",
    PLACE: "the tasks' places in the data set",
    PROMPT: "the tasks' prompts",
    ORDER: "no prompt of the data, so the tasks are in their order",
}
_SHOWN = 3

Match = Mapping[str, str]  # by what the file says, the id of the task as text


class NamedTasks(NamedTuple):
    """The tasks that a file's names mean, how that was found, and the names that mean none."""

    match: Match
    way: str
    foreign: list[str]


def match_names(
    names: Iterable[str], ids: Collection[str], *, kind: str, column: str | None, path: str
) -> NamedTasks:
    """The task of each name. `kind` says what the names are: ids, places or numbers; where it is empty they
    are tried as each of these.

    Raises DataError where two ways to read them disagree, and where none of them is a task.
    """
    names = list(names)
    ways = _ways(names, list(ids), kind)
    best = _best(ways, names, column, path)
    if not best.match and names:
        raise _none_known(names, ids, path)
    return best


def _ways(names: list[str], ids: list[str], kind: str) -> list[NamedTasks]:
    known = set(ids)
    found = {
        TASK: {name: name for name in names if name in known},
        "name": _by_name(names, ids),
        NUMBER: _by_number(names, ids),
        PLACE: _by_place(names, ids),
    }
    ways = {TASK: (TASK, "name"), PLACE: (PLACE,), NUMBER: (NUMBER,)}.get(kind, tuple(found))
    return [
        NamedTasks(match, way, [name for name in names if name not in match])
        for way, match in found.items()
        if way in ways
    ]


def _best(ways: list[NamedTasks], names: list[str], column: str | None, path: str) -> NamedTasks:
    """The way that fits most names. Ids as they are come first, unless another way alone fits them all."""
    first = ways[0]
    if not first.foreign or len(ways) == 1:
        return first
    most = max(len(way.match) for way in ways)
    best = [way for way in ways if len(way.match) == most]
    if first.match and first not in best:
        best = [first, *best]
    others = [way for way in best[1:] if not _agree(way.match, best[0].match)]
    if others and best[0].match:
        raise _two_ways(best[0], others[0], column, path)
    return max(best, key=lambda way: len(way.match))


def _agree(one: Match, other: Match) -> bool:
    return all(other.get(name, task) == task for name, task in one.items())


def _by_name(names: list[str], ids: list[str]) -> dict[str, str]:
    plain: dict[str, str] = {}
    for each in ids:
        plain.setdefault(_plain(each), each)
    if len(plain) < len(ids):
        return {}
    return {name: plain[found] for name in names if (found := _form(name, plain)) is not None}


def _form(name: str, plain: Mapping[str, str]) -> str | None:
    """Return the first form of a name that is a task's: without a leading word, and without a trailing sample
    number or function name."""
    whole = _plain(name)
    bare = _SET.sub("", _BEFORE.sub("", whole))
    forms = (
        whole,
        bare,
        *(shorter.sub(replacement, each) for shorter, replacement in _SHORTER for each in (whole, bare)),
    )
    return next((each for each in forms if each in plain), None)


def _by_number(names: list[str], ids: list[str]) -> dict[str, str]:
    numbers: dict[int, str] = {}
    for each in ids:
        if (found := _NUMBER.search(each)) is None or int(found[1]) in numbers:
            return {}
        numbers[int(found[1])] = each
    return {name: numbers[n] for name in names if (n := _number(name)) is not None and n in numbers}


def _by_place(names: list[str], ids: list[str]) -> dict[str, str]:
    return {name: ids[n] for name in names if (n := _number(name)) is not None and n < len(ids)}


def _number(name: str) -> int | None:
    """Return the number in a name after removing a word before it."""
    bare = _BEFORE.sub("", _plain(name))
    return int(bare) if bare.isascii() and bare.isdigit() and len(bare) < 19 and "-" not in name[:1] else None


def _plain(name: str) -> str:
    """The name in lower case, with `_` between its parts and no zeros before a number."""
    return _ZEROS.sub("", _NO_WORD.sub("_", name.lower()).strip("_"))


def _two_ways(one: NamedTasks, other: NamedTasks, column: str | None, path: str) -> DataError:
    name = next(name for name, task in other.match.items() if one.match.get(name, task) != task)
    message = (
        f"the names of the tasks can be read in two ways: {escaped_name(name, 40)} is "
        f"{escaped_name(one.match[name], 60)} by {WAYS[one.way]}, and "
        f"{escaped_name(other.match[name], 60)} by {WAYS[other.way]}"
    )
    mine = column or "COLUMN"
    ways = [f"--fields {quoted(f'{mine}={_part(way.way)}')}" for way in (one, other)]
    return DataError(message, path=path, field=column, hint=f"say which: {' or '.join(ways)}")


def _part(way: str) -> str:
    return way if way in (NUMBER, PLACE) else TASK


def _none_known(names: list[str], ids: Collection[str], path: str) -> DataError:
    answer_names = ", ".join(escaped_name(name, 60) for name in names[:_SHOWN])
    known = ", ".join(escaped_name(name, 60) for name in list(ids)[:_SHOWN]) or "none"
    message = (
        f"none of its answers is to a task of the data set: it names {answer_names}; the data has {known}"
    )
    return DataError(message, path=path, field=TASK, hint="name the data set that was answered: --data")


_LEAST = 0.3  # of the shorter text, for two of them to begin alike: a prompt may lack what comes after a line


def match_prompts(names: Sequence[str], tasks: Mapping[TaskId, Task]) -> NamedTasks:
    """The task of each prompt. Two that would be the same task's have none."""
    texts = sorted((_bare(text), str(task_id)) for task_id, task in tasks.items() for text in _texts(task))
    found = {name: task for name in names if (task := _task(_bare(name), texts)) is not None}
    times = Counter(found.values())
    match = {name: task for name, task in found.items() if times[task] == 1}
    return NamedTasks(match, PROMPT, [name for name in names if name not in match])


def match_order(names: Sequence[str], ids: Iterable[str]) -> NamedTasks:
    """The tasks in their order, for prompts that none of them has."""
    return NamedTasks(dict(zip(names, ids, strict=False)), ORDER, [])


def _texts(task: Task) -> Iterator[str]:
    """The parts of a task's inputs that are text, such as its prompt."""
    yield from {value for value in task.inputs.values() if isinstance(value, str) and value.strip()}


def _bare(text: str) -> str:
    """A text without blanks and the quotes that end a docstring."""
    return "".join(text.split()).rstrip("\"'")


def _alike(one: str, other: str) -> int:
    """How many characters two texts have in common at their start."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _is_clear(size: int, prompt: str, length: int, sizes: Sequence[tuple[int, int, str]]) -> bool:
    """Whether a text and a prompt have much in common at their start, and no other task has half of that."""
    task = sizes[0][2]
    other = max((each for each, _, name in sizes if name != task), default=0)
    return size > _LEAST * min(len(prompt), length) and size >= 2 * other


def _task(prompt: str, texts: Sequence[tuple[str, str]]) -> str | None:
    """The one task whose text begins most like a prompt; else the one whose longest text is in it."""
    at = bisect(texts, (prompt, ""))
    near = texts[max(0, at - 2) : at + 2]
    sizes = sorted(((_alike(prompt, text), len(text), task) for text, task in near), reverse=True)
    good = [(size, task) for size, length, task in sizes if size == min(len(prompt), length)]
    good = good or [
        (size, task) for size, length, task in sizes[:1] if _is_clear(size, prompt, length, sizes)
    ]
    found = good or [(len(text), task) for text, task in texts if text in prompt]
    most = max(found, default=(0, ""))[0]
    best = {task for size, task in found if size == most}
    return best.pop() if len(best) == 1 else None
