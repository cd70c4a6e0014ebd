"""Stage write: a model writes test files; each reply is stored as it arrives, and nothing is asked twice.

The replies are a folder of answers like that of a run, so another build reads them with `--generate
replay:FOLDER` and gives the same rows. Generated tests run in the sandbox like all tests.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.asking.ask import AskOptions, ask
from benchwright.asking.parameters import check_asking
from benchwright.building.codecorrectness.generated import (
    PROMPT,
    Focal,
    prompt_key,
    prompt_text,
    read_reply,
    written_path,
)
from benchwright.building.codecorrectness.nouns import Authorship, Pair
from benchwright.building.codecorrectness.options import Generating
from benchwright.contracts import Prompt
from benchwright.display.wording import counted
from benchwright.errors import UsageError
from benchwright.models.spec import parse_model
from benchwright.progress import Watcher
from benchwright.records import Answer, Drop, Task
from benchwright.running.options import check_name
from benchwright.store.runfolder import RunFolder
from benchwright.version import VERSION


class _TestRequest(NamedTuple):
    """One requested test file."""

    focal: Focal
    prompt: Prompt


class Writer:
    """The model that writes tests, opened and checked before anything is read or written."""

    def __init__(self, generating: Generating) -> None:
        check_name("--generate", generating.model)
        check_asking(generating.asking)
        if generating.model in ("gold:", "stub:"):
            message = f"--generate {generating.model}: this model needs a data set, and a build has none"
            raise UsageError(message, hint="--generate openai:NAME, or replay:FOLDER of stored replies")
        self._asking, self.most = generating.asking, generating.files
        self.model = parse_model(generating.model, asking=generating.asking)
        self._tests = 1 if self.model.deterministic else generating.tests  # a second reply would be a copy

    def identity(self) -> dict[str, Any]:
        """Everything that decides which tests are written."""
        whole = {"prompt": PROMPT, "tests_per_file": self._tests, "files": self.most}
        return {**whole, "model": dict(self.model.identity())}

    def write(
        self, focal: Sequence[Focal], folder: Path, watch: Watcher, *, passed_over: Iterable[str] = ()
    ) -> Iterator[Pair | Drop]:
        """A pair or a drop for each reply; a file without a stored reply is a drop.

        `passed_over` names files without a request; stored replies may exist for them.
        """
        questions, without = self._questions(focal)
        manifest = {
            "identity": {"prompt": PROMPT, "model": dict(self.model.identity())},
            "model": self.model.spec,
            "version": VERSION,
        }
        with RunFolder.open(folder, manifest, mode="either") as replies:
            asked = {each.prompt.key: each for each in questions}
            prompts = [each.prompt for each in questions]
            options = AskOptions(
                asking=self._asking,
                tasks={name: _task(name) for name in (*(each.name for each in focal), *passed_over)},
                purpose=lambda: [f"tests for {counted(len({each.task_id for each in prompts}), 'file')}"],
                stage="replies",
            )
            ask(prompts, self.model, replies, watch, options)
            for answer in replies.answers():
                if (question := asked.get(answer.key)) is not None:
                    yield _pair(question, answer)
        yield from without

    def _questions(self, focal: Iterable[Focal]) -> tuple[list[_TestRequest], list[Drop]]:
        questions: list[_TestRequest] = []
        without: list[Drop] = []
        for each in focal:
            text = prompt_text(each)
            held = self.model.samples(_task(each.name))
            if held == 0:
                without.append(Drop(unit=each.name, reason="no_reply", detail=f"none in {self.model.spec}"))
            for sample in range(self._tests if held is None else min(held, self._tests)):
                key = prompt_key(each, text, sample)
                prompt = Prompt(key=key, task_id=each.name, sample=sample, text=text, variant=PROMPT)
                questions.append(_TestRequest(each, prompt))
        return questions, without


def published(identity: Mapping[str, Any]) -> dict[str, Any]:
    """The part of the identity for the manifest: without the address of the server."""
    model = {name: value for name, value in identity["model"].items() if name != "base_url"}
    return {**identity, "model": model}


def _pair(question: _TestRequest, answer: Answer) -> Pair | Drop:
    focal = question.focal
    path = written_path(focal.path, focal.test_name, answer.sample + 1)
    reading = read_reply(answer, focal.lang)
    if reading.problem:
        unit = f"{focal.repository}:{path}"
        detail = f"{reading.detail} (reply {answer.key})".strip()
        return Drop(unit=unit, reason=reading.problem, detail=detail)
    return Pair(
        repository=focal.repository,
        commit=focal.commit,
        committed_at=focal.committed_at,
        licence=focal.licence,
        lang=focal.lang,
        focal_path=focal.path,
        test_path=path,
        focal_code=focal.code,
        test_code=reading.code,
        written=Authorship(model=answer.model, prompt=PROMPT, reply=answer.key),
    )


def _task(name: str) -> Task:
    """A focal file as a task for models, identified by its id."""
    return Task(task_id=name, instruction="", inputs={}, outputs=None, meta={}, revision="")
