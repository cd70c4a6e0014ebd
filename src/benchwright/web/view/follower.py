"""Follows one run folder while it grows: which answers are there, how they ended, and how the run is doing.

Texts stay on disk; a row holds the places of its answer and its verdict in their files.
"""

from __future__ import annotations

import math
import stat
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from benchwright.asking.cost import cost
from benchwright.contracts import RequestOptions
from benchwright.display.escape import escaped_path
from benchwright.display.wording import in_order
from benchwright.errors import BenchwrightError, RunError
from benchwright.records import Event, Outcome, TaskId
from benchwright.running.run_data import read_score
from benchwright.running.run_folders import FAILED
from benchwright.store.atomic_files import is_locked
from benchwright.store.runfolder import RunFolder
from benchwright.store.strict_json import NOT_JSON
from benchwright.web.view.line_tail import LineTail, TailPart

WAITING = "waiting"  # in place of an outcome: the answer is not judged yet
WINDOW_S = 60.0  # the time over which the rate is measured
SHORTEST_S = 5.0  # no rate is computed over less
MOST_DAMAGED = 20  # damaged rows that are listed; all are counted
RowKey = tuple[TaskId, int]


class AnswerHead(msgspec.Struct, frozen=True):
    """The part of an answer's row that the view needs."""

    task_id: TaskId
    sample: int
    error: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None


class VerdictHead(msgspec.Struct, frozen=True):
    """The part of a verdict's row that the view needs."""

    task_id: TaskId
    sample: int
    outcome: Outcome


class FollowedRow(msgspec.Struct, frozen=True, gc=False):
    """An answer: its number in order of arrival, and the offsets of its rows."""

    order: int
    task_id: TaskId
    sample: int
    answer: int
    verdict: int | None = None
    outcome: str = WAITING
    failed: bool = False
    tokens_in: int = 0
    tokens_out: int = 0


class DamagedRow(NamedTuple):
    """A row that cannot be read."""

    file: str
    line: int
    why: str


class RunState(NamedTuple):
    """A run at one moment. `why` explains the states "failed" and "damaged"."""

    state: str = "stopped"  # running, stopped, finished, failed or damaged
    why: str = ""
    answered: int = 0
    failed: int = 0  # answers that the model did not give
    judged: int = 0
    planned: int | None = None  # answers of the finished run
    outcomes: tuple[tuple[str, int], ...] = ()
    rate: float | None = None  # answers a minute
    rate_s: float = 0.0  # seconds over which it was measured
    tokens: int = 0
    cost: float | None = None
    damaged: int = 0
    partial: tuple[str, ...] = ()  # files whose last row is incomplete
    is_reading: bool = False  # rows on disk have not all been read yet


