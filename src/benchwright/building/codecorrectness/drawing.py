"""Stage 6, label: candidates drawn from each focal file and repository until so many of them have a label.

No file and no repository fills the data set alone. The bounds count labelled rows, so that a candidate which
cannot be executed takes no place from one that can; and in history they count those of each label. Drawn is
by content key, which has nothing to do with what a row holds. Tests that a model wrote count by themselves:
they take no room from a repository's own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from benchwright.building.codecorrectness.in_project import confirmed
from benchwright.building.codecorrectness.labelling import FAILS_COMPLETED, OTHER_FAILS, job_of, labelled
from benchwright.building.codecorrectness.nouns import Candidate
from benchwright.building.codecorrectness.options import Bounds
from benchwright.building.codecorrectness.project_files import ProjectFiles
from benchwright.executing.ledger import Ledger, execute, trace
from benchwright.executing.runners import Runners
from benchwright.lang.source import executed_uses
from benchwright.progress import Watcher, stage
from benchwright.records import Drop, Outcome
from benchwright.store.keys import content_key

Group = tuple[str, ...]


class Labelling(NamedTuple):
    """What labels are made with."""

    ledger: Ledger
    runners: Runners
    repeat: int
    watch: Watcher
    files: ProjectFiles | None = None  # of the projects in which failures are executed once more
    refused: frozenset[str] = frozenset()  # uses that a row may not have in what its test executes


def label(
    candidates: Iterable[Candidate], bounds: Bounds, executing: Labelling
) -> Iterator[Candidate | Drop]:
    """Each candidate with its label, or why it has none, in the order they came."""
    waiting = list(candidates)
    ended: dict[str, Candidate | Drop] = {}
    with stage(executing.watch, "label", total=len(waiting), done=0):
        counted = executing._replace(watch=_ExecutionStatus(executing.watch))
        draw = _Sampler(waiting, bounds)
        while batch := draw.next(ended):
            found = settled(batch, counted)
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


def _unproven(ended: Mapping[str, Candidate | Drop], executing: Labelling) -> dict[str, Drop]:
    """The failures that nobody made and that are not shown to be failures of the code.

    A state of history fails where another state of its file passes the same test; every failure fails in its
    project too.
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
    return found | confirmed(left, others, files, ledger=ledger, runners=runners, watch=watch)


def _proof_keys(each: Candidate) -> list[Group]:
    """Whose failure a state that passes makes credible; the last one is what a failing state looks for. What
    was brought into a state comes from its commit, so another commit's state proves nothing of it."""
    change, test = _change(each), (each.repository, each.test_path, each.case, "test", each.test_code)
    return [test, change] if each.inlined else [change, test]


def _without_other(each: Candidate) -> Drop:
    reason = FAILS_COMPLETED if each.inlined else OTHER_FAILS
    return Drop(unit=each.unit, reason=reason, detail="the commit's other state has not passed")


def settled(batch: Sequence[Candidate], executing: Labelling) -> dict[str, Candidate | Drop]:
    """By revision, what executions say of each; once first, and again only where that may become a label.

    A toolchain, a library or a machine that is not there is not there the second time either.
    """
    ledger, runners, repeat, watch, *_ = executing
    left, ended = list(batch), dict[str, Candidate | Drop]()
    for times in (1, repeat):
        done = execute([job_of(each) for each in left], ledger, runners, repeat=times, watch=watch)
        ended.update({each.revision: labelled(each, done[each.revision]) for each in left})
        left = [each for each in left if isinstance(ended[each.revision], Candidate)]
        ended.update(_refused(left, executing) if times == 1 else {})
        left = [each for each in left if isinstance(ended[each.revision], Candidate)]
    return ended


def _refused(candidates: Sequence[Candidate], executing: Labelling) -> dict[str, Drop]:
    """Those whose tests execute what a row may not use. An execution is asked where the text does not settle
    it; what it tells decides about no label."""
    ledger, runners, _, watch, _, refused = executing
    asked = [each for each in candidates if not refused.isdisjoint(each.tags.get("focal_uses", ()))]
    lines = trace([job_of(each) for each in asked], ledger, runners, watch=watch)
    found = {}
    for each in asked:
        executed = lines[each.revision]
        used = executed_uses(each.focal_code, each.lang, executed) if executed else None
        chance = sorted(refused.intersection(each.tags["focal_uses"] if used is None else used))
        if chance:
            found[each.revision] = Drop(unit=each.unit, reason=f"uses_{chance[0]}", detail=", ".join(chance))
    return found


