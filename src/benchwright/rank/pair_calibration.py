"""Calibration of model judges that compared two runs, against people who compared the same pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from benchwright.display.escape import escaped_path
from benchwright.errors import RunError
from benchwright.judges.people.agreement import Figures, LabelScale, pair_figures, reliability
from benchwright.judges.people.calibration import is_calibrated
from benchwright.judges.people.records import PREFERENCE, Vote
from benchwright.judges.people.results import PeopleResult, results_of
from benchwright.rank.judged_pairs import FILE, JudgedPair
from benchwright.records import Record, TaskId
from benchwright.stats.agreement import DRAWS
from benchwright.stats.intervals import Interval, wilson
from benchwright.store.keys import content_key
from benchwright.store.runfolder import RunFolder
from benchwright.store.writing import read_records

_SIDES = ("a", "b")
_OTHER_SIDE = {"a": "b", "b": "a"}


class PairCalibration(Record, frozen=True, kw_only=True):
    """One judge of pairs against people; a and b are the runs of `judge pairs`.

    `confusion` counts by people's preference, then by the judge's; "both bad" is a tie in both. `first`:
    how often the preferred answer was first, among replies with a preference; 0.5 means no bias.
    """

    judge: str
    pairs: int  # that people and the judge have compared
    blind: int  # results by people that rest on a blind vote
    calibrated: bool
    confusion: dict[str, dict[str, int]]
    agreement: Figures
    first: Interval | None
    alpha: float | None = None  # of people on preferences; None where no two judged one pair


def calibrate_pairs(
    pairs: RunFolder, run: RunFolder, votes: Sequence[Vote], *, draws: int = DRAWS
) -> list[PairCalibration]:
    """Calibrate each judge of a folder of `judge pairs` with the votes in the folder of one of its runs.

    Raises RunError if the folder has no pairs, or pairs of other runs.
    """
    path = pairs.path / FILE
    if not path.exists():
        hint = "give the folder written by `benchwright judge pairs … --out FOLDER`"
        raise RunError(f"{escaped_path(pairs.path)} has no compared pairs", hint=hint)
    side = _side(pairs, run)
    people = _by_people(results_of(votes), run, side)
    rows: dict[str, list[JudgedPair]] = {}
    for row in read_records(path, JudgedPair):
        rows.setdefault(row.judge, []).append(row)
    alpha = preferences.value if (preferences := reliability(votes).get(PREFERENCE)) else None
    return [_calibration(judge, own, people, alpha, draws) for judge, own in sorted(rows.items())]


def _side(pairs: RunFolder, run: RunFolder) -> str:
    """Whether the run is a or b of the pairs: by identity, else by its path at that time."""
    keys = pairs.manifest["identity"].get("runs", [])
    places = pairs.manifest.get("runs", [])
    for known, own in ((keys, content_key(run.manifest["identity"])), (places, str(run.path))):
        if known.count(own) == 1:
            return _SIDES[known.index(own)]
    message = f"{escaped_path(pairs.path)} does not compare {escaped_path(run.path)}"
    raise RunError(message, hint="give one of the two compared runs")


def _by_people(
    results: Sequence[PeopleResult], run: RunFolder, side: str
) -> dict[tuple[TaskId, int], tuple[str, int]]:
    """The run that people prefer by task and sample, and the number of blind votes."""
    samples = {answer.key: answer.sample for answer in run.answers()}
    found = {}
    for each in results:
        own = [place for place, key in enumerate(each.answers) if key in samples]
        if each.field != PREFERENCE or each.value is None or len(own) != 1:
            continue
        value = str(each.value)
        ours = "tie" if value not in _SIDES else side if value == _SIDES[own[0]] else _OTHER_SIDE[side]
        found[each.task_id, samples[each.answers[own[0]]]] = ours, each.votes
    return found


def _calibration(
    judge: str,
    rows: Sequence[JudgedPair],
    people: Mapping[tuple[TaskId, int], tuple[str, int]],
    alpha: float | None,
    draws: int,
) -> PairCalibration:
    compared = [row for row in rows if row.by == "judge" and row.result in (*_SIDES, "tie")]
    both = [(people[at], row.result) for row in compared if (at := (row.task_id, row.sample)) in people]
    labels = [(ours, theirs) for (ours, _), theirs in both]
    blind = sum(votes > 0 for _, votes in people.values())
    preferences = [(turn, side) for row in compared for turn, side in enumerate(row.said) if side in _SIDES]
    first = sum(side == _SIDES[turn] for turn, side in preferences)
    counts: dict[str, Counter[str]] = {}
    for ours, theirs in labels:
        counts.setdefault(ours, Counter())[theirs] += 1
    return PairCalibration(
        judge=judge,
        pairs=len(both),
        blind=blind,
        calibrated=is_calibrated(blind, alpha),
        alpha=alpha,
        confusion={ours: dict(sorted(row.items())) for ours, row in sorted(counts.items())},
        agreement=pair_figures(labels, LabelScale.of(PREFERENCE), draws=draws),
        first=wilson(first, len(preferences)) if preferences else None,
    )
