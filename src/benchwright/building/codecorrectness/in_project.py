"""Natural failures, executed once more among all files of their project.

A test that passes in its project and fails with its two files alone says nothing about the code: the
extraction failed. So such a row is kept only if it fails in the project too, and in the same way. A state of
history also needs the other state of its commit to pass there. A failure without another state needs its
whole test file to fail there; otherwise the removal of the other cases caused the failure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from benchwright.building.codecorrectness.labelling import Consensus, agree, job_of
from benchwright.building.codecorrectness.nouns import Candidate
from benchwright.building.codecorrectness.project_files import ProjectFiles
from benchwright.building.codecorrectness.readable import EARLY
from benchwright.executing.ledger import Execution, Ledger, RowSuite, execute
from benchwright.executing.runners import Runners
from benchwright.lang.source import in_project
from benchwright.progress import Watcher
from benchwright.records import Drop

PASSES_IN_PROJECT = "passes_in_project"
UNPROVEN = "project_unproven"  # the project could not be executed, or had another result
# Resources that a sandbox may lack and the project's own machine has. Without a passing state beside it, the
# cause of such a failure is unknown.
_OF_MACHINE = frozenset(
    ["processes", "environment", "files", "network", "assets", "native", "threads", "time", "sleep"]
)


class ProjectRun(NamedTuple):
    """The result of a candidate in its project.

    `settings`: project settings that were left out; `uncut`: the result of the whole test file.
    """

    told: Consensus
    settings: str = ""
    uncut: Consensus | None = None


def confirmed(
    failing: Sequence[Candidate],
    others: Mapping[str, Candidate],
    files: ProjectFiles,
    *,
    ledger: Ledger,
    runners: Runners,
    watch: Watcher,
) -> dict[str, Drop]:
    """The failures that their project does not confirm, by revision.

    `others`: for the revision of a failure, the passing state of the same commit.
    """
    wanted = {each.revision: each for each in (*failing, *others.values())}
    jobs, settings = list[RowSuite](), dict[str, str]()
    for revision, each in sorted(wanted.items(), key=lambda item: (item[1].repository, item[1].commit)):
        job, settings[revision] = _job(each, files)
        jobs += [job] if job is not None else []
    whole = [each for each in failing if each.revision not in others and not each.written]
    jobs += [job for each in whole if (job := _job(_uncut(each, files), files)[0]) is not None]
    done = execute(jobs, ledger, runners, repeat=1, watch=watch)
    runs = {revision: ProjectRun(_told(done.get(revision)), settings[revision]) for revision in wanted}
    for each in whole:
        uncut = _told(done.get(_uncut_row(each)))
        runs[each.revision] = runs[each.revision]._replace(uncut=uncut)
    found: dict[str, Drop] = {}
    for each in failing:
        other = others.get(each.revision)
        why = _objection(each, runs[each.revision], runs[other.revision] if other else None)
        if why:
            found[each.revision] = Drop(unit=each.unit, reason=why[0], detail=why[1][:500])
    return found


def _uncut_row(each: Candidate) -> str:
    return f"{each.revision} uncut"


def _uncut(each: Candidate, files: ProjectFiles) -> Candidate:
    """The candidate with the whole test file of its commit, under its own revision."""
    test = files.whole(each).read(each.test_path)
    return msgspec.structs.replace(each, test_code=test or each.test_code, revision=_uncut_row(each))


def _job(each: Candidate, files: ProjectFiles) -> tuple[RowSuite | None, str]:
    """The candidate's suite among the files of its project; None if they are too many or missing."""
    suite, near = job_of(each).suite, files.whole(each)
    if each.focal_path not in near.paths:
        return None, ""
    pair = each.texts
    found = in_project(pair, near, suite)
    if not found.files:
        return None, ""
    whole = msgspec.structs.replace(suite, files=found.files, focal=found.focal, test=found.test)
    return RowSuite(each.revision, whole), found.settings


def _told(executions: list[Execution] | None) -> Consensus:
    if executions is None:
        return Consensus(state="environment", detail="the project is too large, or not there")
    return agree(executions)


def _objection(each: Candidate, run: ProjectRun, other: ProjectRun | None) -> tuple[str, str] | None:
    """The reason and detail of a drop; None if the project fails like the two files."""
    consensus = run.told
    if consensus.label == "success":
        return PASSES_IN_PROJECT, "it fails with its two files alone, and passes in its project"
    if consensus.state != "steady" or _is_early(each.kind) != _is_early(*consensus.kinds):
        return UNPROVEN, f"in its project it ends otherwise: {consensus.detail}"
    if run.uncut is not None and (why := _fault_of_the_cut(each, run.uncut)) is not None:
        return why
    if other is not None:
        return None if other.told.label == "success" else (UNPROVEN, f"the other state: {other.told.detail}")
    wanting = run.settings or ("" if each.written else ", ".join(sorted(_OF_MACHINE & _uses(each))))
    return (UNPROVEN, f"nothing shows that it would pass anywhere: {wanting}") if wanting else None


def _fault_of_the_cut(each: Candidate, uncut: Consensus) -> tuple[str, str] | None:
    if uncut.label == "success":
        return PASSES_IN_PROJECT, "it fails alone, and passes among all tests of its file"
    if uncut.state != "steady" or _is_early(each.kind) != _is_early(*uncut.kinds):
        return UNPROVEN, f"its whole test file ends otherwise: {uncut.detail}"
    return None


def _uses(each: Candidate) -> set[str]:
    return {*each.tags.get("focal_uses", ()), *each.tags.get("test_uses", ())}


def _is_early(*kinds: str) -> bool:
    return bool({"syntax", *EARLY}.intersection(kinds))
