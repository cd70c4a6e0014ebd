"""Stages focal and write: test files that a model writes for files of the repositories.

Stage focal selects the files. Stage write sends one prompt for each test file, stores each reply as it
arrives, never asks twice, and reads the test file from the reply. A damaged reply is dropped, not repaired.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from benchwright.asking.ask import AskOptions, ask
from benchwright.asking.parameters import check_asking
from benchwright.building.codecorrectness.options import GeneratedTestOptions, RowBounds
from benchwright.building.codecorrectness.repository_files import (
    MAX_FILE,
    OpenedRepository,
    open_repositories,
)
from benchwright.building.codecorrectness.row_gates import OWN
from benchwright.building.codecorrectness.row_records import Authorship, Candidate, Pair
from benchwright.building.engine.gates import decide, refusal
from benchwright.contracts import Prompt
from benchwright.display.wording import counted
from benchwright.errors import UsageError
from benchwright.executing.suite_runners import Runners, UnavailableLanguage
from benchwright.lang.languages import language, language_of
from benchwright.lang.paths import is_plain_path
from benchwright.lang.protocol import Language, Opening
from benchwright.lang.source import cases, is_test_path, syntax_fault, tags
from benchwright.models.spec import parse_model
from benchwright.progress import Watcher
from benchwright.records import Answer, Drop, Record, Task
from benchwright.running.options import check_name
from benchwright.sources.clones import TextError
from benchwright.sources.repositories import Repository
from benchwright.store.keys import content_key
from benchwright.store.runfolder import RunFolder
from benchwright.text.extract import CUT_OFF
from benchwright.text.fences import Block, find_blocks
from benchwright.text.normalisation import drop_marks, normalise, strip_reasoning
from benchwright.tracks.prompt_templates import fence
from benchwright.version import VERSION

_FOLDERS_OF_TESTS = {"test", "tests", "testing", "testdata"}


def is_focal_path(path: str) -> bool:
    """False for a file whose folder or name shows that it is not code to test."""
    *folders, name = path.split("/")
    lang = language_of(path)
    return lang is not None and name not in lang.not_focal and _FOLDERS_OF_TESTS.isdisjoint(folders)


def written_path(path: str, name: str, number: int) -> str:
    """The path of a generated test: the focal file's folder below `generated/NUMBER`."""
    folder = path.rpartition("/")[0]
    return "/".join(part for part in ("generated", str(number), folder, name) if part)


PROMPT = "write-tests-1"  # version of the prompt; change it with the text
_PROMPT_TEXT = """Write unit tests for a {lang} file. This is the whole file, `{path}`:

{code}

{framework} The test file begins like this:

{opening}

Write six test cases, more where the file has much to test. For each of them:

- It can run alone and in any order: it needs nothing that another test case did.
- It calls the code and compares the result with a concrete value that you worked out and wrote down.
- It checks one behaviour. Take ordinary values as well as borders, empty input and errors.
- It uses the standard library and this file only. No network, no files, no clock, no chance, no waiting,
  no replaced parts.

Do not repeat the code of the file in the tests. Answer with the whole test file in one fenced block.
"""


def prompt_text(focal: FocalFile) -> str:
    """The prompt for one file, in English like most code."""
    lang = language(focal.lang)
    return _PROMPT_TEXT.format(
        lang=focal.lang,
        path=focal.path,
        code=_fenced(focal.code, lang.fence),
        framework=lang.test_request,
        opening=_fenced(focal.opening, lang.fence),
    )


def prompt_key(focal: FocalFile, text: str, sample: int) -> str:
    """The key of a prompt and its reply.

    Unlike the keys of a run, it does not include the model: a folder of replies belongs to one model, and a
    build from stored replies must give the same rows as the model itself.
    """
    return content_key(PROMPT, focal.name, text, sample)


def _fenced(code: str, tag: str) -> str:
    """A fenced block that its content cannot close; docstrings contain fences too."""
    marks = fence(code)
    return f"{marks}{tag}\n{code.strip(chr(10))}\n{marks}"


# Replies are never repaired: the end of a truncated file is unknown, and of two files either may be meant.
MAX_CHARS = 256 << 10  # maximum length of a reply; the test file of a row has a few thousand
MOST_BLOCKS = 32
_UNTAGGED = ("", "code", "tool_code", "test", "tests")


class GeneratedTest(NamedTuple):
    """The test file; without one, `problem` is a reason code and `detail` explains it."""

    code: str
    problem: str = ""
    detail: str = ""


