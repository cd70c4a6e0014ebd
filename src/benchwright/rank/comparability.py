"""Whether runs can be compared: errors that name the difference, and notes on allowed differences.

Logs of other tools must have the same task ids, or the same contents under other ids.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from math import isnan
from typing import Any, NamedTuple

from benchwright.display.escape import escaped_name, escaped_start, quoted
from benchwright.display.wording import counted, first_names, joined, percent
from benchwright.errors import RunError, UsageError, command_name
from benchwright.judges.people.results import ENOUGH
from benchwright.rank.contestant import Contestant
from benchwright.records import Outcome, Record, TaskId
from benchwright.running.human_labels import people_of
from benchwright.running.prompt_files import prompt_of
from benchwright.running.run_data import HINT
from benchwright.running.score_notes import unanswered_in
from benchwright.store.keys import content_key

ALLOWANCES = ("prompts", "coverage")
MOST_APART = 0.1  # how far the shares of answers that could be decided may lie apart
BOTH = "="  # joins the names of one figure, see `match_metric`
_STORED_MODELS = ("replay:", "gold:", "stub:")  # models that are asked nothing, so that no prompt is recorded
_NOTED = frozenset({"limits", "python"})  # settings that decide only borderline verdicts
_AGENT = "agent"  # a setting that may differ: a run with an agent, and one of the model alone

_HINTS = {
    "data": "run both on the same data set",
    "track": "compare runs of one track",
    "profile": "use one scoring profile: run again with the same --profile and another --out",
    "form": "use one form: run again with the same --form and another --out",
    "judging": "repeat the `run` command of the older run: it keeps the answers and judges them again",
    "excluded": "exclude the same tasks from both runs with --exclude",
    "tasks": "run both on the same tasks, with the same --tasks or none; `merge` joins the parts of a run",
    "limit": "run both on the same tasks, with the same --limit or none",
    "judges": "use the same judges: run again with the same --judge",
    "prompts": "use --allow prompts to compare models together with their prompts",
}
_RERUN_HINT = "run again with the same settings and another --out"


def check_comparable(contestants: Sequence[Contestant], *, allow: Collection[str] = ()) -> list[str]:
    """Check that runs are comparable; return notes for the reader. Raises RunError if they are not.

    `allow` may contain "prompts": runs with different prompts are compared, model and prompt together,
    with a note; so are runs with prompt files, always. And "coverage": judges may have decided only the easy
    answers of one run and all answers of the other, so this must be allowed explicitly.
    """
    if unknown := set(allow) - set(ALLOWANCES):
        hint = f"one of: {', '.join(ALLOWANCES)}"
        raise UsageError(f"--allow: unknown value {min(unknown)!r}", hint=hint)
    tools = dict.fromkeys(c.tool for c in contestants)
    notes = [
        note
        for tool in tools
        for note in _check_alike([c for c in contestants if c.tool == tool], allow=allow)
    ]
    check_contents(contestants)
    if "coverage" not in allow:
        _check_coverage(contestants)
    return [*notes, *notes_on_logs(contestants)]


def _check_alike(contestants: Sequence[Contestant], *, allow: Collection[str]) -> list[str]:
    """Notes on runs of this program, or on logs of one tool; of two tools only the tasks are known."""
    differing = {
        field: values for field, values in _deciding(contestants).items() if _settings_differ(values)
    }
    allow = {*allow, *(["prompts"] if all(prompt_of(c.settings) for c in contestants) else [])}
    allowed = {field: values for field, values in differing.items() if field in allow}
    refused = {field: values for field, values in differing.items() if field not in allow}
    if refused:
        message = "; ".join(_difference(field, values, contestants) for field, values in refused.items())
        hint = _HINTS.get(next(iter(refused)), _RERUN_HINT)
        raise RunError(f"these runs cannot be compared: {message}", hint=hint)
    notes = [
        f"{_difference(field, values, contestants)}: models are compared together with their {field}"
        for field, values in allowed.items()
    ]
    return [*notes, *_notes(contestants)]


def _check_coverage(contestants: Sequence[Contestant]) -> None:
    shares = {c.name: share for c in contestants if (share := _decided(c)) is not None}
    if not shares or max(shares.values()) - min(shares.values()) <= MOST_APART:
        return
    listing = joined(f"{percent(share)} % of {name}'s" for name, share in shares.items())
    raise RunError(
        f"these runs cannot be compared: of the answers, {listing} could be decided, "
        f"more than {100 * MOST_APART:g} points apart, and what is undecided may be the hard part",
        hint="add judges with --judge, or use --allow coverage to compare what all runs decided",
    )


def _decided(contestant: Contestant) -> float | None:
    """The share of a run's existing answers that were decided."""
    score = contestant.score
    arrived = score.answers - score.missing
    return 1 - score.outcomes.get(Outcome.undecided.value, 0) / arrived if arrived else None


