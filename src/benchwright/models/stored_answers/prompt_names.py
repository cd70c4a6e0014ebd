"""Which task an answer is to, by the prompt that its row quotes: for rows that have no id.

A prompt may be the data's own, a shorter one (without the docstring's examples), or a request that holds it.
"""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from benchwright.models.stored_answers.names import PROMPT
from benchwright.models.stored_answers.task_names import ORDER, NamedTasks
from benchwright.records import Task, TaskId

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
