"""Fill the answers of a run: each prompt once, or in conversations that an agent leads.

    ask ──Answer──▶ tools ──ToolCall──▶ (judge ──Verdict──▶) reply ──Prompt──▶ ask …

All rounds of an agent are in the files `rounds.*` of the run folder: answers, verdicts if the agent needs
them, and tool calls with their results. The last answer of each conversation becomes the answer of the run;
`trajectories.jsonl` has all turns of each answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial

import msgspec

from benchwright.asking.ask import AskOptions, Prompts, ask, repetitions, waiting
from benchwright.contracts import (
    Attempt,
    Executor,
    Message,
    ModelWithRequirements,
    Prompt,
    ToolCall,
    ToolExecution,
    Trajectory,
    Turn,
)
from benchwright.display.escape import escaped_name
from benchwright.display.wording import counted
from benchwright.errors import RunError
from benchwright.progress import Watcher, stage
from benchwright.records import Answer, Outcome, TaskId, Verdict
from benchwright.running.judging import judge_answers, verdict_key
from benchwright.running.plan import Plan
from benchwright.running.run_folders import note_address
from benchwright.running.score_notes import shape_in_words
from benchwright.store.keys import compact, content_key
from benchwright.store.runfolder import RunFolder
from benchwright.store.writing import Appender, Head, finalize


class RunPrompts:
    """Every question of a run in canonical order. Keys contain the text of a variant, not its name."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def __len__(self) -> int:
        return self._plan.total

    def __iter__(self) -> Iterator[Prompt]:
        identity, n = content_key(self._plan.identity["model"]), self._plan.n
        counts = self._plan.counts
        for task in self._plan.tasks.values():
            for way, question in enumerate(self._plan.prompting.questions(self._plan.track, task)):
                prompt = Prompt(
                    key="", task_id=task.task_id, sample=0, text=question.text, variant=question.variant
                )
                samples = range(way * n, min((way + 1) * n, counts[task.task_id]))
                yield from repetitions(prompt, revision=task.revision, identity=identity, samples=samples)


def ask_questions(plan: Plan, folder: RunFolder, watch: Watcher) -> None:
    """Fill answers.jsonl: ask each question of the plan once."""
    done = folder.done_keys()
    if len(done) < plan.total:
        note_address(plan, folder)
        if summary := shape_in_words(plan):
            watch.note(summary)
    options = AskOptions(
        asking=plan.asking,
        tasks=plan.data,
        purpose=lambda: purpose(plan),
        order=lambda head: plan.rank(head.task_id, head.sample),
    )
    ask(RunPrompts(plan), plan.model, folder, watch, options, done=done)


def check_ready(plan: Plan, folder: RunFolder) -> None:
    """Raise PrerequisiteError where answers are missing and the model cannot be asked.

    A run that has all its answers needs no API key.
    """
    if isinstance(plan.model, ModelWithRequirements) and len(folder.done_keys()) < plan.total:
        plan.model.check_ready()


def purpose(plan: Plan) -> tuple[str, str]:
    """Return the purpose of a run's requests, and the smallest difference they can show."""
    amount = f"{counted(len(plan.tasks), 'task')}, {_design(plan)}, {counted(plan.n, 'answer')} to each"
    return amount, _difference(plan)


def _design(plan: Plan) -> str:
    prompting = plan.prompting
    if prompting.design == "row":
        return "the data set's own prompt"
    if prompting.file is not None:
        return f"the prompt {escaped_name(prompting.file.name)}"
    prompt_count = f"{counted(len(prompting.variants), 'prompt')} ({prompting.language}, {prompting.form})"
    return f"each in each of {prompt_count}" if prompting.design == "all" else f"spread over {prompt_count}"


def _difference(plan: Plan) -> str:
    """Return the detectable difference of the headline measure, which has the most independent answers."""
    from benchwright.stats.power import detectable_before  # noqa: PLC0415 (live models only)

    least, measure = detectable_before(len(plan.tasks), plan.a_task), plan.track.measures.headline.title
    if least is None:
        return (
            f"with {counted(len(plan.tasks), 'task')} no difference of {measure} between two models would be "
            f"found four times in five, however large: more tasks are needed to compare them"
        )
    return (
        f"with this number of answers, a difference of {100 * least:.1f} points of {measure} between two "
        "models would be found four times in five, and a smaller one less often"
    )


AnswerId = tuple[TaskId, int]  # task and sample


def make_answers(
    plan: Plan, folder: RunFolder, executor: Executor, watch: Watcher, *, tools: Executor | None = None
) -> tuple[str, ...]:
    """Fill the answers of a run, by its agent if it has one. Returns the profiles that are judged by then.

    `tools` executes the agent's tools; None: `executor`, which judges the answers.
    """
    if plan.agent is None:
        ask_questions(plan, folder, watch)
        return ()
    return Conversations(plan, folder, executor, watch, tools=tools or executor).run()


