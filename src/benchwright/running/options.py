"""What a caller may choose about a run, and the refusal of what nothing could hold to."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

from benchwright.contracts import Asking
from benchwright.display.escape import escaped_path
from benchwright.errors import DataError, UsageError
from benchwright.records import Record, Task, TaskId
from benchwright.sandbox.limits import Limits

MAX_CPU_S = 86_400.0
MAX_MEMORY_MB = 1 << 20


class RunOptions(Record, frozen=True, kw_only=True):
    """What a caller may choose about a run; None leaves the choice to the track or the model."""

    track: str
    data: str
    model: str
    n: int | None = None  # answers to each question
    ks: tuple[int, ...] | None = None  # for pass@k
    profiles: tuple[str, ...] = ("strict",)  # the first one scores; the others are judged beside it
    form: str | None = None  # how execution is judged: "calls" or "batch"
    exclude: tuple[str, ...] = ()  # task ids
    limit: int | None = None  # only so many tasks, the first ones
    prompts: str | None = None  # "spread", "all" or "row": see `prompting`
    language: str | None = None  # of the prompts: "ru" or "en"
    asking: Asking = Asking()  # how a live model is asked
    agent: str | None = None  # what asks about failed answers again: see `agents`
    rounds: int | None = None  # how often at most
    limits: Limits = Limits()
    jail: str = "auto"
    keep_tasks: bool = True  # False: nothing of the tasks goes into the run folder


def check_name(what: str, name: str) -> None:
    """Refuse an empty name, and one that no JSON can hold: with bytes that are not UTF-8."""
    if not name:
        raise UsageError(f"{what}: the name is empty", hint="is a variable of the shell unset?")
    try:
        name.encode()
    except UnicodeEncodeError:
        message = f"{what} {escaped_path(name)}: the name is not UTF-8, so no run folder could record it"
        raise UsageError(message, hint="rename it, or make a link to it with another name") from None


def check_limits(limits: Limits) -> None:
    """Refuse what no clock and no kernel can hold an answer to; NaN fails each comparison."""
    if not 0 < limits.cpu_s <= MAX_CPU_S:
        raise UsageError(
            f"--cpu-limit {limits.cpu_s:g}: must be more than 0 and at most {MAX_CPU_S:g} seconds",
            hint="--cpu-limit 3",
        )
    if not 0 < limits.memory_mb <= MAX_MEMORY_MB:
        raise UsageError(
            f"--memory-limit {limits.memory_mb}: must be more than 0 and at most {MAX_MEMORY_MB} MiB",
            hint="--memory-limit 1024",
        )


def chosen_tasks(data: Mapping[TaskId, Task], options: RunOptions) -> dict[TaskId, Task]:
    """The tasks to run, in the data set's order: those not excluded, and of them the first `limit`."""
    known = {str(task_id) for task_id in data}
    for name in options.exclude:
        if name not in known:
            near = get_close_matches(name, known, 1, cutoff=0)
            hint = f"the nearest task is {near[0]}" if near else "the data set is empty"
            raise UsageError(f"--exclude {name!r}: the data set has no such task", hint=hint)
    left = {task_id: task for task_id, task in data.items() if str(task_id) not in options.exclude}
    if not left:
        raise DataError("the data set has no tasks", hint="check the path given with --data")
    if options.limit is None:
        return left
    if options.limit < 1:
        raise UsageError(f"--limit {options.limit}: at least 1 task is needed", hint="--limit 5")
    return dict(list(left.items())[: options.limit])
