"""Stage builds: whether the project of a row builds, recorded with the row.

Each repository is built once for each language of its rows, and the result is stored, so an interrupted build
resumes after it. The state belongs to the repository's own commit; a row of its history has none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from benchwright.building.codecorrectness.row_records import Candidate
from benchwright.lang.paths import is_plain_path
from benchwright.records import Record
from benchwright.sources.clones import Clone, CloneError, TextError
from benchwright.sources.repositories import Repository
from benchwright.store.keys import content_key
from benchwright.store.writing import Appender, read_records

MAX_FILES = 5000
MAX_FILE = 1 << 20
MAX_BYTES = 32 << 20
OF_HISTORY = "not tried: a commit of its history"
Builder = Callable[[str, Mapping[str, bytes]], str]


class ProjectBuild(Record, frozen=True, kw_only=True):
    """The result for one project: "yes", "no: REASON" or "not tried: WHY"."""

    key: str
    repository: str
    commit: str
    lang: str
    state: str


def untried(_lang: str, _files: Mapping[str, bytes]) -> str:
    """A builder that builds nothing."""
    return "not tried: not asked for"


def with_builds(
    rows: Iterable[Candidate], repositories: Mapping[str, Repository], builder: Builder, kept: Path
) -> Iterator[Candidate]:
    """Each row with the state of its project; `kept` is the file of known results."""
    with Appender(kept) as file:
        known = {each.key: each.state for each in read_records(kept, ProjectBuild)}
        for row in rows:
            repository = repositories[row.repository]
            if row.commit != repository.commit:
                yield msgspec.structs.replace(row, builds=OF_HISTORY)
                continue
            key = content_key("builds", repository.name, repository.commit, row.lang)
            if key not in known:
                known[key] = _state(repository, row.lang, builder)
                file.append(
                    ProjectBuild(
                        key=key,
                        repository=repository.name,
                        commit=repository.commit,
                        lang=row.lang,
                        state=known[key],
                    )
                )
            yield msgspec.structs.replace(row, builds=known[key])


def _state(repository: Repository, lang: str, builder: Builder) -> str:
    try:
        files = _files(Clone(Path(repository.place), commit=repository.commit))
    except CloneError as error:
        return f"not tried: {error.reason}"
    return builder(lang, files) if files is not None else "not tried: the project is too large"


def _files(clone: Clone) -> dict[str, bytes] | None:
    """All files of the commit except large ones; None for a project that is too large."""
    found: dict[str, bytes] = {}
    left = MAX_BYTES
    for file in clone.files():
        if file.size > MAX_FILE or not is_plain_path(file.path):
            continue
        left -= file.size
        if left < 0 or len(found) >= MAX_FILES:
            return None
        try:
            found[file.path] = clone.content(file, limit=MAX_FILE)
        except TextError:
            continue
    return found