class _Sampler:
    """Who is next. Of each focal file and each repository as many are drawn as are still wanted of it."""

    def __init__(self, candidates: Sequence[Candidate], bounds: Bounds) -> None:
        self._bounds = bounds
        self._waiting = sorted(candidates, key=_draw_key)

    def next(self, ended: Mapping[str, Candidate | Drop]) -> list[Candidate]:
        """The next batch; empty when every bound is reached or no candidate is left."""
        taken = self._taken(ended)
        batch = []
        for each in self.left(ended):
            if self._is_wanted(each, taken):
                batch.append(each)
                taken.update(chain(*_groups(each)))
        return batch

    def left(self, ended: Mapping[str, Candidate | Drop]) -> list[Candidate]:
        """Those that were not drawn yet, in the order in which they are."""
        return [each for each in self._waiting if each.revision not in ended]

    def refused(self, ended: Mapping[str, Candidate | Drop]) -> list[tuple[Candidate, Drop]]:
        """Those that were never drawn, and which bound was reached before."""
        taken = self._taken(ended)
        return [(each, self._drop(each, taken)) for each in self.left(ended)]

    def beyond(self, ended: Mapping[str, Candidate | Drop]) -> list[tuple[Candidate, Drop]]:
        """Those that got a label while the other label of their file was looked for, and are not wanted."""
        taken: Counter[Group] = Counter()
        found = []
        for each in (ended.get(one.revision) for one in self._waiting):
            if not isinstance(each, Candidate):
                continue
            if self._is_wanted(each, taken):
                taken.update(chain(*_groups(each)))
            else:
                found.append((each, self._drop(each, taken)))
        return found

    def _drop(self, each: Candidate, taken: Counter[Group]) -> Drop:
        if all(taken[file] >= self._bounds.a_focal_file for file, _ in _groups(each)):
            detail = f"{self._bounds.a_focal_file} rows of {each.focal_path}"
            return Drop(unit=each.unit, reason="enough_of_file", detail=detail)
        detail = f"{self._bounds.a_repository} rows of {each.repository}"
        return Drop(unit=each.unit, reason="enough_of_repository", detail=detail)

    def _taken(self, ended: Mapping[str, Candidate | Drop]) -> Counter[Group]:
        rows = (each for each in ended.values() if isinstance(each, Candidate))
        return Counter(group for each in rows for group in chain(*_groups(each)))

    def _is_wanted(self, each: Candidate, taken: Counter[Group]) -> bool:
        """Whether there is room for a label that it has or may get."""
        return any(
            taken[file] < self._bounds.a_focal_file and taken[repository] < self._bounds.a_repository
            for file, repository in _groups(each)
        )


def _draw_key(each: Candidate) -> tuple[str, str]:
    """Both states of a change have one: a failing one is worth nothing without the other."""
    own = _change(each) if each.subset == "history" else (each.revision,)
    return content_key("draw", *own), each.revision


def _change(each: Candidate) -> Group:
    """What both states of a commit's change have in common: the test that judges them."""
    return each.repository, each.commit, each.test_path, each.case


def _groups(each: Candidate) -> list[tuple[Group, Group]]:
    """What it counts for: its file and its repository. In history each label counts by itself, since failures
    that somebody made are few and must not want for room; one that has no label yet may get either."""
    labels = [""]
    if each.subset == "history":
        labels = [each.label] if each.label else ["failed", "success"]
    names = (each.repository, each.focal_path)
    return [(("file", each.subset, label, *names), ("all", each.subset, label, names[0])) for label in labels]


class _ExecutionStatus:
    """Tells executions beside a stage that counts candidates: a bar of each language would begin a hundred
    times."""

    def __init__(self, watch: Watcher) -> None:
        self._watch, self._executions = watch, 0

    def begin(self, stage: str, total: int, done: int) -> None:
        """Nothing: the stage is begun."""

    def tick(self, outcome: Outcome | None) -> None:
        """One more execution."""
        self._executions += 1
        self._watch.status(f"{self._executions} executions")

    def status(self, text: str) -> None:
        """Passed on."""
        self._watch.status(text)

    def end(self) -> None:
        """Nothing: the stage goes on."""

    def note(self, text: str) -> None:
        """Passed on."""
        self._watch.note(text)
