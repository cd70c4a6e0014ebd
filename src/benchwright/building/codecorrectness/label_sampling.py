"""Stage label: candidates sampled from each focal file and repository until enough of them have a label.

No file and no repository fills the data set alone. The bounds count labelled rows, so a candidate that cannot
be executed takes no place; in history they count the rows of each label. The sampling order is the content
key, which is independent of what a row contains. Tests written by a model have bounds of their own. Failures
that nobody introduced are executed once more among all files of their project.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import msgspec

from benchwright.building.codecorrectness.label_executions import (
    EARLY,
    FAILS_COMPLETED,
    OTHER_FAILS,
    Consensus,
    consensus_of,
    job_of,
    label_from_executions,
)
from benchwright.building.codecorrectness.options import RowBounds
from benchwright.building.codecorrectness.repository_files import ProjectFiles
from benchwright.building.codecorrectness.row_records import Candidate
from benchwright.executing.suite_ledger import Execution, Ledger, RowSuite, execute, trace
from benchwright.executing.suite_runners import Runners
from benchwright.lang.source import executed_uses, in_project
from benchwright.progress import Watcher, stage
from benchwright.records import Drop, Outcome
from benchwright.store.keys import content_key

Group = tuple[str, ...]


class LabelContext(NamedTuple):
    """The context of stage label."""

    ledger: Ledger
    runners: Runners
    repeat: int
    watch: Watcher
    files: ProjectFiles | None = None  # of the projects in which failures run again
    refused: frozenset[str] = frozenset()  # uses that executed code of a row may not have


def label_candidates(
    candidates: Iterable[Candidate], bounds: RowBounds, executing: LabelContext
) -> Iterator[Candidate | Drop]:
    """Each candidate with its label, or the reason why it has none, in input order."""
    waiting = list(candidates)
    ended: dict[str, Candidate | Drop] = {}
    with stage(executing.watch, "label", total=len(waiting), done=0):
        counted = executing._replace(watch=_ExecutionStatus(executing.watch))
        draw = _Sampler(waiting, bounds)
        while batch := draw.next(ended):
            found = labels_by_execution(batch, counted)
            ended.update(found)
            for _ in found:
                executing.watch.tick(None)
        for each, drop in draw.refused(ended):
            executing.watch.tick(None)
            ended[each.revision] = drop
    ended |= _unproven(ended, executing)
    ended |= {each.revision: drop for each, drop in draw.beyond(ended)}
    for each in waiting:
        yield ended[each.revision]


def _unproven(ended: Mapping[str, Candidate | Drop], executing: LabelContext) -> dict[str, Drop]:
    """Natural failures that are not proven to be failures of the code.

    A state of history must fail where another state of its file passes the same test. Every natural failure
    must also fail in its project.
    """
    rows = [each for each in ended.values() if isinstance(each, Candidate)]
    passing = {key: each for each in rows if each.label == "success" for key in _proof_keys(each)}
    failing = [each for each in rows if each.label == "failed" and not each.mutation]
    others = {
        each.revision: passing[key]
        for each in failing
        if each.subset == "history" and (key := _proof_keys(each)[-1]) in passing
    }
    lone = [each for each in failing if each.subset == "history" and each.revision not in others]
    found = {each.revision: _without_other(each) for each in lone}
    left = [each for each in failing if each.revision not in found]
    ledger, runners, _, watch, files, _ = executing
    if files is None or not left:
        return found
    return found | confirm_in_project(left, others, files, ledger=ledger, runners=runners, watch=watch)


def _proof_keys(each: Candidate) -> list[Group]:
    """The failures that a passing state confirms; the last key is the one that a failing state looks for.

    Code added to a state comes from its commit, so the state of another commit proves nothing about it.
    """
    change, test = _change(each), (each.repository, each.test_path, each.case, "test", each.test_code)
    return [test, change] if each.inlined else [change, test]


def _without_other(each: Candidate) -> Drop:
    reason = FAILS_COMPLETED if each.inlined else OTHER_FAILS
    return Drop(unit=each.unit, reason=reason, detail="the commit's other state has not passed")


def labels_by_execution(batch: Sequence[Candidate], executing: LabelContext) -> dict[str, Candidate | Drop]:
    """The result of each candidate by revision: executed once, and again only if a label is possible.

    A missing toolchain, library or machine is still missing the second time.
    """
    ledger, runners, repeat, watch, *_ = executing
    left, ended = list(batch), dict[str, Candidate | Drop]()
    for times in (1, repeat):
        done = execute([job_of(each) for each in left], ledger, runners, repeat=times, watch=watch)
        ended.update({each.revision: label_from_executions(each, done[each.revision]) for each in left})
        left = [each for each in left if isinstance(ended[each.revision], Candidate)]
        ended.update(_refusals(left, executing) if times == 1 else {})
        left = [each for each in left if isinstance(ended[each.revision], Candidate)]
    return ended


def _refusals(candidates: Sequence[Candidate], executing: LabelContext) -> dict[str, Drop]:
    """Candidates whose tests execute something that rows may not use.

    If the text does not decide, one execution does; it does not affect the label.
    """
    ledger, runners, _, watch, _, refused = executing
    candidates_to_trace = [
        each for each in candidates if not refused.isdisjoint(each.tags.get("focal_uses", ()))
    ]
    lines = trace([job_of(each) for each in candidates_to_trace], ledger, runners, watch=watch)
    found = {}
    for each in candidates_to_trace:
        executed = lines[each.revision]
        used = executed_uses(each.focal_code, each.lang, executed) if executed else None
        chance = sorted(refused.intersection(each.tags["focal_uses"] if used is None else used))
        if chance:
            found[each.revision] = Drop(unit=each.unit, reason=f"uses_{chance[0]}", detail=", ".join(chance))
    return found


class _Sampler:
    """The order of candidates. Of each focal file and repository it draws as many as are still needed."""

    def __init__(self, candidates: Sequence[Candidate], bounds: RowBounds) -> None:
        self._bounds = bounds
        self._waiting = sorted(candidates, key=_draw_key)

    def next(self, ended: Mapping[str, Candidate | Drop]) -> list[Candidate]:
        """The next batch; empty if every limit is reached or no candidate is left."""
        counts = self._group_counts(ended)
        batch = []
        for each in self.left(ended):
            if self._is_wanted(each, counts):
                batch.append(each)
                counts.update(chain(*_groups(each)))
        return batch

    def left(self, ended: Mapping[str, Candidate | Drop]) -> list[Candidate]:
        """The candidates not drawn yet, in order."""
        return [each for each in self._waiting if each.revision not in ended]

    def refused(self, ended: Mapping[str, Candidate | Drop]) -> list[tuple[Candidate, Drop]]:
        """Drops for candidates that were never drawn, with the limit that was reached."""
        counts = self._group_counts(ended)
        return [(each, self._drop(each, counts)) for each in self.left(ended)]

    def beyond(self, ended: Mapping[str, Candidate | Drop]) -> list[tuple[Candidate, Drop]]:
        """Drops for candidates labelled while the other label of their file was sought, and not needed."""
        counts: Counter[Group] = Counter()
        found = []
        for each in (ended.get(one.revision) for one in self._waiting):
            if not isinstance(each, Candidate):
                continue
            if self._is_wanted(each, counts):
                counts.update(chain(*_groups(each)))
            else:
                found.append((each, self._drop(each, counts)))
        return found

    def _drop(self, each: Candidate, counts: Counter[Group]) -> Drop:
        if all(counts[file] >= self._bounds.a_focal_file for file, _ in _groups(each)):
            detail = f"{self._bounds.a_focal_file} rows of {each.focal_path}"
            return Drop(unit=each.unit, reason="enough_of_file", detail=detail)
        detail = f"{self._bounds.a_repository} rows of {each.repository}"
        return Drop(unit=each.unit, reason="enough_of_repository", detail=detail)

    def _group_counts(self, ended: Mapping[str, Candidate | Drop]) -> Counter[Group]:
        rows = (each for each in ended.values() if isinstance(each, Candidate))
        return Counter(group for each in rows for group in chain(*_groups(each)))

    def _is_wanted(self, each: Candidate, counts: Counter[Group]) -> bool:
        """Whether there is room for the label of a candidate, or for the label that it may get."""
        return any(
            counts[file] < self._bounds.a_focal_file and counts[repository] < self._bounds.a_repository
            for file, repository in _groups(each)
        )


def _draw_key(each: Candidate) -> tuple[str, str]:
    """The sampling key. Both states of a change share it: a failing state is useless without the other."""
    own = _change(each) if each.subset == "history" else (each.revision,)
    return content_key("draw", *own), each.revision


def _change(each: Candidate) -> Group:
    """The common part of both states of a commit: the test that judges them."""
    return each.repository, each.commit, each.test_path, each.case


def _groups(each: Candidate) -> list[tuple[Group, Group]]:
    """The counters of a candidate: its file and its repository.

    In history each label has its own counters, so that rare natural failures always have room. A candidate
    without a label yet may get either.
    """
    labels = [""]
    if each.subset == "history":
        labels = [each.label] if each.label else ["failed", "success"]
    names = (each.repository, each.focal_path)
    return [(("file", each.subset, label, *names), ("all", each.subset, label, names[0])) for label in labels]


class _ExecutionStatus:
    """Reports executions within a stage that counts candidates, instead of one bar for each language."""

    def __init__(self, watch: Watcher) -> None:
        self._watch, self._executions = watch, 0

    def begin(self, stage: str, total: int, done: int) -> None:
        """Do nothing; the stage has begun already."""

    def tick(self, outcome: Outcome | None) -> None:
        """Count one execution."""
        self._executions += 1
        self._watch.status(f"{self._executions} executions")

    def status(self, text: str) -> None:
        """Pass the text on."""
        self._watch.status(text)

    def end(self) -> None:
        """Do nothing; the stage continues."""

    def note(self, text: str) -> None:
        """Pass the text on."""
        self._watch.note(text)


PASSES_IN_PROJECT = "passes_in_project"
UNPROVEN = "project_unproven"  # the project could not be executed, or had another result
# Resources that a sandbox may lack and the project's own machine has. If no state of the same commit passes,
# the cause of such a failure is unknown.
_OF_MACHINE = frozenset(
    ["processes", "environment", "files", "network", "assets", "native", "threads", "time", "sleep"]
)


class ProjectRun(NamedTuple):
    """The result of a candidate in its project.

    `settings`: project settings that were left out; `uncut`: the result of the whole test file.
    """

    consensus: Consensus
    settings: str = ""
    uncut: Consensus | None = None


def confirm_in_project(
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
    runs = {revision: ProjectRun(_consensus(done.get(revision)), settings[revision]) for revision in wanted}
    for each in whole:
        uncut = _consensus(done.get(_uncut_row(each)))
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


def _consensus(executions: list[Execution] | None) -> Consensus:
    if executions is None:
        return Consensus(state="environment", detail="the project is too large, or not there")
    return consensus_of(executions)


def _objection(each: Candidate, run: ProjectRun, other: ProjectRun | None) -> tuple[str, str] | None:
    """The reason and detail of a drop; None if the project fails like the two files."""
    consensus = run.consensus
    if consensus.label == "success":
        return PASSES_IN_PROJECT, "it fails with its two files alone, and passes in its project"
    if consensus.state != "steady" or _is_early(each.kind) != _is_early(*consensus.kinds):
        return UNPROVEN, f"in its project it ends otherwise: {consensus.detail}"
    if run.uncut is not None and (why := _fault_of_the_cut(each, run.uncut)) is not None:
        return why
    if other is not None:
        return (
            None
            if other.consensus.label == "success"
            else (UNPROVEN, f"the other state: {other.consensus.detail}")
        )
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