class Conversations:
    """The conversations of an agent about all tasks of a run, one round of all of them at a time.

    All state is in files, so nothing that is stored is asked, executed or judged again. Prompts, files and
    tool calls of continuing conversations are held in memory.
    """

    def __init__(
        self, plan: Plan, folder: RunFolder, executor: Executor, watch: Watcher, *, tools: Executor
    ) -> None:
        assert plan.agent is not None
        self._plan, self._folder, self._executor, self._watch = plan, folder, executor, watch
        self._tools = tools
        self._settings, self._agent = plan.agent, plan.agent.open()
        self._rounds, self._profile = folder.rounds(), plan.profiles[0]
        self._profiles = (self._profile,) if self._agent.judged else ()
        self._identity = content_key(plan.identity["model"])
        self._order = partial(_rank, plan, plan.agent.rounds)
        self._files: dict[AnswerId, dict[str, bytes]] = {}
        self._calls: dict[AnswerId, list[list[ToolCall]]] = {}  # by round

    def run(self) -> tuple[str, ...]:
        """Ask until all conversations have ended. Returns the profiles that are judged by then.

        Raises RunError as `ask` does, with all rounds so far on disk.
        """
        prompts, last, prompt_count = self._first_prompts(), set[bytes](), 0
        with ExitStack() as stack:
            trajectories = self._trajectory_writer(stack)
            for number in range(self._settings.rounds + 1):
                self._ask(prompts, number)
                prompt_count += len(prompts)
                if self._agent.judged:
                    self._judge(prompt_count)
                self._rounds.finalize(self._order, profiles=self._profiles)
                following: list[Prompt] = []
                for prompt, answer, text in self._replies(prompts, number):
                    if text is not None:
                        following.append(self._follow_up(prompt, answer, text))
                        continue
                    last.add(compact(answer.key))
                    if trajectories is not None:
                        trajectories.append(self._trajectory(prompt, answer))
                prompts = following
                if not prompts:
                    break
        if trajectories is not None:
            finalize(self._folder.trajectories_path, lambda head: self._plan.rank(head.task_id, head.sample))
        self._keep(last)
        return self._profiles

    def _first_prompts(self) -> Prompts:
        """Return the prompts of the plain run, with the agent's system message where it has one."""
        prompts = RunPrompts(self._plan)
        if not self._agent.system:
            return prompts
        system = (Message(role="system", content=self._agent.system),)
        return [self._with_key(msgspec.structs.replace(prompt, history=system)) for prompt in prompts]

    def _with_key(self, question: Prompt) -> Prompt:
        revision, samples = self._plan.tasks[question.task_id].revision, [question.sample]
        return next(repetitions(question, revision=revision, identity=self._identity, samples=samples))

    def _ask(self, prompts: Prompts, number: int) -> None:
        plan, done = self._plan, self._rounds.done_keys()
        if next(waiting(prompts, done), None) is not None:
            if isinstance(plan.model, ModelWithRequirements):
                plan.model.check_ready()
            note_address(plan, self._rounds)
        options = AskOptions(
            asking=plan.asking,
            tasks=plan.data,
            purpose=lambda: self._purpose(len(prompts), number),
            order=self._order,
            stage=f"answers, round {number} of at most {self._settings.rounds}" if number else "answers",
        )
        ask(prompts, plan.model, self._rounds, self._watch, options, done=done)

    def _purpose(self, prompts: int, number: int) -> Sequence[str]:
        action = "asks about failed answers again" if self._agent.judged else "continues each conversation"
        if not number:
            return *purpose(self._plan), f"an agent {action}: {self._settings.text()}"
        if self._agent.judged:
            return [
                f"{counted(prompts, 'failed answer')}, each asked about again with what its execution gave"
            ]
        return [f"{counted(prompts, 'conversation')}, each continued by the agent"]

    def _judge(self, total: int) -> None:
        plan, profile = self._plan, self._profile
        judge_answers(plan, self._rounds, self._executor, self._watch, profile=profile, total=total)

    def _replies(self, prompts: Prompts, number: int) -> Iterator[tuple[Prompt, Answer, str | None]]:
        """Each prompt of a round, its answer, and the agent's reply: None ends the conversation."""
        if number == self._settings.rounds:
            yield from (
                (prompt, answer, None) for prompt, answer in self._prompts_with_answers(prompts, number)
            )
            return
        self._execute(prompts, number)
        failed = self._failed_verdicts(number) if self._agent.judged else {}
        for prompt, answer in self._prompts_with_answers(prompts, number):
            verdict = failed.get(compact(verdict_key(self._plan, answer.key, self._profile)))
            if answer.error is not None or (self._agent.judged and verdict is None):
                yield prompt, answer, None
                continue
            calls = next(iter(self._calls.get(answer_id(answer), [])[number:]), [])
            language = self._plan.prompting.language or self._plan.track.language
            task = self._plan.tasks[prompt.task_id]
            yield (
                prompt,
                answer,
                self._agent.reply(Attempt(task, answer, calls, verdict, language)),
            )

    def _prompts_with_answers(self, prompts: Prompts, number: int) -> Iterator[tuple[Prompt, Answer]]:
        """Each prompt of a round with its answer: both are in canonical order."""
        answers = (answer for answer in self._rounds.answers() if answer.round == number)
        for prompt in prompts:
            answer = next((each for each in answers if each.row == (prompt.key, prompt.task_id)), None)
            if answer is None:
                message = f"round {number} has no answer to sample {prompt.sample} of task {prompt.task_id}"
                raise RunError(message, hint="the same command asks again")
            yield prompt, answer

    def _failed_verdicts(self, number: int) -> dict[bytes, Verdict]:
        """Return the verdicts of a round on answers that did not pass. Later ones replace earlier ones."""
        failed: dict[bytes, Verdict] = {}
        for verdict in self._rounds.verdicts():
            failed.pop(compact(verdict.key), None)
            if verdict.round == number and verdict.outcome is not Outcome.passed:
                failed[compact(verdict.key)] = verdict
        return failed

    def _execute(self, prompts: Prompts, number: int) -> None:
        """Execute the tool calls of a round that are not stored yet."""
        if not self._agent.tools:
            return
        from benchwright.running.workspace import ToolTurn, execute_tools  # noqa: PLC0415 (the sandbox)

        with self._rounds.tool_writer() as writer:
            rows = self._rounds.tool_executions()
            stored = {compact(each.key): each for each in rows if each.round == number}
            pending: list[tuple[Answer, Sequence[ToolCall]]] = []
            for _, answer in self._prompts_with_answers(prompts, number):
                if answer.error is not None:
                    continue
                if (row := stored.get(compact(answer.key))) is not None:
                    self._learn(row)
                elif calls := self._agent.calls(answer):
                    pending.append((answer, calls))
            turns = (ToolTurn(calls, self._files.get(answer_id(answer), {})) for answer, calls in pending)
            with stage(self._watch, f"tools, round {number}", total=len(pending), done=0):
                for place, (calls, files) in execute_tools(turns, self._agent.tools, self._tools):
                    answer, _ = pending[place]
                    row = ToolExecution(
                        key=answer.key,
                        task_id=answer.task_id,
                        sample=answer.sample,
                        round=number,
                        calls=calls,
                        files=files,
                    )
                    writer.append(row)
                    self._learn(row)
                    self._watch.tick(None)

    def _learn(self, row: ToolExecution) -> None:
        answer = row.task_id, row.sample
        self._files[answer] = row.files
        rounds = self._calls.setdefault(answer, [])
        rounds.extend([] for _ in range(len(rounds), row.round))
        rounds.append(row.calls)

    def _follow_up(self, prompt: Prompt, answer: Answer, text: str) -> Prompt:
        question = Prompt(
            key="",
            task_id=prompt.task_id,
            sample=prompt.sample,
            text=text,
            variant=prompt.variant,
            history=(
                *prompt.history,
                Message(role="user", content=prompt.text),
                Message(role="assistant", content=answer.text),
            ),
            round=prompt.round + 1,
        )
        return self._with_key(question)

    def _trajectory_writer(self, stack: ExitStack) -> Appender | None:
        """Return None for a finished run of an earlier version: it gets no new file."""
        path = self._folder.trajectories_path
        if "finished" in self._folder.manifest and not path.exists():
            return None
        path.unlink(missing_ok=True)
        return stack.enter_context(Appender(path))

    def _trajectory(self, prompt: Prompt, answer: Answer) -> Trajectory:
        """Return the turns of a finished conversation."""
        texts = [each.content for each in prompt.history if each.role != "system"]
        requests, replies = [*texts[::2], prompt.text], [*texts[1::2], answer.text]
        if self._plan.withheld:
            requests[0] = ""
        self._files.pop(answer_id(answer), None)
        calls = self._calls.pop(answer_id(answer), [])
        calls += [[] for _ in range(len(calls), len(requests))]
        turns = [
            Turn(asked=each[0], answered=each[1], calls=each[2])
            for each in zip(requests, replies, calls, strict=True)
        ]
        return Trajectory(key=answer.key, task_id=answer.task_id, sample=answer.sample, turns=turns)

    def _keep(self, last: set[bytes]) -> None:
        """Make the last answer of each conversation that of the run."""
        plan, judged = self._plan, set[bytes]()
        for answer in self._rounds.answers():
            if compact(answer.key) in last:
                judged.add(compact(verdict_key(plan, answer.key, self._profile)))
        self._folder.keep_answers(each for each in self._rounds.answers() if compact(each.key) in last)
        if self._agent.judged:
            verdicts = self._rounds.verdicts()
            self._folder.keep_verdicts(each for each in verdicts if compact(each.key) in judged)


def answer_id(answer: Answer) -> AnswerId:
    """Return the identity of an answer that all its rounds share."""
    return answer.task_id, answer.sample


def _rank(plan: Plan, rounds: int, head: Head) -> int:
    """Return the position of an answer among those of all rounds."""
    return plan.rank(head.task_id, head.sample) * (rounds + 1) + head.round
