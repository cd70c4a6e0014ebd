"""`bw.Judge`: sandboxed verdicts on texts, without a model and without a run folder, such as for rewards."""

from __future__ import annotations

import asyncio
import weakref
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Literal, Self

from benchwright.api.arguments import errors_in_python, in_python
from benchwright.api.judge_service import JudgeService
from benchwright.contracts import Criterion, Executor, Judgement, with_defaults
from benchwright.errors import UsageError, nearest_hint
from benchwright.executing.executors import ExecutorSetup
from benchwright.executing.pool import open_local
from benchwright.progress import Silent
from benchwright.records import Answer, SelfCheck, Task, TaskId, Verdict
from benchwright.running.judging import criterion_of, verdict_on
from benchwright.running.options import RunOptions
from benchwright.running.plan import Plan, make_plan
from benchwright.running.self_check import SelfChecking
from benchwright.sandbox.limits import Limits
from benchwright.store.keys import content_key
from benchwright.store.runfolder import RunFolder
from benchwright.tracks.row_detection import track_of

_COMMAND = "benchwright.cli.run:command"
_AHEAD = 128  # answers of `judge_many` that are taken ahead, for each worker


class JudgePool:
    """Worker processes that judge answers to the tasks of a data set. Use it in a `with` block.

    Opening it makes the self-check: gold answers must pass and stubs must fail, or the stored result of an
    earlier check is proved by a sample. All methods may be called from any thread. Each call waits for its
    verdict, so memory does not grow with the number of verdicts. Verdicts are those of rules and execution;
    model judges are not asked.
    """

    @in_python(_COMMAND)
    def __init__(  # noqa: PLR0913 (each is an option of a run)
        self,
        data: str | Path,
        track: str | None = None,
        *,
        form: str | None = None,
        profile: str = "strict",
        cpu_limit: float = 3.0,
        memory_limit: int = 1024,
        jail: Literal["auto", "bubblewrap", "native"] = "auto",
        workers: int | None = None,
        self_check: Literal["kept", "full"] = "kept",
    ) -> None:
        options = RunOptions(
            track=track or track_of(data),
            data=str(data),
            model="gold:",
            form=form,
            profiles=(profile,),
            limits=Limits(cpu_s=cpu_limit, memory_mb=memory_limit),
            jail=jail,
            self_check=self_check,
        )
        self._plan = make_plan(options)
        self._tasks = {name: task for task in self._plan.tasks.values() for name in _names(task)}
        self._criteria: dict[TaskId, Criterion] = {}
        setup = ExecutorSetup(
            workers=workers, jail=self._plan.jail, limits=options.limits, track=options.track, form=form
        )
        plan = self._plan
        self._service = JudgeService(lambda: open_local(setup), lambda pool: _prove(plan, pool))
        self._finalizer = weakref.finalize(self, self._service.close)
        try:
            self.self_check: SelfCheck = self._service.wait_ready()
        except BaseException:
            self._finalizer()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the workers. Calls that still wait raise UsageError."""
        self._finalizer()

    @property
    def task_ids(self) -> list[TaskId]:
        """The ids of the tasks, in the order of the data set."""
        return list(self._plan.tasks)

    def judge(self, task_id: TaskId, text: str) -> Verdict:
        """Return the verdict on the text of an answer, as a model would give it."""
        answer, future = self._submit(task_id, text)
        return self._verdict(answer, _result(future))

    async def ajudge(self, task_id: TaskId, text: str) -> Verdict:
        """Return the verdict without blocking the event loop. A cancelled call is not judged."""
        answer, future = self._submit(task_id, text)
        return self._verdict(answer, await asyncio.wrap_future(future))

    def judge_many(self, answers: Iterable[tuple[TaskId, str]]) -> Iterator[Verdict]:
        """Yield the verdicts on pairs of a task id and a text, in their order.

        Takes only a bounded number of pairs ahead.
        """
        waiting = deque[tuple[Answer, Future[Judgement]]]()
        most = _AHEAD * self._size
        try:
            for task_id, text in answers:
                waiting.append(self._submit(task_id, text))
                if len(waiting) >= most:
                    answer, future = waiting.popleft()
                    yield self._verdict(answer, _result(future))
            while waiting:
                answer, future = waiting.popleft()
                yield self._verdict(answer, _result(future))
        finally:
            for _, future in waiting:
                future.cancel()

    def _submit(self, task_id: TaskId, text: str) -> tuple[Answer, Future[Judgement]]:
        task = self._tasks.get(task_id)
        if task is None:
            hint = nearest_hint(str(task_id), map(str, self._plan.tasks), otherwise="see judge.task_ids")
            raise UsageError(f"task_id={task_id!r}: unknown task", hint=hint)
        if not isinstance(text, str):
            raise UsageError(f"text: must be str, not {type(text).__name__}", hint="pass the answer's text")
        key = content_key("judge", task.revision, text)
        answer = Answer(key=key, task_id=task.task_id, sample=0, model="judge", text=text)
        criterion = self._criteria.get(task.task_id)
        if criterion is None:
            criterion = criterion_of(self._plan, answer, self._plan.profiles[0])
            self._criteria[task.task_id] = criterion
        return answer, self._service.submit(answer, criterion)

    def _verdict(self, answer: Answer, judgement: Judgement) -> Verdict:
        return verdict_on(self._plan, answer, judgement, self._plan.profiles[0])

    @property
    def _size(self) -> int:
        return self._service.size


def _names(task: Task) -> set[TaskId]:
    return {task.task_id, str(task.task_id)}


def _result(future: Future[Judgement]) -> Judgement:
    try:
        return future.result()
    except BaseException:
        future.cancel()  # a caller that was interrupted waits no more
        raise


def _prove(plan: Plan, pool: Executor) -> SelfCheck:
    watch = Silent()
    with_defaults(plan.track).prepare(plan.tasks.values(), note=watch.note)
    with (
        errors_in_python(_COMMAND),
        TemporaryDirectory(prefix="benchwright-judge-") as folder,
        RunFolder.open(Path(folder) / "run", plan.manifest(), mode="new") as run,
    ):
        return SelfChecking(plan, run, watch).prove(pool, canaries_first=True)