def without_grades(contestants: Sequence[Contestant]) -> list[str]:
    """The names of the runs without a grade, although their track grades answers."""
    grade = contestants[0].measures.grade
    return [each.name for each in contestants if grade and grade not in each.score.metrics]


def _check_graded(contestants: Sequence[Contestant]) -> None:
    """Raise RunError if runs of graded answers have no grade."""
    if without := without_grades(contestants):
        raise RunError(
            f"rules only: not a ranking: no {contestants[0].measures.grade} in {joined(without)}, "
            f"since no judge was asked and the tasks have no reference",
            hint="add --judge openai:NAME to the command of each run; it asks and judges no answer again",
        )


def common_metric(contestants: Sequence[Contestant], metric: str | None) -> str:
    """The metric to compare: the requested one, else the first that all runs have."""
    common = [name for name in contestants[0].estimates if all(name in c.estimates for c in contestants)]
    available = "; ".join(f"{c.name} has {', '.join(c.estimates) or 'none'}" for c in contestants)
    if metric is None and common:
        return common[0]
    if not common:
        _check_graded(contestants)
    if metric is None:
        raise RunError(f"these runs have no metric in common: {available}", hint=_hint_of_all(contestants))
    if common and metric not in common and all(metric in c.score.metrics for c in contestants):
        title = contestants[0].measure(metric).title
        message = (
            f"{title} is reported but not tested: runs are compared task by task, "
            f"and it is not a share of right answers to a task"
        )
        raise UsageError(message, hint=f"--metric {common[0]}")
    if metric not in common:
        hint = f"--metric {common[0]}" if common else _hint(contestants[0])
        raise UsageError(f"not all of these runs have {escaped_name(metric)}: {available}", hint=hint)
    return metric


def _hint_of_all(contestants: Sequence[Contestant]) -> str:
    """How to give runs a common metric; for several tools, only the user knows which metrics are the same."""
    firsts = list(dict.fromkeys(name for c in contestants for name in list(c.estimates)[:1]))
    if any(c.tool for c in contestants) and len(firsts) > 1:
        return f"if they measure the same: --metric {quoted(BOTH.join(firsts))}"
    return _hint(contestants[0])


def _hint(contestant: Contestant) -> str:
    """How to give a run a metric to compare."""
    if contestant.measures.measures:
        return f"{command_name()} run … --k 1"
    return f"install the package of the track {escaped_name(contestant.track)}"


class SharedTasks(Record, frozen=True, kw_only=True):
    """The tasks with estimates in all runs, their groups, and a row of estimates for each run."""

    tasks: list[TaskId]
    clusters: list[str] | None  # None where each task stands for itself
    grouping: str
    estimates: list[list[float]]


def shared_tasks(contestants: Sequence[Contestant], metric: str) -> SharedTasks:
    """The estimates of all runs on their shared tasks, in the data set's order.

    The runs have the same data set, so groups read by any of them are valid for all.
    """
    first, mixed = contestants[0], any(c.tool for c in contestants)
    rows = [_by_name(c, metric, as_text=mixed) for c in contestants]
    names = [str(task) if mixed else task for task in first.tasks]
    tasks = [task for task in names if all(task in row for row in rows)]
    grouped = next((c for c in contestants if c.grouping), None)
    clusters = None
    if grouped is not None:
        keys = [str(task) if mixed else task for task in grouped.tasks]
        groups = dict(zip(keys, grouped.clusters, strict=True))
        clusters = [groups[task] for task in tasks]
    if len(tasks) < 2 or (clusters is not None and len(set(clusters)) < 2):
        message = f"these runs share {counted(len(tasks), 'task')} with judged answers: too few to compare"
        ids = "; ".join(f"{c.name} has {escaped_name(str(c.tasks[0]))}" for c in contestants if c.tasks)
        raise RunError(
            f"{message} ({ids})" if mixed else message, hint="run all models on at least two tasks"
        )
    estimates = [[row[task] for task in tasks] for row in rows]
    grouping = grouped.grouping if grouped else ""
    return SharedTasks(tasks=tasks, clusters=clusters, grouping=grouping, estimates=estimates)


