"""Records of the index about a run folder, and the requests to the process that reads them."""

from __future__ import annotations

import hashlib
import re
import zlib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import msgspec

from benchwright.contracts import Measure
from benchwright.display.escape import escaped_name, escaped_path
from benchwright.rank.comparability import comparison_key
from benchwright.rank.contestant import Contestant, read_contestant
from benchwright.records import Metric, Record, Score
from benchwright.running.human_labels import people_of
from benchwright.running.run_data import measures_of, open_run
from benchwright.store.runfolder import RunFolder
from benchwright.version import VERSION
from benchwright.web.view.follower import planned_cost

FINISHED, RUNNING, STOPPED, FAILED = "finished", "running", "stopped", "failed"
DAMAGED, GONE, NEWER = "damaged", "gone", "newer"
PROBLEMS = (DAMAGED, GONE, NEWER)
LONGEST = 200  # characters of a text


class IndexedRun(Record, frozen=True, kw_only=True):
    """A run folder in lists and leaderboards, as pages show it."""

    key: str
    path: str
    name: str
    state: str
    why: str = ""  # of the states failed, damaged, gone and newer
    hint: str = ""
    is_read_only: bool = False
    track: str = ""
    data: str = ""
    profile: str = ""
    form: str = ""
    judging: int = 0
    model: str = ""
    title: str = ""  # the name that its suite gave it
    started: str = ""
    finished: str = ""
    planned: int | None = None
    answers: int = 0
    judged: int = 0
    missing: int = 0
    outcomes: dict[str, int] = {}
    metrics: dict[str, Metric] = {}  # empty unless the run is finished and its self-check passed
    measures: list[Measure] = []  # of the metrics, in the order of tables
    isolation: dict[str, int] = {}  # verdicts by isolation
    cost: float | None = None
    self_check: str = ""  # why it failed; empty if it passed
    grading: str = ""  # of graded answers: "calibrated", "uncalibrated" or "rules only"
    settings: str = ""  # of ComparisonKey
    prompts: str = ""
    digest: str = ""  # of the contestant

    @property
    def has_score(self) -> bool:
        """Whether its figures may be shown."""
        return self.state == FINISHED and not self.self_check

    @property
    def headline(self) -> Measure | None:
        """The measure that its track names first, of those that it has."""
        return self.measures[0] if self.measures else None

    @property
    def date(self) -> str:
        """When it ended, else when it began: ISO 8601, UTC."""
        return self.finished or self.started


class _IsolationField(msgspec.Struct):
    isolation: str = "none"


def read_facts(path: Path, *, key: str, name: str) -> tuple[IndexedRun, bytes]:
    """The facts of a finished run and its packed contestant, which is empty if the self-check failed.

    Raises BenchwrightError for a folder that cannot be read.
    """
    folder = open_run(path)
    contestant = read_contestant(folder)
    score, manifest = contestant.score, folder.manifest
    is_finished = "finished" in manifest  # else it was killed while it wrote its score
    broken = _broken_check(score) if is_finished else "the run did not end"
    packed = b"" if broken else pack_contestant(contestant)
    known = comparison_key(contestant)
    ordered = [] if broken else contestant.measures.in_order(score.metrics)
    facts = IndexedRun(
        key=key,
        path=escaped_path(path),
        name=name,
        state=FINISHED if is_finished else STOPPED,
        track=shown_text(contestant.track),
        data=shown_text(contestant.data),
        profile=shown_text(contestant.profile),
        form=shown_text(contestant.form),
        judging=contestant.judging,
        model=shown_text(contestant.model),
        title=shown_text(contestant.given),
        started=shown_text(manifest.get("started")),
        finished=shown_text(manifest.get("finished")),
        planned=score.answers,
        answers=score.answers,
        judged=score.answers,
        missing=score.missing,
        outcomes=score.outcomes,
        metrics={} if broken else score.metrics,
        measures=[contestant.measure(name) for name in ordered],
        isolation=_isolation(folder),
        cost=planned_cost(manifest, score.tokens_in, score.tokens_out),
        self_check=broken,
        grading=_grading(contestant),
        settings=known.settings,
        prompts=known.prompts,
        digest=hashlib.sha256(packed).hexdigest(),
    )
    return facts, packed


def newer_version(manifest: Mapping[str, object]) -> str:
    """The version of Benchwright that wrote a run, if it is later than this one; else empty."""
    written = manifest.get("version")
    if not isinstance(written, str) or _numbers(written) <= _numbers(VERSION):
        return ""
    return shown_text(written)


def _numbers(version: str) -> list[int]:
    found = re.match(r"[0-9]{1,9}(\.[0-9]{1,9}){0,4}", version)
    return [int(each) for each in found[0].split(".")] if found else []


def pack_contestant(contestant: Contestant) -> bytes:
    """A contestant as bytes; figures are kept to the last digit."""
    return zlib.compress(msgspec.msgpack.encode(contestant), 6)


def unpack_contestant(data: bytes) -> Contestant:
    """The contestant of these bytes."""
    return msgspec.msgpack.decode(zlib.decompress(data), type=Contestant)


def _broken_check(score: Score) -> str:
    check = score.self_check
    if check.holds:
        return ""
    gold = f"{check.gold_passed} of {check.gold_total} reference solutions passed"
    return f"{gold}, {check.stub_passed} of {check.stub_total} stubs passed"


def _isolation(folder: RunFolder) -> dict[str, int]:
    """The number of verdicts by isolation."""
    decode = msgspec.json.Decoder(_IsolationField).decode
    with folder.verdicts_path().open("rb") as lines:
        return dict(sorted(Counter(decode(line).isolation for line in lines).items()))


def _grading(contestant: Contestant) -> str:
    """Whether model judges or people graded, and whether their grades are calibrated; empty for others."""
    score = contestant.score
    judges = score.details.get("judges", {})
    people = people_of(score)
    if not judges and people is None:
        return "rules only" if measures_of(contestant.track).grade else ""
    if people is not None and people.decided:
        return "calibrated"  # decided by people, no model judge was asked
    is_calibrated = bool(judges) and all(fact.get("calibrated") for fact in judges.values())
    return "calibrated" if is_calibrated else "uncalibrated"


def shown_text(value: object) -> str:
    """A text of a run folder, safe to store and to show; empty for other values."""
    return escaped_name(value, LONGEST) if isinstance(value, str) else ""
