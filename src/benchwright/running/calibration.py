"""Read what people and model judges say about a run's answers, to compare them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from benchwright.contracts import CalibratableTrack
from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import RunError, command_name
from benchwright.judges.people.agreement import reliability
from benchwright.judges.people.calibration import AnswerFacts, Drift, JudgeCalibration, calibrate, drift
from benchwright.judges.people.records import PREFERENCE, Vote
from benchwright.judges.people.results import results_of
from benchwright.records import TaskId
from benchwright.running.judged_items import equal_pairs, read_votes
from benchwright.running.run_data import data_of, find_run_data
from benchwright.stats.agreement import DRAWS
from benchwright.stats.bradley_terry import PairVote, Result
from benchwright.store.runfolder import RunFolder


class Calibration(NamedTuple):
    """Each judge of a run compared with people, and each pair of judging methods compared with each other."""

    judges: list[JudgeCalibration]
    drift: list[Drift]


def has_assessments(folder: RunFolder) -> bool:
    """Whether model judges have assessed the run's answers."""
    return next(folder.assessments(), None) is not None


def calibration_of(
    folder: RunFolder, strata: Mapping[TaskId, str] | None = None, *, draws: int = DRAWS
) -> Calibration:
    """Compare a run's model judges with people. `strata` names the stratum of each task.

    Raises RunError where no model judge has assessed the run.
    """
    assessments = list(folder.assessments())
    if not assessments:
        hint = "run its command again with --judge SPEC"
        raise RunError(f"no model judge has assessed {escaped_path(folder.path)}", hint=hint)
    answers = {
        answer.row: AnswerFacts(answer.task_id, len(answer.text), (strata or {}).get(answer.task_id, ""))
        for answer in folder.answers()
    }
    votes = read_votes(folder)
    alphas = {field: each.value for field, each in reliability(votes).items()}
    judges = calibrate(results_of(votes), assessments, answers, alphas=alphas, draws=draws)
    return Calibration(judges, drift(assessments, draws=draws))


class HumanVotes(NamedTuple):
    """The votes on several runs, each once; and those that compare answers of two of the runs."""

    votes: list[Vote]
    pairs: list[PairVote]
    unpaired: int  # preferences about an answer of a run that was not named, or between two answers of one
    equal: int | None  # equal answers of compared runs, which are not shown to people; None: unknown


def votes_of(folders: Sequence[RunFolder]) -> HumanVotes:
    """Return the votes of people on these runs, by the names of their folders.

    A vote on a pair is stored in the folders of both runs, and counts once. Raises RunError if there are no
    votes.
    """
    votes: dict[str, Vote] = {}
    runs: dict[str, str] = {}
    for folder in folders:
        votes |= {vote.vote: vote for vote in read_votes(folder)}
        runs |= {answer.key: str(folder.path) for answer in folder.answers()}
    if not votes:
        hint = f"{command_name()} judge import FILE --run {quoted(folders[0].path)}"
        run_list = ", ".join(escaped_path(folder.path) for folder in folders)
        raise RunError(f"nobody has judged {run_list}: there is no votes.jsonl", hint=hint)
    all_votes = list(votes.values())
    preferences = [vote for vote in all_votes if vote.field == PREFERENCE and vote.round == "first"]
    pairs = [pair for vote in preferences if (pair := _pair(vote, runs)) is not None]
    return HumanVotes(all_votes, pairs, len(preferences) - len(pairs), _equal(folders, pairs))


def _equal(folders: Sequence[RunFolder], pairs: Sequence[PairVote]) -> int | None:
    folders_by_path = {str(folder.path): folder for folder in folders}
    compared = sorted({tuple(sorted((pair.a, pair.b))) for pair in pairs})
    data = {name: data_of(folders_by_path[name]) for name, _ in compared}
    if any(each.absent for each in data.values()):
        return None
    return sum(
        equal_pairs(folders_by_path[one], folders_by_path[other], data[one]) for one, other in compared
    )


_RESULTS: dict[int | str, Result] = {"a": "a", "b": "b", "tie": "tie", "both_bad": "both_bad"}


def _pair(vote: Vote, runs: Mapping[str, str]) -> PairVote | None:
    sides = [runs[key] for key in vote.answers if key in runs]
    if len(set(sides)) != 2:
        return None
    return PairVote(sides[0], sides[1], _RESULTS[vote.value], str(vote.task_id))


def strata_of(folder: RunFolder, named: str | None = None) -> dict[TaskId, str]:
    """Return the stratum of each task, as its track defines it; empty where the run's data set is missing."""
    data = find_run_data(folder, named)
    if not isinstance(data.track, CalibratableTrack):
        return {}
    return {task_id: data.track.stratum(task) for task_id, task in data.tasks().items()}