def read_reply(answer: Answer, lang: str) -> GeneratedTest:
    """The test file in a reply. Never raises, whatever the text."""
    if answer.error is not None:
        return _problem("model_error", answer.error)
    if len(answer.text) > MAX_CHARS:
        return _problem("reply_too_large", f"{len(answer.text):,} characters")
    stripped = strip_reasoning(normalise(answer.text))
    if stripped.truncated or answer.finish_reason in CUT_OFF:
        return _problem("reply_truncated", f"it ended by {answer.finish_reason or 'no end of its reasoning'}")
    text = drop_marks(stripped.text)
    if not text.strip():
        return _problem("reply_empty", "nothing beside reasoning" if stripped.found else "")
    blocks = _inner(text)
    if len(blocks) > MOST_BLOCKS:
        return _problem("reply_in_pieces", f"{len(blocks)} blocks")
    return _test_file(blocks, lang) if blocks else _bare(text, lang)


def _inner(text: str) -> list[Block]:
    """The fenced blocks; a Markdown block is replaced by the blocks inside it."""
    found: list[Block] = []
    for block in find_blocks(text):
        found += find_blocks(block.content) if block.tag in ("markdown", "md") else [block]
    return [block for block in found if block.content.strip()]


def _bare(text: str, lang: str) -> GeneratedTest:
    """A reply without fences: either a test file itself, or a problem."""
    if syntax_fault(text, lang) is None and cases(text, lang):
        return _file(text)
    return _problem("reply_without_code", "no fenced block, and the text itself is no test file")


def _test_file(blocks: list[Block], lang: str) -> GeneratedTest:
    """The one block with test cases. Blocks with commands or with the code again have none."""
    own = language(lang).fence_tags.union(_UNTAGGED)
    mine = [block for block in blocks if block.tag in own]
    if not mine:
        return _problem("reply_other_language", ", ".join(block.tag for block in blocks)[:100])
    faults = {at: fault for at, block in enumerate(mine) if (fault := syntax_fault(block.content, lang))}
    files = [block for at, block in enumerate(mine) if at not in faults and cases(block.content, lang)]
    if len(files) > 1:
        return _problem("reply_several_files", f"{len(files)} blocks hold test cases")
    if any(not block.closed for block in mine):
        return _problem("reply_truncated", "its last block has no end")
    if files:
        return _file(files[0].content)
    if faults:
        return _problem("reply_syntax", str(next(iter(faults.values()))))
    return _problem("reply_without_tests", "no block holds a test case")


def _file(code: str) -> GeneratedTest:
    return GeneratedTest(code.strip("\n") + "\n")


def _problem(name: str, detail: str) -> GeneratedTest:
    return GeneratedTest("", name, detail[:300])


# A request costs money, so a file is selected only if a test of it could become a row: the smallest possible
# test must pass the gates of stage filter, and the language must be installed here.


class FocalFile(Record, frozen=True, kw_only=True):
    """A file to write tests for; `opening` starts the test file, `test_name` is its name.

    `name` identifies the file and its content, so a stored reply is never used for other code.
    """

    name: str
    repository: str
    commit: str
    committed_at: str
    licence: str
    lang: str
    path: str
    code: str
    opening: str
    test_name: str


def focal_files(
    repositories: Iterable[Repository], bounds: RowBounds, runners: Runners, *, most: int
) -> Iterator[FocalFile | Drop]:
    """Up to `most` files of each repository, and the reasons for leaving out the others.

    The order is a hash of the paths, so the files come from all over the repository.
    """
    free = msgspec.structs.replace(bounds, test_lines=0, test_chars=sys.maxsize, asserts=sys.maxsize)
    for source in open_repositories(repositories, bounds):
        if isinstance(source, Drop):
            yield source
        else:
            yield from _of_repository(_FocalReader(source, free, runners), most)


