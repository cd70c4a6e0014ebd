"""Self-check: before a run scores, reference solutions must pass and stubs must fail.

The first run of a data set on this machine since its start checks all tasks. Its result is cached for later
runs. They prove their own sandbox with a few canaries, drawn at random and judged among their answers. The
cached result is valid for everything that decides its verdicts: data, code, rules, interpreter, limits, jail,
kernel, and the start of the machine. Its rows have the keys of verdicts, so a run of some tasks takes the
rows that it needs and adds missing ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

import msgspec

from benchwright import registry
from benchwright.contracts import NOT_SCORED, Executor, Job, Judgement, LintSpec, ProgramSpec, Spec
from benchwright.display.escape import escaped_path
from benchwright.errors import BenchwrightError, DataError, PrerequisiteError, SelfCheckError, command_name
from benchwright.executing.executors import LOCAL
from benchwright.progress import Watcher, stage
from benchwright.records import Answer, Outcome, Proof, SelfCheck, Task, Verdict
from benchwright.running.judging import (
    EACH,
    CanaryExecutor,
    criterion_of,
    drawn,
    judge,
    lacked_environment,
    prepare_tasks,
    reporter,
    verdict_key,
    verdict_on,
)
from benchwright.running.plan import Plan
from benchwright.running.run_folders import has_other_rules
from benchwright.sandbox.machine_identity import files_identity, machine, profile_versions
from benchwright.store.keys import content_key
from benchwright.store.runfolder import RunFolder, utc_now
from benchwright.store.user_cache import drop_cached, read_cached, user_cache, write_cached
from benchwright.store.writing import decode_record, read_records
from benchwright.version import VERSION

FILE = "self_check.jsonl"
GOLD, STUB = 0, 1  # the sample numbers of self-check answers
PROFILE = "strict"
SHOWN = 5
FEW = 4 * EACH  # answers that are all executed: to draw canaries from them would save nothing


class SelfChecking:
    """The self-check of one session of a run: `prove` before answers are judged, `among` while they are.

    `on` is the name of the executor. Only `local` uses the kept self-check, which holds for this machine.
    """

    def __init__(self, plan: Plan, folder: RunFolder, watch: Watcher, *, on: str = LOCAL) -> None:
        self._plan, self._folder, self._watch = plan, folder, watch
        self._answers = {verdict_key(plan, each.key, PROFILE): each for each in _answers(plan)}
        self._cache = SelfCheckCache(plan, watch, on=on)
        self._full = plan.options.self_check == "full"
        # Reading labels costs less than to look for a kept result.
        self._may_keep = plan.track.executes and len(self._answers) > FEW
        self._rows: dict[str, Proof] = {}  # by key, the last proof
        self._proofs: list[Proof] = []  # all proofs, in order
        self._fresh: dict[str, Proof] = {}  # of this session
        self._earlier_proofs: dict[str, Proof] = {}  # proofs of earlier runs
        self._planted: list[Answer] = []

    def prove(self, pool: Executor, *, canaries_first: bool = False) -> SelfCheck:
        """Judge reference answer and stub of every task by the strict profile, where the proof is missing.

        `canaries_first` judges the canaries here and not among answers.

        Raises SelfCheckError with the tasks where a reference answer fails or a stub passes, and
        PrerequisiteError where this machine cannot execute answers at all.
        """
        if has_other_rules(self._plan, self._folder):
            self._path.unlink(missing_ok=True)
        self._take_known()
        waiting = {key: each for key, each in self._answers.items() if key not in self._rows}
        with stage(self._watch, "self-check", total=len(self._answers), done=len(self._rows)):
            if self._is_to_be_paid_for or canaries_first:
                self._judge(pool, self._draw(), how="canary")
            self._judge(pool, waiting.values(), how="run")
        check = self.result()
        if not check.holds:
            self._cache.forget()
            raise SelfCheckError(_complaint(check), hint=_hint(self._plan, check))
        if self._fresh and self._may_keep:
            self._cache.keep({**self._earlier_proofs, **self._fresh}.values())
        return check

    def among(self, pool: Executor) -> Executor:
        """Return the executor for the run's answers. It mixes in canaries new to this session.

        Raises as `prove` where a canary ends wrongly.
        """
        self._planted = self._draw()
        return CanaryExecutor(pool, self._canaries, self._ended) if self._planted else pool

    def result(self) -> SelfCheck:
        """Return the self-check so far."""
        return msgspec.structs.replace(_conclude(self._rows.values()), **_proof_facts(self._proofs))

    @property
    def _path(self) -> Path:
        return self._folder.path / FILE

    @property
    def _is_to_be_paid_for(self) -> bool:
        """Whether answers must still be asked for, which needs a machine that can judge them."""
        return self._plan.live and "finished" not in self._folder.manifest

    def _take_known(self) -> None:
        """Load valid rows: those of this folder, and those cached by an earlier run on this machine."""
        rows = read_records(self._path, Proof, torn="skip") if self._path.exists() else iter(())
        for row in rows:
            if self._is_valid(row) and not (self._full and row.how != "run"):
                self._learn(row)
        if self._may_keep and not self._full and len(self._rows) < len(self._answers):
            self._take_kept()

    def _take_kept(self) -> None:
        self._earlier_proofs = {row.key: row for row in self._cache.rows() if not _is_bad(row)}
        needed = [
            row for row in self._earlier_proofs.values() if self._is_valid(row) and row.key not in self._rows
        ]
        if not needed:
            return
        rows = [msgspec.structs.replace(row, how="kept") for row in needed]
        with self._folder.self_check_writer() as writer:
            writer.append_all(rows)
        for row in rows:
            self._learn(row)
        self._folder.event("self_check_kept", rows=len(rows), since=min(row.at for row in rows))

    def _is_valid(self, row: Verdict) -> bool:
        """Whether a row is valid. Other rows are judged again, since the machine may be the cause."""
        if self._plan.options.repositories and lacked_environment(row):
            return False
        return row.key in self._answers and not _is_bad(row)

    def _learn(self, row: Proof) -> None:
        self._rows[row.key] = row
        self._proofs.append(row)

    def _draw(self) -> list[Answer]:
        """Draw reference answers and stubs that this session has not judged."""
        if not self._may_keep:
            return []
        known = [self._answers[key] for key in self._rows if key not in self._fresh]
        gold, stubs = ([each for each in known if each.sample == sample] for sample in (GOLD, STUB))
        return [*drawn(gold), *drawn(stubs)]

    def _judge(self, pool: Executor, answers: Iterable[Answer], *, how: str) -> None:
        plan, watch, ends = self._plan, self._watch, list[Verdict]()
        ready, trouble = prepare_tasks(plan, answers, watch), reporter(self._folder, watch)
        with self._folder.self_check_writer() as writer:
            for verdict in judge(plan, pool, ready, profile=PROFILE, trouble=trouble):
                row = _proof(verdict, how)
                writer.append(row)
                self._learn(row)
                if how == "run":
                    self._fresh[row.key] = row
                    watch.tick(verdict.outcome)
                ends.append(verdict)
                _stop_if_nothing_runs(ends)

    def _canaries(self, like: Answer | str) -> Iterator[Job]:
        """Yield the jobs of canaries, which look like an answer of the run."""
        assert isinstance(like, Answer)
        for number, answer in enumerate(self._planted):
            criterion = criterion_of(self._plan, answer, PROFILE)
            canary = msgspec.structs.replace(
                answer, sample=like.sample, model=like.model, prompt=like.prompt, round=like.round
            )
            yield Job(number, canary, criterion)

    def _ended(self, number: int, judgement: Judgement) -> None:
        """Record the judgement of a canary. A wrong one ends the run and invalidates the cache."""
        if judgement.trouble:
            reporter(self._folder, self._watch)(judgement.trouble)
        verdict = verdict_on(self._plan, self._planted[number], judgement, PROFILE)
        row = _proof(verdict, "canary")
        self._learn(row)
        if _is_bad(row):
            self._invalidate(row)
        with self._folder.self_check_writer() as writer:
            writer.append(row)

    def _invalidate(self, row: Proof) -> NoReturn:
        self._cache.forget()
        self._path.unlink(missing_ok=True)
        facts = {"task_id": row.task_id, "sample": row.sample, "outcome": row.outcome.value}
        self._folder.event("canary_failed", **facts)
        if row.outcome is Outcome.sandbox_error and not any(
            each.how == "canary" for each in self._proofs[:-1]
        ):
            raise _nothing_runs(row)
        message = f"{_complaint(self.result())}\nthe self-check passed before, so this machine has changed"
        raise SelfCheckError(message, hint=f"{command_name()} doctor")


def _proof(verdict: Verdict, how: str) -> Proof:
    fields = {name: getattr(verdict, name) for name in Verdict.__struct_fields__}
    return Proof(**fields, at=utc_now(), how=how)


def _is_bad(row: Verdict) -> bool:
    return not is_good(row) if row.sample == GOLD else stub_is_bad(row)


def is_good(verdict: Verdict | Judgement) -> bool:
    """Whether the rules accept an answer: it passed, was graded, or is left to a judge."""
    return verdict.outcome in (Outcome.passed, Outcome.scored, Outcome.undecided)


def is_left_out(verdict: Verdict | Judgement) -> bool:
    """Whether the task is left out of the score, so that neither gold nor stub decides anything."""
    return verdict.outcome is Outcome.undecided and verdict.detail.startswith(NOT_SCORED)


def stub_is_bad(verdict: Verdict | Judgement) -> bool:
    """Whether a stub ended wrongly: it was accepted, or has no verdict though its task is scored."""
    return not is_left_out(verdict) and (is_good(verdict) or verdict.outcome.is_missing)


def _stop_if_nothing_runs(ends: Sequence[Verdict]) -> None:
    """Raise PrerequisiteError where none of the first answers could be executed."""
    if len(ends) == SHOWN and all(row.outcome is Outcome.sandbox_error for row in ends):
        raise _nothing_runs(ends[0])


def _nothing_runs(row: Verdict) -> PrerequisiteError:
    message = f"the sandbox cannot run answers on this machine: {row.detail}"
    return PrerequisiteError(message, hint=f"{command_name()} doctor")


def _answers(plan: Plan) -> Iterator[Answer]:
    for task in plan.tasks.values():
        for sample, text in ((GOLD, plan.track.gold(task)), (STUB, plan.track.stub(task))):
            if text is not None:
                yield _answer(task, sample, text)


def _answer(task: Task, sample: int, text: str) -> Answer:
    key = content_key("self-check", task.revision, sample, text)
    return Answer(key=key, task_id=task.task_id, sample=sample, model="self-check", text=text)


def _conclude(rows: Iterable[Proof]) -> SelfCheck:
    verdicts = list(rows)
    gold = [verdict for verdict in verdicts if verdict.sample == GOLD]
    stub = [verdict for verdict in verdicts if verdict.sample == STUB]
    failures = [f"gold of {_describe(verdict)}" for verdict in gold if not is_good(verdict)]
    failures += [f"stub of {_describe(verdict)}" for verdict in stub if stub_is_bad(verdict)]
    return SelfCheck(
        gold_passed=sum(map(is_good, gold)),
        gold_total=len(gold),
        stub_passed=sum(is_good(verdict) and not is_left_out(verdict) for verdict in stub),
        stub_total=len(stub),
        failures=failures,
    )


def _proof_facts(rows: Sequence[Proof]) -> dict[str, Any]:
    """Return how many proofs are from earlier runs, since when, and how many were judged again."""
    own = {row.key for row in rows if row.how == "run"}
    kept_times = {row.key: row.at for row in rows if row.how == "kept" and row.key not in own}
    canaries = {row.key for row in rows if row.how == "canary" and row.key not in own}
    return {"kept": len(kept_times), "since": min(kept_times.values(), default=""), "canaries": len(canaries)}


def _describe(verdict: Verdict) -> str:
    return f"task {verdict.task_id}: {verdict.outcome.value} {verdict.detail}".rstrip()


def _complaint(check: SelfCheck) -> str:
    failures = "".join(f"\n  {line}" for line in check.failures[:SHOWN])
    more = len(check.failures) - SHOWN
    rest = f"\n  and {more} more" if more > 0 else ""
    return (
        f"self-check failed; score withheld: gold passed {check.gold_passed} of "
        f"{check.gold_total}, stub passed {check.stub_passed} of {check.stub_total}{failures}{rest}"
    )


def _hint(plan: Plan, check: SelfCheck) -> str:
    if all(" sandbox_error" in line for line in check.failures):
        return f"{command_name()} doctor"
    return f"repair these rows of {escaped_path(plan.options.data)}, or leave them out with --exclude TASK"


FORMAT = 1  # of the file
_MOST = 64 << 20  # bytes of one file: some 300,000 rows
_FILES = 64  # kept self-checks; each start of the machine begins new ones
_PACKAGE = Path(__file__).parents[1]
# Modules that do not affect verdicts.
_APART = (
    *("__pycache__", "auditing", "building", "cli", "demo", "interop", "rank", "report"),
    *("sources", "stub_server", "web"),
)


class SelfCheckCache:
    """The cached self-check of a plan's data on this machine. Nothing here raises."""

    def __init__(self, plan: Plan, watch: Watcher, *, on: str = LOCAL) -> None:
        self._plan, self._watch, self._on = plan, watch, on

    def rows(self) -> list[Proof]:
        """Return the cached proofs; none where the cache is missing or invalid."""
        path = self._path
        if path is None:
            return []
        try:
            body = read_cached(path, most=_MOST)
            return [] if body is None else list(_read(body, path))
        except DataError as error:
            self._watch.note(f"self-check cache ignored: {error.message}")
            return []

    def keep(self, rows: Iterable[Proof]) -> None:
        """Replace the cached proofs by these, without texts that quote tasks."""
        if self._path is not None:
            body = b"".join(msgspec.json.encode(_bare(row)) + b"\n" for row in rows)
            write_cached(self._path, body, files=_FILES)

    def forget(self) -> None:
        """Delete the cached proofs: the next run checks all tasks again."""
        if self._path is not None:
            drop_cached(self._path)

    @cached_property
    def _path(self) -> Path | None:
        """None where it is unknown what the result would hold for, as for answers executed elsewhere."""
        if self._on != LOCAL:
            return None
        try:
            known = scope(self._plan)
        except (BenchwrightError, OSError):
            return None
        return None if known is None else user_cache() / "self-checks" / f"{content_key(known)}.jsonl"