def _by_name(contestant: Contestant, metric: str, *, as_text: bool) -> dict[TaskId, float]:
    """The estimates by task id; ids are texts if tools write them differently."""
    both = zip(contestant.tasks, contestant.estimates[metric], strict=True)
    return {str(task) if as_text else task: value for task, value in both if not isnan(value)}


def _deciding(contestants: Sequence[Contestant]) -> dict[str, list[Any]]:
    """The value of each run by field; None if unknown."""
    names = ("data", "track", "profile", "form", "judging")
    fields: dict[str, list[Any]] = {name: [getattr(c, name) for c in contestants] for name in names}
    fields["excluded"] = [sorted(c.excluded) for c in contestants]
    settings = {name: None for c in contestants for name in c.settings if name not in {*_NOTED, _AGENT}}
    for name in {"prompts": None, **settings}:
        fields[name] = [_setting(c, name) for c in contestants]
    return fields


class ComparisonKey(NamedTuple):
    """Digests by which runs form sets: runs of one `settings` differ in prompts at most.

    `prompts` is empty if the prompts are unknown, as those of stored answers.
    """

    settings: str
    prompts: str


def comparison_key(contestant: Contestant) -> ComparisonKey:
    """The key of a run's set: runs with equal keys pass `check_comparable`, but for coverage and grades."""
    fields = {name: values[0] for name, values in _deciding([contestant]).items() if values != ["none"]}
    prompts = fields.pop("prompts", None)
    own = "prompt files" if prompt_of(contestant.settings) else prompts
    return ComparisonKey(content_key(fields), "" if own is None else content_key(own))


def _setting(contestant: Contestant, name: str) -> Any:
    if name == "prompts" and name not in contestant.settings:
        return None if contestant.model.startswith(_STORED_MODELS) else "the data set's default"
    return contestant.settings.get(name, "none")


def _settings_differ(values: Sequence[Any]) -> bool:
    known = [value for value in values if value is not None]
    return any(value != known[0] for value in known)


def _difference(field: str, values: Sequence[Any], contestants: Sequence[Contestant]) -> str:
    entries = [
        f"{c.name}: {_setting_text(field, value)}" for c, value in zip(contestants, values, strict=True)
    ]
    return f"`{field}` differs ({'; '.join(entries)})"


def _setting_text(field: str, value: Any) -> str:
    if value is None:
        return "not known"
    if field == "data":
        return f"{escaped_start(value, 12)}…"
    if field == "prompts" and isinstance(value, Mapping) and (own := prompt_of({field: value})):
        return escaped_name(own.name)
    if field == "judges" and isinstance(value, Mapping):
        value = list(value)
    if isinstance(value, Mapping):
        value = ", ".join(f"{key} {part}" for key, part in value.items())
    if isinstance(value, list):
        value = ", ".join(map(str, value)) or "nothing"
    return escaped_name(str(value))


def _notes(contestants: Sequence[Contestant]) -> list[str]:
    """Notes on differences that do not prevent the comparison."""
    notes = []
    prompts = [_setting(c, "prompts") for c in contestants]
    if any(value is None for value in prompts) and any(value is not None for value in prompts):
        stored = [c.name for c, value in zip(contestants, prompts, strict=True) if value is None]
        notes.append(f"the prompts of the stored answers of {joined(stored)} are unknown")
    if len({c.n for c in contestants}) > 1:
        detail = ", ".join(f"{c.name} {c.n}" for c in contestants)
        notes.append(
            f"the numbers of answers per task differ ({detail}); the estimates are unbiased for any number"
        )
    agents = [_setting(c, _AGENT) for c in contestants]
    if _settings_differ(agents):
        detail = _difference(_AGENT, agents, contestants)
        notes.append(f"{detail}: it asks again after failed tests, so models are compared together with it")
    for name in sorted(_NOTED):
        values = [c.settings.get(name) for c in contestants]
        if _settings_differ(values):
            notes.append(f"{_difference(name, values, contestants)}: some verdicts may depend on it")
    if all(c.groups_absent for c in contestants):
        why = contestants[0].groups_absent
        notes.append(f"tasks are treated as independent: {why}; {HINT}")
    return [*notes, *(note for c in contestants for note in (*_people(c), *_gaps(c)))]