class RunFollower:
    """One run folder. Not safe for use by several threads at once."""

    def __init__(self, path: Path, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.path, self._clock = path, clock
        self.manifest: dict[str, Any] = {}
        self.rows: dict[RowKey, FollowedRow] = {}
        self.damaged: list[DamagedRow] = []
        self.state = RunState()
        self.version = 0  # changes with rows and state
        self._stamp: object = None
        self._orders = 0
        self._outcomes: Counter[str] = Counter()
        self._tokens_in = self._tokens_out = self._failed = 0
        self._early: dict[RowKey, tuple[int, str]] = {}  # verdicts whose answer was not read yet
        self._rates: deque[tuple[float, int]] = deque()
        self._files: dict[str, _FollowedFile] = {}
        self._last_event: Event | None = None
        self._is_level = False  # whether all rows on disk were read at the last refresh

    @property
    def prefix(self) -> str:
        """The prefix of the files that are followed: an agent's run has its rounds until it is finished."""
        has_agent = "agent" in self.manifest.get("identity", {})
        return _ROUNDS if has_agent and not (self.path / "answers.jsonl").exists() else ""

    def refresh(self, *, rows: bool = True) -> None:
        """Read new rows. A damaged folder is a state, not an error.

        Without `rows`, the counts of a finished run are those of its score, and its rows are not read.
        """
        before, changed = self.state, False
        try:
            self._read_manifest()
            if rows or self._files or (state := self._state_of_score()) is None:
                changed = self._read_rows()
                state = self._state()
            self.state = state
        except (BenchwrightError, OSError) as error:
            why = error.message if isinstance(error, BenchwrightError) else str(error.strerror)
            self.state = self.state._replace(state="damaged", why=why, rate=None)
        if changed or self.state != before:
            self.version += 1

    def newest(self) -> Iterator[FollowedRow]:
        """The rows, those that arrived last first."""
        return reversed(self.rows.values())

    def _read_manifest(self) -> None:
        found = (self.path / "run.json").stat()
        stamp = (found.st_ino, found.st_mtime_ns, found.st_size)
        if stamp == self._stamp:
            return
        if not stat.S_ISREG(found.st_mode):  # a pipe would be waited for
            raise RunError(f"{escaped_path(self.path / 'run.json')} is not a regular file")
        self.manifest = RunFolder.read(self.path).manifest
        self._stamp = stamp

    def _state_of_score(self) -> RunState | None:
        """The state of a finished run; None for others."""
        if self._condition() != ("finished", ""):
            return None
        score = read_score(RunFolder(self.path, self.manifest))
        return RunState(
            state="finished",
            answered=score.answers,
            failed=score.outcomes.get(Outcome.model_error.value, 0),
            judged=score.answers,
            planned=self._planned() or score.answers,
            outcomes=_in_order(score.outcomes),
            tokens=score.tokens_in + score.tokens_out,
            cost=self._cost(score.tokens_in, score.tokens_out),
        )

    def _read_rows(self) -> bool:
        prefix = self.prefix
        if not prefix:  # the answers of all rounds are replaced by the last ones
            followed = {name: file for name, file in self._files.items() if not name.startswith(_ROUNDS)}
            self._is_level = self._is_level and len(followed) == len(self._files)
            self._files = followed
        changed = self._follow(
            f"{prefix}answers.jsonl", self._take_answer, self._drop_answer, lambda: self.rows
        )
        changed |= self._follow(
            f"{prefix}verdicts.jsonl", self._take_verdict, self._drop_verdict, self._judged_keys
        )
        self._follow(_EVENTS, self._take_event, lambda _: None, lambda: ())
        self._is_level = all(file.part is not None and file.part.at_end for file in self._files.values())
        return changed

    def _follow(
        self,
        name: str,
        take: Callable[[bytes, int], RowKey | None],
        drop: Callable[[RowKey], None],
        known: Callable[[], Iterable[RowKey]],
    ) -> bool:
        """Read new rows of a file. `known` are the keys of the rows that were read from it."""
        file = self._files.setdefault(name, _FollowedFile(LineTail(self.path / name)))
        changes = [self._follow_part(name, file, part, take, drop, known) for part in file.tail.parts()]
        return any(changes)

    def _follow_part(
        self,
        name: str,
        file: _FollowedFile,
        part: TailPart,
        take: Callable[[bytes, int], RowKey | None],
        drop: Callable[[RowKey], None],
        known: Callable[[], Iterable[RowKey]],
    ) -> bool:
        if part.restarted:
            file.stale, file.damaged = set(known()), 0
            self.damaged = [each for each in self.damaged if each.file != name]
        for line in part.lines:
            why = "the row is too long" if line.data is None else ""
            try:
                key = None if line.data is None else take(line.data, line.offset)
            except NOT_JSON as error:
                key, why = None, str(error)
            if why:
                self._note_damage(DamagedRow(name, line.number, why))
            if key is not None:
                file.stale.discard(key)
        stale_keys = file.stale if part.at_end else set()
        for key in stale_keys:
            drop(key)
        file.stale = file.stale - stale_keys
        file.part = part._replace(lines=[])
        return bool(part.lines or stale_keys)

    def _note_damage(self, row: DamagedRow) -> None:
        if len(self.damaged) < MOST_DAMAGED:
            self.damaged.append(row)
        self._files[row.file].damaged += 1

    def _take_answer(self, data: bytes, offset: int) -> RowKey:
        head = _ANSWER(data)
        key = _row_key(head)
        old = self.rows.get(key)
        if old is None:
            self._orders += 1
        row = FollowedRow(
            order=self._orders if old is None else old.order,
            task_id=key[0],
            sample=key[1],
            answer=offset,
            failed=head.error is not None,
            tokens_in=head.tokens_in or 0,
            tokens_out=head.tokens_out or 0,
        )
        judged = self._early.pop(key, None)
        if old is not None and old.verdict is not None and not self._is_asked_again(key):
            judged = old.verdict, old.outcome
        self._put(key, row if judged is None else replace(row, verdict=judged[0], outcome=judged[1]))
        return key

    def _is_asked_again(self, key: RowKey) -> bool:
        """Return whether a second answer to the same question was added, which will have another verdict."""
        answers = self._files[f"{self.prefix}answers.jsonl"]
        return self._is_level and key not in answers.stale

    def _judged_keys(self) -> Iterator[RowKey]:
        yield from self._early
        yield from (key for key, row in self.rows.items() if row.verdict is not None)

    def _take_verdict(self, data: bytes, offset: int) -> RowKey:
        head = _VERDICT(data)
        key = _row_key(head)
        if (row := self.rows.get(key)) is None:
            self._early[key] = offset, head.outcome.value
        else:
            self._put(key, replace(row, verdict=offset, outcome=head.outcome.value))
        return key

    def _take_event(self, data: bytes, _offset: int) -> None:
        self._last_event = _EVENT(data)

    def _drop_answer(self, key: RowKey) -> None:
        row = self.rows.get(key)
        self._put(key, None)
        if row is not None and row.verdict is not None:
            self._early[key] = row.verdict, row.outcome

    def _drop_verdict(self, key: RowKey) -> None:
        self._early.pop(key, None)
        if (row := self.rows.get(key)) is not None:
            self._put(key, replace(row, verdict=None, outcome=WAITING))

    def _put(self, key: RowKey, row: FollowedRow | None) -> None:
        """Set or remove a row, and keep the sums."""
        for each, sign in ((self.rows.get(key), -1), (row, 1)):
            if each is not None:
                self._outcomes[each.outcome] += sign
                self._tokens_in += sign * each.tokens_in
                self._tokens_out += sign * each.tokens_out
                self._failed += sign * each.failed
        if row is not None:
            self.rows[key] = row
        else:
            self.rows.pop(key, None)

    def _state(self) -> RunState:
        is_reading = not self._is_level
        state, why = self._condition()
        rate, rate_s = self._rate(is_measured=state == "running" and not is_reading)
        return RunState(
            state=state,
            why=why,
            answered=len(self.rows),
            failed=self._failed,
            judged=len(self.rows) - self._outcomes[WAITING],
            planned=self._planned() or (len(self.rows) if state == "finished" else None),
            outcomes=_in_order(self._outcomes),
            rate=rate,
            rate_s=rate_s,
            tokens=self._tokens_in + self._tokens_out,
            cost=self._cost(self._tokens_in, self._tokens_out),
            damaged=sum(file.damaged for file in self._files.values()),
            partial=tuple(
                n for n, file in self._files.items() if file.part is not None and file.part.partial
            ),
            is_reading=is_reading,
        )

    def _condition(self) -> tuple[str, str]:
        if is_locked(self.path):
            return "running", ""
        if "finished" in self.manifest and (self.path / "scores.json").exists():
            return "finished", ""
        event = self._last_event
        if event is not None and event.kind == FAILED and self._is_last(_EVENTS):
            return "failed", str(event.detail.get("why", ""))
        return "stopped", ""

    def _is_last(self, name: str) -> bool:
        """Return whether no followed file was written after this one."""
        times = {each: _written_at(self.path / each) for each in self._files}
        return times.get(name, 0) >= max(times.values(), default=0)

    def _rate(self, *, is_measured: bool) -> tuple[float | None, float]:
        """Answers a minute over the last minute, or longer if no page was open, and the seconds."""
        if not is_measured:
            self._rates.clear()
            return None, 0.0
        now = self._clock()
        self._rates.append((now, len(self.rows)))
        while len(self._rates) > 1 and now - self._rates[1][0] >= WINDOW_S:
            self._rates.popleft()
        start, number = self._rates[0]
        passed = now - start
        if passed < SHORTEST_S:
            return None, 0.0
        return 60 * max(0, len(self.rows) - number) / passed, round(passed)

    def _planned(self) -> int | None:
        number = _planned_of(self.manifest).get("answers")
        return number if isinstance(number, int) and number > 0 else None

    def _cost(self, tokens_in: int, tokens_out: int) -> float | None:
        return planned_cost(self.manifest, tokens_in, tokens_out)


_ROUNDS = "rounds."
_EVENTS = "events.jsonl"
_ANSWER = msgspec.json.Decoder(AnswerHead).decode
_VERDICT = msgspec.json.Decoder(VerdictHead).decode
_EVENT = msgspec.json.Decoder(Event).decode


def _row_key(head: AnswerHead | VerdictHead) -> RowKey:
    """The key of a row; equal ids of tasks are one text, because a run may have many samples of each."""
    task = head.task_id
    return (sys.intern(task) if isinstance(task, str) else task, head.sample)


class _FollowedFile:
    """A file of the folder, and the rows that were read from it."""

    def __init__(self, tail: LineTail) -> None:
        self.tail = tail
        self.stale: set[RowKey] = set()  # rows of the file before it was replaced, not seen in the new one
        self.damaged = 0
        self.part: TailPart | None = None


def _in_order(outcomes: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    """The outcomes that occur, as the report orders them; last the answers that wait."""
    names = {name for name, number in outcomes.items() if number}
    return tuple((name, outcomes[name]) for name in (*in_order(names - {WAITING}), *(names & {WAITING})))


def _planned_of(manifest: dict[str, Any]) -> dict[str, Any]:
    planned = manifest.get("planned")
    return planned if isinstance(planned, dict) else {}


def planned_cost(manifest: dict[str, Any], tokens_in: int, tokens_out: int) -> float | None:
    """The cost of tokens at the prices in `run.json`; None without valid prices."""
    prices = [_planned_of(manifest).get(name) for name in ("price_in", "price_out")]
    amounts = [each for each in prices if isinstance(each, int | float) and math.isfinite(each) and each >= 0]
    if len(amounts) < len(prices):
        return None
    return cost(RequestOptions(price_in=amounts[0], price_out=amounts[1]), tokens_in, tokens_out)


def _written_at(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def run_name(path: Path, top: Path) -> str:
    """The name of a run folder on the page: its path below the folder that is served."""
    return escaped_path(path.resolve().name if path == top else path.relative_to(top))