class _FocalReader:
    """The files of one repository, read and tried."""

    def __init__(self, source: OpenedRepository, bounds: RowBounds, runners: Runners) -> None:
        self.repository, self._clone, self.files = source.repository, source.clone, source.files
        self._source = source
        self._bounds, self._runners = bounds, runners
        self._gates = [opener(bounds) for opener in OWN]

    def focal(self, path: str, lang: Language) -> FocalFile | Drop:
        """The file as a request for tests, or the reason why it is not suitable."""
        code = self._text(path, lang)
        if isinstance(code, Drop):
            return code
        name = f"{self.repository.name}:{path}@{content_key(lang.name, code)[:8]}"
        if (foreign := self._source.foreign(path, code)) is not None:
            return Drop(unit=name, reason=foreign.reason, detail=foreign.detail)
        if len(code) > self._bounds.focal_chars:
            return Drop(unit=name, reason="focal_too_large", detail=f"{len(code):,} characters")
        opening = lang.opening(path, code, self.files)
        if opening is None:
            return Drop(unit=name, reason="nothing_to_test", detail="the file has nothing that can be called")
        if (refused := refusal(decide(self._probe(path, code, lang, opening), self._gates))) is not None:
            return Drop(unit=name, reason=refused.reason, detail=refused.detail)
        return FocalFile(
            name=name,
            repository=self.repository.name,
            commit=self.repository.commit,
            committed_at=self.repository.committed_at,
            licence=self.repository.licence,
            lang=lang.name,
            path=path,
            code=code,
            opening=opening.lines,
            test_name=opening.name,
        )

    def _text(self, path: str, lang: Language) -> str | Drop:
        """The text of the file, if it is usable."""
        unit = f"{self.repository.name}:{path}"
        if not is_plain_path(path):
            why = "no name that every file system can hold"
            return Drop(unit=unit, reason="focal_odd_path", detail=why)
        opened = self._runners.get(lang.name)
        if isinstance(opened, UnavailableLanguage):
            return Drop(unit=unit, reason="absent", detail=opened.why)
        try:
            return self._clone.text(self.files[path], limit=MAX_FILE)
        except TextError as error:
            return Drop(unit=unit, reason=f"focal_{error.reason}", detail=error.message)

    def _probe(self, path: str, code: str, lang: Language, opening: Opening) -> Candidate:
        return Candidate(
            repository=self.repository.name,
            commit=self.repository.commit,
            committed_at=self.repository.committed_at,
            licence=self.repository.licence,
            lang=lang.name,
            focal_path=path,
            test_path=written_path(path, opening.name, 0),
            case=opening.case,
            focal_code=code,
            test_code=opening.probe,
            revision="",
            tags=tags(code, opening.probe, lang.name),
        )


def _of_repository(reader: _FocalReader, most: int) -> Iterator[FocalFile | Drop]:
    paths = [path for path in reader.files if is_focal_path(path) and not is_test_path(path)]
    if not paths:
        yield Drop(unit=reader.repository.name, reason="no_sources", detail="no file to write tests for")
    count = 0
    for path, lang in sorted(_with_language(paths), key=lambda pair: content_key(pair[0])):
        unit = f"{reader.repository.name}:{path}"
        found = (
            reader.focal(path, lang)
            if count < most
            else Drop(unit=unit, reason="enough_of_repository", detail=f"{most} files are asked about")
        )
        count += isinstance(found, FocalFile)
        yield found


def _with_language(paths: Collection[str]) -> Iterator[tuple[str, Language]]:
    return ((path, lang) for path in paths if (lang := language_of(path)) is not None)


class _TestRequest(NamedTuple):
    """One requested test file."""

    focal: FocalFile
    prompt: Prompt


class TestWriter:
    """The model that writes tests, opened and checked before anything is read or written."""

    def __init__(self, generating: GeneratedTestOptions) -> None:
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
        self, focal: Sequence[FocalFile], folder: Path, watch: Watcher, *, passed_over: Iterable[str] = ()
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
            by_key = {each.prompt.key: each for each in questions}
            prompts = [each.prompt for each in questions]
            options = AskOptions(
                asking=self._asking,
                tasks={name: _task(name) for name in (*(each.name for each in focal), *passed_over)},
                purpose=lambda: [f"tests for {counted(len({each.task_id for each in prompts}), 'file')}"],
                stage="replies",
            )
            ask(prompts, self.model, replies, watch, options)
            for answer in replies.answers():
                if (question := by_key.get(answer.key)) is not None:
                    yield _pair(question, answer)
        yield from without

    def _questions(self, focal: Iterable[FocalFile]) -> tuple[list[_TestRequest], list[Drop]]:
        questions: list[_TestRequest] = []
        without: list[Drop] = []
        for each in focal:
            text = prompt_text(each)
            available = self.model.samples(_task(each.name))
            if available == 0:
                without.append(Drop(unit=each.name, reason="no_reply", detail=f"none in {self.model.spec}"))
            for sample in range(self._tests if available is None else min(available, self._tests)):
                key = prompt_key(each, text, sample)
                prompt = Prompt(key=key, task_id=each.name, sample=sample, text=text, variant=PROMPT)
                questions.append(_TestRequest(each, prompt))
        return questions, without


def published_identity(identity: Mapping[str, Any]) -> dict[str, Any]:
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