def _people(c: Contestant) -> Iterator[str]:
    """A note on human labels in a run."""
    people = people_of(c.score)
    if people is None:
        return
    deciders = "people decided" if people.decided else "judges decided and people labelled"
    answers = people.decided or people.labels
    few = f"fewer than {ENOUGH}" if people.labels < ENOUGH else ""
    why = ", ".join(filter(None, (few, people.unreliable)))
    mark = "" if people.decided or people.is_enough else f", {why}: uncalibrated"
    yield f"of {c.name} {deciders} {counted(answers, 'answer')}, by {counted(people.votes, 'vote')}{mark}"


def _gaps(c: Contestant) -> Iterator[str]:
    """Notes on what is missing from a run and not compared."""
    if c.unjudged and not c.tool:
        yield f"{c.name} has {counted(len(c.unjudged), 'task')} without a judged answer: excluded for all"
    if undecided := c.score.outcomes.get(Outcome.undecided.value):
        of = counted(c.score.answers, "answer")
        yield f"{c.name} has {undecided:,} of {of} undecided: only tasks decided in all runs are compared"
    if unanswered := unanswered_in(c.score.details):
        few = f"{counted(len(unanswered), 'task')} ({first_names(unanswered)})"
        yield f"{c.name} has no stored answer to {few}: excluded for all"
    if c.score.missing and not c.tool:
        again = "" if c.model.startswith(_STORED_MODELS) else ": run it again to retry"
        yield f"{c.name} has {counted(c.score.missing, 'missing answer')}{again}"


SHOWN = 5


def check_contents(contestants: Sequence[Contestant]) -> None:
    """Raise RunError if logs of one tool have different tasks under the same id."""
    for a, b in combinations([c for c in contestants if c.tool], 2):
        if a.tool != b.tool:
            continue
        changed = [task for task, content in a.contents.items() if b.contents.get(task, content) != content]
        if changed:
            message = (
                f"these runs cannot be compared: {counted(len(changed), 'task')} of one id ask other things "
                f"in {a.name} than {b.name}: {_shown_ids(changed)}"
            )
            raise RunError(message, hint="evaluate both on the same version of the data set")


def notes_on_logs(contestants: Sequence[Contestant]) -> list[str]:
    """Notes on tasks that are not compared, by name; none for runs of this program."""
    if not any(c.tool for c in contestants):
        return []
    notes = [f"{c.name}: {note}" for c in contestants for note in c.log_notes]
    for a, b in pairwise(contestants):
        notes += _differing_contents(a, b)
    if len({c.n for c in contestants}) > 1 and len({c.tool for c in contestants}) > 1:
        detail = ", ".join(f"{c.name} {c.n}" for c in contestants)
        notes.append(
            f"the numbers of answers per task differ ({detail}): a task's value is the mean over its answers"
        )
    return notes


def _differing_contents(a: Contestant, b: Contestant) -> Iterator[str]:
    """The tasks that only one of two logs has, except the same task under two names."""
    ours, theirs = _ids(a), _ids(b)
    only_a = [task for task in ours if task not in theirs]
    only_b = [task for task in theirs if task not in ours]
    renamed = _renamed(a, b, only_a, only_b) if a.tool == b.tool else {}
    if renamed:
        pairs = _shown_ids([f"{old} is {new}" for old, new in renamed.items()])
        yield (
            f"{counted(len(renamed), 'task')} renamed, by what is asked, and left out, "
            f"from {a.name} to {b.name}: {pairs}"
        )
    again = set(renamed.values())
    for one, other, tasks in (
        (a, b, [task for task in only_a if task not in renamed]),
        (b, a, [task for task in only_b if task not in again]),
    ):
        if tasks:
            yield f"{counted(len(tasks), 'task')} in {one.name} and not in {other.name}: {_shown_ids(tasks)}"


def _ids(contestant: Contestant) -> dict[str, None]:
    return dict.fromkeys(map(str, [*contestant.tasks, *contestant.unjudged]))


def _renamed(a: Contestant, b: Contestant, only_a: list[str], only_b: list[str]) -> dict[str, str]:
    """Ids of the first log and of the second, where exactly one task in each has the same content."""
    there: dict[str, list[str]] = {}
    for task in only_b:
        there.setdefault(b.contents.get(task, ""), []).append(task)
    here: dict[str, list[str]] = {}
    for task in only_a:
        here.setdefault(a.contents.get(task, ""), []).append(task)
    return {
        tasks[0]: there[content][0]
        for content, tasks in here.items()
        if content and len(tasks) == 1 and len(there.get(content, ())) == 1
    }


def _shown_ids(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else ""
    return ", ".join(escaped_name(name) for name in names[:SHOWN]) + more
