"""What a run will take and what it can show, said before the first request is paid for."""

from __future__ import annotations

from collections.abc import Iterable

from benchwright.contracts import Asking, Prompt
from benchwright.display.wording import counted
from benchwright.models.openai.budget import most_tokens_in
from benchwright.models.openai.request import answer_limit
from benchwright.running.asking import cost, money
from benchwright.running.plan import Plan
from benchwright.stats.power import detectable_before


def foresee(plan: Plan, waiting: Iterable[Prompt]) -> list[str]:
    """Sentences on the questions that will be asked; none where nothing is left to ask."""
    requests, tokens_in, largest = 0, 0, 0
    for prompt in waiting:
        tokens = most_tokens_in(prompt)
        requests, tokens_in, largest = requests + 1, tokens_in + tokens, max(largest, tokens)
    if not requests:
        return []
    return [
        _requests(plan, requests),
        _difference(plan),
        *_cost(plan, requests, tokens_in),
        *held_back(plan.asking, largest),
    ]


def _requests(plan: Plan, requests: int) -> str:
    asking = plan.asking
    return (
        f"{counted(requests, 'request')} to {plan.model.spec}: {counted(len(plan.tasks), 'task')}, "
        f"{_design(plan)}, {counted(plan.n, 'answer')} to each; {_parameters(asking)}"
    )


def _parameters(asking: Asking) -> str:
    """Temperature and length, as the request has them: a null in its body leaves a field out."""
    heat = asking.body.get("temperature", asking.temperature)
    limit = answer_limit(asking)
    return ", ".join(
        (
            "the server's own temperature" if heat is None else f"temperature {heat}",
            "answers of any length" if limit is None else f"at most {limit:,} tokens an answer",
        )
    )


def _design(plan: Plan) -> str:
    prompting = plan.prompting
    if prompting.design == "row":
        return "the data set's own prompt"
    many = f"{len(prompting.variants)} prompts ({prompting.language}, {prompting.form})"
    return f"each in each of {many}" if prompting.design == "all" else f"spread over {many}"


def _difference(plan: Plan) -> str:
    """For pass@1: the other k have fewer independent groups of answers, so they can show less."""
    least = detectable_before(len(plan.tasks), plan.a_task)
    if least is None:
        return (
            f"with {counted(len(plan.tasks), 'task')} no difference of pass@1 between two models would be "
            f"found four times in five, however large: more tasks are needed to compare them"
        )
    return (
        f"with so many answers, a difference of {100 * least:.1f} points of pass@1 between two models would "
        f"be found four times in five, and a smaller one less often"
    )


def _cost(plan: Plan, requests: int, tokens_in: int) -> list[str]:
    """An upper bound: every byte of a prompt a token, every answer as long as it may be."""
    limit = answer_limit(plan.asking)
    bound = None if limit is None else cost(plan.asking, tokens_in, requests * limit)
    if bound is None:
        return []
    budget = plan.asking.budget
    stop = f"; asking stops when {money(budget)} are spent" if budget is not None and budget < bound else ""
    return [f"that costs at most {money(bound)}, if each answer is as long as it may be{stop}"]


def held_back(asking: Asking, tokens_in: int) -> list[str]:
    """What a budget means for the requests in flight; `tokens_in` is the largest prompt's greatest count."""
    if asking.budget is None:
        return []
    limit = answer_limit(asking)
    if limit is None:
        return [
            "the request leaves the length of an answer to the server, so with --budget requests go one at a "
            "time; --max-tokens without a null in --body lets more be in flight"
        ]
    bound = cost(asking, tokens_in, limit) or 0.0
    if bound > asking.budget:
        return [
            f"one answer may cost up to {money(bound)}, more than the whole budget of "
            f"{money(asking.budget)}: requests go one at a time, and the last may exceed it; "
            f"a smaller --max-tokens, now {limit:,}, or a larger --budget prevents that"
        ]
    most = int(asking.budget / bound) if bound else asking.concurrency
    if most >= asking.concurrency:
        return []
    return [
        f"each request holds back up to {money(bound)} of the budget until its answer has come, so at first "
        f"{counted(most, 'request')} at most can be in flight, not {asking.concurrency}; "
        f"a smaller --max-tokens, now {limit:,}, lets in more"
    ]
