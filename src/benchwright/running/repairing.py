"""The stage that asks and judges in turns, for an agent: each answer that failed is asked about again.

    ask ──Answer──▶ judge ──Verdict──▶ feedback ──Prompt──▶ ask …        until it passes, or no round is left

All rounds are in the files `rounds.*` of the run folder. The last answer of each chain becomes the answer of
the run, with its verdict, so whatever reads a run reads one with an agent as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from benchwright.asking.ask import AskOptions, Prompts, ask, repetitions, waiting
from benchwright.contracts import Demanding, Executor, Message, Prompt
from benchwright.display.wording import counted
from benchwright.progress import Watcher
from benchwright.records import Answer, Verdict
from benchwright.running.agents import feedback, is_repairable
from benchwright.running.judging import judge_answers, verdict_key
from benchwright.running.options import Agent
from benchwright.running.plan import Plan
from benchwright.running.questions import RunPrompts, purpose
from benchwright.running.taking_up import note_address
from benchwright.store.keys import compact, content_key
from benchwright.store.runfolder import RunFolder
from benchwright.store.writing import Head


def repair(plan: Plan, agent: Agent, folder: RunFolder, pool: Executor, watch: Watcher) -> None:
    """Fill answers and verdicts by the run's own profile. What is stored is neither asked nor judged again.

    Holds the conversations that go on. Raises RunError as `ask` does, with all rounds so far on disk.
    """
    rounds, profile = folder.rounds(), plan.profiles[0]
    prompts: Prompts = RunPrompts(plan)
    last = {compact(prompt.key) for prompt in prompts}
    asked = 0
    for number in range(agent.rounds + 1):
        _ask(plan, agent, rounds, prompts, number=number, watch=watch)
        asked += len(prompts)
        judge_answers(plan, rounds, pool, watch, profile=profile, total=asked)
        rounds.finalize(partial(_rank, plan, agent), profiles=(profile,))
        pairs = _followed(plan, rounds, prompts) if number < agent.rounds else []
        if not pairs:
            break
        last.difference_update(compact(before.key) for before, _ in pairs)
        last.update(compact(after.key) for _, after in pairs)
        prompts = [after for _, after in pairs]
    _keep(plan, rounds, folder, last)


def _ask(
    plan: Plan, agent: Agent, rounds: RunFolder, prompts: Prompts, *, number: int, watch: Watcher
) -> None:
    done = rounds.done_keys()
    if next(waiting(prompts, done), None) is not None:
        if isinstance(plan.model, Demanding):
            plan.model.check_ready()
        note_address(plan, rounds)
    options = AskOptions(
        asking=plan.asking,
        tasks=plan.data,
        purpose=lambda: _purpose(plan, agent, len(prompts), number),
        order=partial(_rank, plan, agent),
        stage=f"answers, round {number} of at most {agent.rounds}" if number else "answers",
    )
    ask(prompts, plan.model, rounds, watch, options, done=done)


def _purpose(plan: Plan, agent: Agent, prompts: int, number: int) -> Sequence[str]:
    if not number:
        return *purpose(plan), f"an agent asks about failed answers again: {agent.text()}"
    return [f"{counted(prompts, 'failed answer')}, each asked about again with what its execution gave"]


def _rank(plan: Plan, agent: Agent, head: Head) -> int:
    """The place of an answer among those of all rounds."""
    return plan.rank(head.task_id, head.sample) * (agent.rounds + 1) + head.round


def _followed(plan: Plan, rounds: RunFolder, prompts: Iterable[Prompt]) -> list[tuple[Prompt, Prompt]]:
    """Each prompt whose answer failed, with the one that goes on from there."""
    failed = _failed(rounds)
    replies: dict[bytes, tuple[Answer, Verdict]] = {}
    for answer in rounds.answers():
        verdict = failed.get(compact(verdict_key(plan, answer.key, plan.profiles[0])))
        if verdict is not None:
            replies[compact(answer.key)] = answer, verdict
    identity = content_key(plan.identity["model"])
    return [
        (prompt, _next(plan, prompt, *replies[key], identity=identity))
        for prompt in prompts
        if (key := compact(prompt.key)) in replies
    ]


def _failed(rounds: RunFolder) -> dict[bytes, Verdict]:
    """The verdicts that a model may be told of; of two on one answer the later counts."""
    failed: dict[bytes, Verdict] = {}
    for verdict in rounds.verdicts():
        failed.pop(compact(verdict.key), None)
        if is_repairable(verdict):
            failed[compact(verdict.key)] = verdict
    return failed


def _next(plan: Plan, prompt: Prompt, answer: Answer, verdict: Verdict, *, identity: str) -> Prompt:
    question = Prompt(
        key="",
        task_id=prompt.task_id,
        sample=prompt.sample,
        text=feedback(verdict, language=plan.prompting.language or plan.track.language),
        variant=prompt.variant,
        history=(
            *prompt.history,
            Message(role="user", content=prompt.text),
            Message(role="assistant", content=answer.text),
        ),
        round=prompt.round + 1,
    )
    revision = plan.tasks[prompt.task_id].revision
    return next(repetitions(question, revision=revision, identity=identity, samples=[prompt.sample]))


def _keep(plan: Plan, rounds: RunFolder, folder: RunFolder, last: set[bytes]) -> None:
    """Make the last answer of each chain that of the run."""
    judged = {
        compact(verdict_key(plan, answer.key, plan.profiles[0]))
        for answer in rounds.answers()
        if compact(answer.key) in last
    }
    folder.keep(
        (answer for answer in rounds.answers() if compact(answer.key) in last),
        (verdict for verdict in rounds.verdicts() if compact(verdict.key) in judged),
    )
