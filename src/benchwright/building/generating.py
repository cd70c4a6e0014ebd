"""Stage write: a model writes test files, each reply stored as it arrives and nothing asked twice.

The replies are a folder of answers like a run's, so another build takes them with `--generate
replay:FOLDER` and gets the same rows. What a reply holds is read here and run in the sandbox, as all tests.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.building.generated_focal import Focal
from benchwright.building.generated_openings import written_path
from benchwright.building.generated_prompt import PROMPT, prompt_key, prompt_text
from benchwright.building.generated_reading import read_reply
from benchwright.building.nouns import Drop, Pair, Written
from benchwright.building.options import Generating
from benchwright.contracts import Asking, Observed, Prompt
from benchwright.errors import RunError, UsageError
from benchwright.models.openai.budget import most_tokens_in
from benchwright.models.openai.request import answer_limit
from benchwright.models.spec import parse_model
from benchwright.progress import Watcher, stage
from benchwright.records import Answer, Task
from benchwright.running.asking import check_asking, cost, money
from benchwright.running.foresee import held_back
from benchwright.running.options import check_name
from benchwright.running.prompting import reads_prompts
from benchwright.running.tally import Tally
from benchwright.store.appending import Head
from benchwright.store.keys import compact
from benchwright.store.runfolder import RunFolder
from benchwright.version import VERSION


class _Question(NamedTuple):
    """One test file that is asked for."""

    focal: Focal
    prompt: Prompt


class Writer:
    """The model that writes tests, opened and checked before anything is read or written."""

    def __init__(self, generating: Generating) -> None:
        check_name("--generate", generating.model)
        check_asking(generating.asking)
        if generating.model in ("gold:", "stub:"):
            message = f"--generate {generating.model}: it knows the answers of a data set, and none is there"
            raise UsageError(message, hint="--generate openai:NAME, or replay:FOLDER of stored replies")
        self._asking, self.most = generating.asking, generating.files
        self.model = parse_model(generating.model, asking=generating.asking)
        self._tests = 1 if self.model.deterministic else generating.tests  # a second one would be a copy

    def identity(self) -> dict[str, Any]:
        """All that decides which tests are written."""
        whole = {"prompt": PROMPT, "tests_per_file": self._tests, "files": self.most}
        return {**whole, "model": dict(self.model.identity())}

    def write(
        self, focal: Sequence[Focal], folder: Path, watch: Watcher, *, passed_over: Iterable[str] = ()
    ) -> Iterator[Pair | Drop]:
        """A pair or a drop for each reply; a file that stored replies lack is a drop itself.

        `passed_over` names files that are not asked about: stored replies may be to them.
        """
        questions, without = self._questions(focal)
        manifest = {
            "identity": {"prompt": PROMPT, "model": dict(self.model.identity())},
            "model": self.model.spec,
            "version": VERSION,
        }
        with RunFolder.open(folder, manifest, mode="either") as replies:
            self._ask(questions, replies, watch, names=[*(each.name for each in focal), *passed_over])
            asked = {each.prompt.key: each for each in questions}
            for answer in replies.answers():
                if (question := asked.get(answer.key)) is not None:
                    yield _pair(question, answer)
        yield from without

    def _questions(self, focal: Iterable[Focal]) -> tuple[list[_Question], list[Drop]]:
        questions: list[_Question] = []
        without: list[Drop] = []
        for each in focal:
            text = prompt_text(each)
            held = self.model.samples(_task(each.name))
            if held == 0:
                without.append(Drop(unit=each.name, reason="no_reply", detail=f"none in {self.model.spec}"))
            for sample in range(self._tests if held is None else min(held, self._tests)):
                key = prompt_key(each, text, sample)
                prompt = Prompt(key=key, task_id=each.name, sample=sample, text=text, variant=PROMPT)
                questions.append(_Question(each, prompt))
        return questions, without

    def _ask(
        self, questions: Sequence[_Question], folder: RunFolder, watch: Watcher, *, names: Iterable[str]
    ) -> None:
        """Ask what has no reply yet, and put the replies into the order of the questions."""
        done = folder.done_keys()
        waiting = [each.prompt for each in questions if compact(each.prompt.key) not in done]
        tally = Tally(self._asking, folder, watch)
        if waiting and reads_prompts(self.model):
            for line in _foreseen(waiting, self.model.spec, self._asking):
                watch.note(line)
        known = len(questions) - len(waiting)
        with folder.answer_writer() as writer, stage(watch, "replies", total=len(questions), done=known):
            self._introduce(folder, tally)
            with ExitStack() as ending:
                answers = self.model.answer(waiting, {name: _task(name) for name in names})
                if (close := getattr(answers, "close", None)) is not None:
                    ending.callback(close)  # on Ctrl-C, requests in flight are given up at once
                for answer in answers:
                    writer.append(answer)
                    tally.count(answer)
        ranks = {(each.prompt.task_id, each.prompt.sample): rank for rank, each in enumerate(questions)}

        def rank(head: Head) -> int:  # replies of an earlier state of the folder come last
            return ranks.setdefault((head.task_id, head.sample), len(ranks))

        folder.finalize(rank, profiles=())
        _check(tally, self.model.spec, waiting=len(waiting), known=known)

    def _introduce(self, folder: RunFolder, tally: Tally) -> None:
        """Listen to a model that tells of its server, and tell one with a budget what is spent."""
        if isinstance(self.model, Observed):
            self.model.observe(tally.hear)
        already: Any = getattr(self.model, "already", None)
        if already is not None:
            counts = [(answer.tokens_in or 0, answer.tokens_out or 0) for answer in folder.answers()]
            used = sum(count for count, _ in counts), sum(count for _, count in counts)
            tally.start_from(*used)
            already(*used)


def published(identity: Mapping[str, Any]) -> dict[str, Any]:
    """What a manifest says of the writer: all but where its server stood."""
    model = {name: value for name, value in identity["model"].items() if name != "base_url"}
    return {**identity, "model": model}


def _pair(question: _Question, answer: Answer) -> Pair | Drop:
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
        written=Written(model=answer.model, prompt=PROMPT, reply=answer.key),
    )


def _task(name: str) -> Task:
    """A file as models know tasks: by its id."""
    return Task(task_id=name, instruction="", inputs={}, outputs=None, meta={}, revision="")


def _foreseen(waiting: Sequence[Prompt], spec: str, asking: Asking) -> list[str]:
    """What will be asked and what it may cost, before the first request is paid for."""
    files = len({prompt.task_id for prompt in waiting})
    limit = answer_limit(asking)
    said = f"{len(waiting):,} requests to {spec}: tests for {files:,} files"
    read = [most_tokens_in(prompt) for prompt in waiting]
    if limit is not None:
        bound = cost(asking, sum(read), len(waiting) * limit)
        price = "" if bound is None else f", for {money(bound)} at most"
        said = f"{said}, at most {limit:,} tokens a reply{price}"
    return [said, *held_back(asking, max(read))]


def _check(tally: Tally, spec: str, *, waiting: int, known: int) -> None:
    """Refuse to go on with nothing or with a part: the same command would give other rows later."""
    if tally.failed and tally.failed == tally.asked and not known:
        raise RunError(
            f"{spec} wrote nothing for any of {tally.asked:,} requests: {tally.reasons[0]}",
            hint="repair what it names; the same command asks again",
        )
    if tally.asked < waiting:
        raise RunError(
            f"{waiting - tally.asked:,} of {waiting + known:,} requests were not made",
            hint="the same command goes on from here, with a higher --budget where that was the reason",
        )
