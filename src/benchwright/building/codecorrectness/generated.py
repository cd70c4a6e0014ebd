"""Generated tests: selection of focal files, the prompt, and the test file in a reply."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

import msgspec

from benchwright.building.codecorrectness.gates import OWN
from benchwright.building.codecorrectness.nouns import Candidate
from benchwright.building.codecorrectness.options import Bounds
from benchwright.building.codecorrectness.project_files import MAX_FILE, OpenedRepository, opened
from benchwright.building.gates import decide, refusal
from benchwright.executing.runners import Absent, Runners
from benchwright.lang.answers import Language, Opening
from benchwright.lang.languages import language, language_of
from benchwright.lang.pairing import is_test_path
from benchwright.lang.paths import is_plain_path
from benchwright.lang.source import cases, syntax_fault, tags
from benchwright.records import Answer, Drop, Record
from benchwright.sources.clones import TextError
from benchwright.sources.repositories import Repository
from benchwright.store.keys import content_key
from benchwright.text.clean import drop_marks, normalise, strip_reasoning
from benchwright.text.extract import CUT_OFF
from benchwright.text.fences import Block, find_blocks
from benchwright.tracks.wordings import fence

_FOLDERS_OF_TESTS = {"test", "tests", "testing", "testdata"}


def is_focal_path(path: str) -> bool:
    """False for a file whose folder or name shows that it is not code to test."""
    *folders, name = path.split("/")
    lang = language_of(path)
    return lang is not None and name not in lang.not_focal and _FOLDERS_OF_TESTS.isdisjoint(folders)


def written_path(path: str, name: str, number: int) -> str:
    """The path of a generated test: beside its focal file, in a folder that repositories do not have."""
    folder = path.rpartition("/")[0]
    return "/".join(part for part in ("generated", str(number), folder, name) if part)


PROMPT = "write-tests-1"  # version of the prompt; change it with the text
_ASKED = """Write unit tests for a {lang} file. This is the whole file, `{path}`:

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


def prompt_text(focal: Focal) -> str:
    """The prompt for one file, in English like most code."""
    lang = language(focal.lang)
    return _ASKED.format(
        lang=focal.lang,
        path=focal.path,
        code=_fenced(focal.code, lang.fence),
        framework=lang.test_request,
        opening=_fenced(focal.opening, lang.fence),
    )


def prompt_key(focal: Focal, text: str, sample: int) -> str:
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


class Focal(Record, frozen=True, kw_only=True):
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
    repositories: Iterable[Repository], bounds: Bounds, runners: Runners, *, most: int
) -> Iterator[Focal | Drop]:
    """Up to `most` files of each repository, and the reasons for leaving out the others.

    The order is a hash of the paths, so the files come from all over the repository.
    """
    free = msgspec.structs.replace(bounds, test_lines=0, test_chars=sys.maxsize, asserts=sys.maxsize)
    for source in opened(repositories, bounds):
        if isinstance(source, Drop):
            yield source
        else:
            yield from _of_repository(_FocalReader(source, free, runners), most)


class _FocalReader:
    """The files of one repository, read and tried."""

    def __init__(self, source: OpenedRepository, bounds: Bounds, runners: Runners) -> None:
        self.repository, self._clone, self.files = source.repository, source.clone, source.files
        self._source = source
        self._bounds, self._runners = bounds, runners
        self._gates = [opener(bounds) for opener in OWN]

    def focal(self, path: str, lang: Language) -> Focal | Drop:
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
        return Focal(
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
        if isinstance(opened, Absent):
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


def _of_repository(reader: _FocalReader, most: int) -> Iterator[Focal | Drop]:
    paths = [path for path in reader.files if is_focal_path(path) and not is_test_path(path)]
    if not paths:
        yield Drop(unit=reader.repository.name, reason="no_sources", detail="no file to write tests for")
    kept = 0
    for path, lang in sorted(_with_language(paths), key=lambda pair: content_key(pair[0])):
        unit = f"{reader.repository.name}:{path}"
        found = (
            reader.focal(path, lang)
            if kept < most
            else Drop(unit=unit, reason="enough_of_repository", detail=f"{most} files are asked about")
        )
        kept += isinstance(found, Focal)
        yield found


def _with_language(paths: Collection[str]) -> Iterator[tuple[str, Language]]:
    return ((path, lang) for path in paths if (lang := language_of(path)) is not None)
