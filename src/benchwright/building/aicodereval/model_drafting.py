"""Drafts by a model: the scripts of all records run side by side; each reply is stored as it arrives.

The replies are a folder like that of a run, so another build reads them with `replay:FOLDER/answers.jsonl`
and gives the same drafts, byte for byte: a script sends the same requests in the same order whenever it gets
the same replies and executions. Nothing is asked or executed twice, however a build ended.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self, TypeGuard

import msgspec

from benchwright.asking.ask import AskOptions, ask, reads_prompts
from benchwright.asking.parameters import check_asking
from benchwright.building.aicodereval.draft_records import Draft
from benchwright.building.aicodereval.draft_templates import STANDARD, DomainMap
from benchwright.building.aicodereval.drafting_prompts import PROMPTS
from benchwright.building.aicodereval.drafting_script import (
    DraftQuestion,
    Request,
    Script,
    ScriptRules,
    script,
    steps_of,
    task_id_of,
)
from benchwright.contracts import ConversationalModel, Model, Prompt, RequestOptions
from benchwright.display.wording import counted
from benchwright.errors import UsageError
from benchwright.executing.trials import Trials, environment_lock
from benchwright.models.spec import parse_model
from benchwright.progress import Watcher
from benchwright.records import Answer, Drop, Record, Task, TaskId
from benchwright.running.options import check_name
from benchwright.sources.model_records import ModelRecord
from benchwright.store.keys import content_key
from benchwright.store.runfolder import RunFolder
from benchwright.store.writing import Head
from benchwright.version import VERSION

REPLIES, REVIEWS = "replies", "reviews"  # folders
AGAIN = ("model_error", "sandbox_error")  # reasons of drops that a retry may avoid


class ModelDrafting(Record, frozen=True, kw_only=True):
    """The parameters of drafting. `reviewer` is another model that may reject a draft."""

    model: str
    asking: RequestOptions = RequestOptions(temperature=0.0, max_tokens=8192)
    reviewer: str = ""
    environment: str = "bare"  # dependency profile of the drafts
    repairs: int = 3
    solves: bool = True


class Drafter:
    """A model that drafts, opened and checked before anything is read or written."""

    def __init__(self, options: ModelDrafting, domains: DomainMap = STANDARD) -> None:
        self._options = options
        check_asking(options.asking)
        self._models = [_opened(spec, options.asking) for spec in (options.model, options.reviewer) if spec]
        self._rules = ScriptRules(
            environment=options.environment,
            installed=environment_lock(options.environment),
            repairs=options.repairs,
            solves=options.solves,
            reviews=bool(options.reviewer),
            domains=domains,
        )

    def identity(self) -> dict[str, Any]:
        """Everything that decides which drafts there are."""
        rules = self._rules._asdict()
        return {
            **{name: rules[name] for name in ("environment", "repairs", "solves")},
            "installed": dict(self._rules.installed),
            "prompts": PROMPTS,
            "models": [dict(model.identity()) for model in self._models],
        }

    def draft(
        self, records: Sequence[ModelRecord], folder: Path, trials: Trials, watch: Watcher
    ) -> Iterator[Draft | Drop]:
        """A draft or a drop for each record, in order. Replies are stored below `folder`."""
        running = [_PendingScript(task_id_of(each), script(each, self._rules)) for each in records]
        steps = [_step(each.unit, step) for each in running for step in steps_of(self._rules)]
        with ExitStack() as opened:
            desks = [
                opened.enter_context(_RecordedModel(model, folder / name, steps, self._options.asking, watch))
                for name, model in zip((REPLIES, REVIEWS), self._models, strict=False)
            ]
            while waiting := [each for each in running if each.result is None]:
                _answer(waiting, desks)
                _execute(waiting, trials)
        yield from (each.result for each in running if each.result is not None)


class _PendingScript:
    """A script, and the request that it waits for."""

    def __init__(self, unit: str, its: Script) -> None:
        self.unit, self._script = unit, its
        self.request: Request | None = None
        self.result: Draft | Drop | None = None
        self.go_on(None)

    def go_on(self, given: Any) -> None:
        """Send it the result of its request."""
        try:
            self.request = self._script.send(given)
        except StopIteration as ended:
            self.request, self.result = None, ended.value


class _RecordedModel:
    """One model with the folder of its replies."""

    def __init__(
        self, model: Model, path: Path, steps: Sequence[str], asking: RequestOptions, watch: Watcher
    ) -> None:
        self._model, self._asking, self._watch = model, asking, watch
        self._ranks = {step: rank for rank, step in enumerate(steps)}
        self._tasks: dict[TaskId, Task] = {step: _task(step) for step in steps}
        manifest = {
            "identity": {"prompts": PROMPTS, "model": dict(model.identity())},
            "model": model.spec,
            "version": VERSION,
        }
        self._folder = RunFolder.open(path, manifest, mode="either")
        self._answered_prompts: list[Prompt] = []
        takes = model.takes if isinstance(model, ConversationalModel) else frozenset[str]()
        self._takes = takes if reads_prompts(model) else frozenset({"history", "schema"})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._folder.close()

    def ask(self, waiting: Sequence[_PendingScript]) -> None:
        """Ask all pending questions at once, and distribute the replies."""
        prompts = {
            each.unit: _prompt(each.unit, each.request) for each in waiting if _is_question(each.request)
        }
        answerable = [
            each for each in prompts.values() if self._model.samples(self._tasks[each.task_id]) != 0
        ]
        if answerable:
            self._ask(answerable)
        answers = {each.key: each for each in self._folder.answers()}
        self._answered_prompts += [
            each for each in answerable if each.key in answers and answers[each.key].error is None
        ]
        for running in waiting:
            prompt = prompts[running.unit]
            running.go_on(answers.get(prompt.key) or _absent(prompt, self._model.spec))

    def _ask(self, prompts: list[Prompt]) -> None:
        options = AskOptions(
            asking=self._asking,
            tasks=self._tasks,
            purpose=lambda: [f"{counted(len(prompts), 'question')} about entries"],
            order=self._rank,
            stage=REPLIES,
        )
        # Including answered ones: one failed question does not mean that the model never answers.
        wanted = [self._sendable(each) for each in (*self._answered_prompts, *prompts)]
        ask(wanted, self._model, self._folder, self._watch, options)

    def _sendable(self, prompt: Prompt) -> Prompt:
        """The prompt in a form that the model accepts; one without conversations gets the history as text."""
        text = prompt.text
        if prompt.history and "history" not in self._takes:
            history = (f"{each.role.upper()}:\n{each.content}" for each in prompt.history)
            text = "\n\n".join([*history, f"USER:\n{text}"])
            prompt = msgspec.structs.replace(prompt, history=())
        if prompt.schema is not None and "schema" not in self._takes:
            text += f"\n\nAnswer with JSON alone, by this JSON schema:\n{json.dumps(prompt.schema)}\n"
            prompt = msgspec.structs.replace(prompt, schema=None)
        return msgspec.structs.replace(prompt, text=text)

    def _rank(self, head: Head) -> int:
        return self._ranks.get(str(head.task_id), len(self._ranks))


def _answer(running: Sequence[_PendingScript], desks: Sequence[_RecordedModel]) -> None:
    """Send each pending question to its model."""
    for number, desk in enumerate(desks):
        waiting = [
            each for each in running if _is_question(each.request) and each.request.reviewer is bool(number)
        ]
        if waiting:
            desk.ask(waiting)


def _execute(running: Sequence[_PendingScript], trials: Trials) -> None:
    """Run all pending executions at once."""
    waiting = [(each, each.request) for each in running if isinstance(each.request, list)]
    tried = iter(trials.run([trial for _, wanted in waiting for trial in wanted], name="executions"))
    for each, wanted in waiting:
        each.go_on([next(tried) for _ in wanted])


def _is_question(request: Request | None) -> TypeGuard[DraftQuestion]:
    return isinstance(request, DraftQuestion)


def _opened(spec: str, asking: RequestOptions) -> Model:
    check_name("--model", spec)
    if spec in ("gold:", "stub:"):
        message = f"--model {spec}: this model needs a data set, and a build has none"
        raise UsageError(message, hint="--model openai:NAME, or replay:FILE of stored replies")
    return parse_model(spec, asking=asking)


def _step(unit: str, step: str) -> str:
    return f"{unit}#{step}"


def _prompt(unit: str, question: DraftQuestion) -> Prompt:
    """A prompt whose key does not include the model, since stored replies must stand for those of the
    model.
    """
    history = [[each.role, each.content] for each in question.history]
    key = content_key(PROMPTS, unit, question.step, question.text, history, question.schema)
    return Prompt(
        key=key,
        task_id=_step(unit, question.step),
        sample=0,
        text=question.text,
        variant=PROMPTS,
        history=question.history,
        schema=question.schema,
    )


def _absent(prompt: Prompt, spec: str) -> Answer:
    error = f"{spec} holds no reply to {prompt.task_id}"
    return Answer(key=prompt.key, task_id=prompt.task_id, sample=0, model=spec, text="", error=error)


def _task(name: str) -> Task:
    """A step as a task for models, identified by its id."""
    return Task(task_id=name, instruction="", inputs={}, outputs=None, meta={}, revision="")