def scope(plan: Plan) -> dict[str, object] | None:
    """Return everything that a self-check's result depends on.

    None for a track or judge of another package, whose version is unknown here. Raises OSError and
    BenchwrightError where this machine cannot be identified.
    """
    specs = [plan.spec(task, "strict") for task in plan.tasks.values()]
    judges = {spec.judge for spec in specs}
    if plan.options.track not in registry.TRACKS or not judges <= registry.JUDGES.keys():
        return None
    return {
        "format": FORMAT,
        "track": plan.track.name,
        "judges": sorted(judges),
        **{name: plan.identity[name] for name in ("data", "form", "limits", "judging", "python")},
        "weights": plan.weights,
        "version": VERSION,
        "code": files_identity(_PACKAGE, left_out=_APART),
        "profiles": profile_versions(_profiles(specs)),
        "machine": machine(plan.jail),
    }


def _profiles(specs: Iterable[Spec]) -> set[str]:
    return {spec.environment for spec in specs if isinstance(spec, ProgramSpec | LintSpec)}


def _read(body: bytes, path: Path) -> Iterator[Proof]:
    decode = msgspec.json.Decoder(Proof).decode
    for number, line in enumerate(body.splitlines(), start=1):
        yield decode_record(decode, line, path, number)


def _bare(row: Proof) -> Proof:
    """Return the row without text: output and exceptions may quote a task, and data may be hidden."""
    return msgspec.structs.replace(row, detail="", stdout="", traceback="", parts={}, how="run")
