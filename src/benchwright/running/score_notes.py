"""The sentences under a score: facts about answers, prompts, rounds and the server that no number shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from itertools import groupby
from typing import Any, NamedTuple

from benchwright.asking.cost import cost, fault_in_words, money
from benchwright.asking.parameters import answer_limit
from benchwright.contracts import Measure
from benchwright.records import Answer, Event, Metric, Outcome, Verdict
from benchwright.running.options import AgentSettings
from benchwright.running.plan import Plan
from benchwright.stats.prompt_effect import prompt_effect
from benchwright.store.runfolder import RunFolder
from benchwright.store.writing import read_records


class Answered(NamedTuple):
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


def answered(answers: Iterable[Answer]) -> Answered:
    """Count a file of answers, grouped by task. Holds one task's hashes at a time.

    A question is a task in a variant of the prompt. A failed request is not an answer, so it repeats none.
    """
    total = identical = repeatable = prompts = tokens_in = tokens_out = cached = 0
    oldest = ""
    for _, group in groupby(answers, key=lambda answer: answer.task_id):
        seen: dict[str, set[bytes]] = {}
        for answer in group:
            total += 1
            tokens_in += answer.tokens_in or 0
            tokens_out += answer.tokens_out or 0
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
    return Answered(total, identical, repeatable, prompts, tokens_in, tokens_out, cached, oldest)


NEARLY_ALL, MANY = 0.9, 0.2  # of the answers that could repeat an earlier one
FEW = 0.02  # answers cut off that say nothing about the limit


def notes_on_server(folder: RunFolder) -> list[str]:
    """Return each fault of the server once, with its count over all sessions of the run."""
    path = folder.path / "events.jsonl"
    events = read_records(path, Event, torn="skip") if path.exists() else iter(())
    faults = [event.detail for event in events if event.kind == "server_fault"]
    return [f"the server's fault: {fault} ({_times(seen)})" for fault, seen in _counts(faults).items()]


def _counts(faults: Iterable[Mapping[str, Any]]) -> Counter[str]:
    """Count each fault. An event's `count` is cumulative within its session.

    So a count that does not grow starts another session.
    """
    before: Counter[str] = Counter()
    session: Counter[str] = Counter()
    for detail in faults:
        fault = fault_in_words(detail)
        seen = detail.get("count")
        if not isinstance(seen, int):
            seen = session[fault] + 1
        elif seen <= session[fault]:
            before[fault] += session[fault]
        session[fault] = seen
    return before + session


def notes_on_answers(plan: Plan, answered: Answered, *, truncated: int) -> list[str]:
    """Return notes on answers before any is judged: repetitions, truncation, cost."""
    notes = []
    if repeats := _repeats(plan, answered):
        notes.append(repeats)
    if answered.prompts > 1 and plan.prompting.ways == 1:
        notes.append(
            f"a task's answers are to {answered.prompts} different prompts, and {_first(plan)} mixes them: "
            f"--prompts all, with the --language they are in, keeps them apart"
        )
    limit = answer_limit(plan.asking)
    if plan.live and limit is not None and truncated > FEW * answered.answers:
        notes.append(
            f"{truncated:,} of {answered.answers:,} answers were cut off before their end: raise "
            f"--max-tokens, now {limit:,}, if they were not rambling"
        )
    if answered.cached:
        notes.append(
            f"{answered.cached:,} of {answered.answers:,} answers were not asked for by this run: they come "
            f"from the cache of earlier ones, the oldest of {answered.oldest}"
        )
    spent = cost(plan.asking, answered.tokens_in, answered.tokens_out)
    if plan.live and spent is not None:
        prices = f"{plan.asking.price_in:g} and {plan.asking.price_out:g}"
        notes.append(f"the answers cost {money(spent)}, at {prices} for a million tokens in and out")
    return notes


def _repeats(plan: Plan, answered: Answered) -> str:
    """Return a note on identical answers. A few are normal: strong models repeat easy answers."""
    told = plan.model.deterministic and not plan.live  # gold and stub repeat themselves by design
    if told or answered.identical <= MANY * answered.repeatable:
        return ""
    said = (
        f"{answered.identical:,} of {answered.answers:,} answers repeat an earlier one to the same question, "
        f"letter for letter"
    )
    if answered.identical < NEARLY_ALL * answered.repeatable:
        return f"{said}: the answers to a task are less varied than their number suggests"
    why = (
        "that is what temperature 0 asks for"
        if plan.asking.temperature == 0 and plan.live
        else ("the server may ignore temperature and seed" if plan.live else "the stored answers are copies")
    )
    family = plan.track.measures.family
    further = "further answers say" if family is None else f"{family.at(max(plan.n, 2))} says"
    first = "the first" if family is None else family.at(1)
    return f"{said}: {why}, so {further} no more than {first}"


def _first(plan: Plan) -> str:
    return plan.track.measures.measures[0].title


def notes_on_prompts(
    plan: Plan, prompts: Mapping[str, Mapping[str, Metric]], rates: Mapping[str, Sequence[float]]
) -> list[str]:
    """Return the spread between prompts. `rates` has, by prompt, a value of each common task."""
    measure = plan.track.measures.headline
    if plan.prompting.design == "all":
        return _crossed(rates, measure)
    means = {name: metrics[measure.name] for name, metrics in prompts.items() if measure.name in metrics}
    if len({metric.value for metric in means.values()}) < 2:
        return []
    low, high = min(means, key=lambda name: means[name].value), max(means, key=lambda name: means[name].value)
    least, most = measure.number(means[low].value), measure.number(means[high].value)
    return [
        f"by prompt, {measure.title} lies between {least} ({low}) and {most} ({high}), but each prompt has "
        f"tasks of its own: a good prompt and easy tasks cannot be told apart here; --prompts all can do that"
    ]


def _crossed(rates: Mapping[str, Sequence[float]], measure: Measure) -> list[str]:
    if len(rates) < 2 or len(next(iter(rates.values()))) < 2:
        return []
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
    left = ends.total()
    counts = [f"{ends[0, True]:,} of {left:,} answers passed {'at once' if judged else 'in one turn'}"]
    for number in range(1, agent.rounds + 1):
        left -= ends[number - 1, True] + ends[number - 1, False]
        if left:
            counts.append(f"{ends[number, True]:,} of {left:,} in round {number}")
    reason = "it is told which answers fail their tests, so this" if judged else "this"
    return f"agent {agent.text()}: {', '.join(counts)}; {reason} is the score of model and agent together"


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"
