"""Tasks that are there twice, and tasks that a given corpus holds: compared as text and as syntax."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchwright.auditing.findings import TaskFinding
from benchwright.auditing.tasks import AuditTask
from benchwright.building.likeness import Shingles, bands, jaccard, shingles
from benchwright.display.escape import escaped_path
from benchwright.errors import DataError, UsageError
from benchwright.store.keys import content_key
from benchwright.store.sources import open_rows
from benchwright.text.syntax import ParseFault, parse

NEAR = 0.85  # Jaccard index from which two tasks are nearly the same
RUN = 10  # tokens that a task and a corpus must share in a row
HELD = 0.5  # the part of a task's runs that makes it one of the corpus
LEAST_NODES = 25  # of syntax: shorter solutions are equal without one being a copy
MAX_FILE = 16 << 20
_ROWS = (".jsonl", ".json", ".gz", ".parquet")


def duplicates(tasks: Sequence[AuditTask]) -> Iterator[TaskFinding]:
    """Each task that repeats an earlier one: letter for letter, nearly, or under other names."""
    exact: dict[str, str] = {}
    forms: dict[str, str] = {}
    near = _Near()
    for task in tasks:
        text = _text(task)
        key, form = content_key(_plain(text)), _form(task.solved.gold)
        if key in exact:
            yield _finding(task, "duplicate", f"the same as {exact[key]}", other=exact[key])
        elif found := near.like(text):
            name, share = found
            detail = f"{share:.0%} of all runs of five tokens are those of {name}"
            yield _finding(task, "near_duplicate", detail, other=name)
        elif form and form in forms:
            detail = f"but for names the solution is that of {forms[form]}"
            yield _finding(task, "same_solution", detail, other=forms[form])
        exact.setdefault(key, task.unit)
        forms.setdefault(form, task.unit)
        near.add(task.unit, text)


def _finding(task: AuditTask, code: str, detail: str, *, other: str) -> TaskFinding:
    return TaskFinding(task=task.unit, code=code, detail=detail, evidence={"task": other})


def _text(task: AuditTask) -> str:
    """The prompt and the solution; a solution that begins with its prompt does not say it twice."""
    prompt, gold = task.solved.prompt, task.solved.gold
    return gold if gold.startswith(prompt) else f"{prompt}\n{gold}"


def _plain(text: str) -> str:
    return " ".join(text.split())


class _Near:
    """Texts that were seen, and which of them a new one is most like."""

    def __init__(self) -> None:
        self._bands: dict[tuple[int, tuple[int, ...]], list[int]] = {}
        self._seen: list[tuple[str, Shingles]] = []

    def like(self, text: str) -> tuple[str, float] | None:
        marks = shingles(text)
        numbers = sorted({number for band in bands(marks) for number in self._bands.get(band, ())})
        likest = [(jaccard(marks, self._seen[number][1]), self._seen[number][0]) for number in numbers]
        share, name = max(likest, default=(0.0, ""), key=lambda each: each[0])
        return (name, share) if share >= NEAR else None

    def add(self, name: str, text: str) -> None:
        marks = shingles(text)
        for band in bands(marks):
            self._bands.setdefault(band, []).append(len(self._seen))
        self._seen.append((name, marks))


def _form(gold: str) -> str:
    """The syntax of a solution, names numbered and docstrings left out; empty where it is short."""
    tree = parse(gold)
    if isinstance(tree, ParseFault):
        return ""
    tree.body = [each for each in tree.body if not isinstance(each, ast.Import | ast.ImportFrom)]
    _Anonymous().visit(tree)
    return ast.dump(tree) if sum(1 for _ in ast.walk(tree)) >= LEAST_NODES else ""


class _Anonymous(ast.NodeTransformer):
    """Names by the order in which they come; what is no statement of the program goes."""

    def __init__(self) -> None:
        self._numbers: dict[str, str] = {}

    def _number(self, name: str) -> str:
        return self._numbers.setdefault(name, f"n{len(self._numbers)}")

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self._number(node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.arg, node.annotation = self._number(node.arg), None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.name, node.returns = self._number(node.name), None
        self.generic_visit(node)
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        if isinstance(node.value, ast.Constant):
            return None
        self.generic_visit(node)
        return node


class CorpusText(NamedTuple):
    """A text of a corpus and where it is."""

    place: str
    text: str


def corpus_texts(paths: Iterable[str | Path]) -> Iterator[CorpusText]:
    """The texts of files and folders: each row of a data set, each other file whole.

    Bytes that are not UTF-8 are replaced: a corpus is whatever somebody has. Raises UsageError for a path
    that is not there.
    """
    for path in map(Path, paths):
        if not path.exists():
            raise UsageError(
                f"--corpus {escaped_path(path)}: there is no such file or folder", hint="check the path"
            )
        for file in sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]:
            yield from _texts(file)


def _texts(file: Path) -> Iterator[CorpusText]:
    if file.name.endswith(_ROWS):
        yield from _rows(file)
    else:
        with file.open("rb") as stream:
            yield CorpusText(escaped_path(file), stream.read(MAX_FILE).decode("utf-8", "replace"))


def _rows(file: Path) -> Iterator[CorpusText]:
    try:
        for line, row in open_rows(file, refuse=lambda _: None):
            yield CorpusText(f"{escaped_path(file)}:{line}", "\n".join(_strings(row)))
    except DataError as error:
        raise UsageError(f"--corpus: {error.message}", hint=error.hint) from None


def _strings(value: object) -> Iterator[str]:
    """All texts in a row, at any depth."""
    waiting = [value]
    while waiting:
        each = waiting.pop(0)
        if isinstance(each, str):
            yield each
        elif isinstance(each, dict):
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each


def contaminated(tasks: Sequence[AuditTask], corpus: Iterable[CorpusText]) -> Iterator[TaskFinding]:
    """Tasks half of whose runs of ten tokens stand in one text of the corpus, which is read once.

    Prompt and solution are compared apart, since a corpus may hold either.
    """
    parts = [(task, part, shingles(text, width=RUN)) for task in tasks for part, text in _parts(task)]
    owners: dict[int, list[int]] = {}
    for number, (_, _, marks) in enumerate(parts):
        for mark in marks:
            owners.setdefault(mark, []).append(number)
    best: dict[int, tuple[float, str]] = {}
    for place, text in corpus:
        for number, held in _held(shingles(text, width=RUN), owners).items():
            share = held / len(parts[number][2])
            if share > best.get(number, (0.0, ""))[0]:
                best[number] = share, place
    for number, (share, place) in sorted(best.items()):
        if share >= HELD:
            task, part, _ = parts[number]
            evidence = {"part": part, "share": round(share, 4), "place": place}
            detail = f"{share:.0%} of the {part}, in runs of {RUN} tokens, stands in {place}"
            yield TaskFinding(task=task.unit, code="in_corpus", detail=detail, evidence=evidence)


def _parts(task: AuditTask) -> Iterator[tuple[str, str]]:
    yield "prompt", task.solved.prompt
    rest = task.solved.gold.removeprefix(task.solved.prompt)
    if rest.strip():
        yield "solution", rest


def _held(marks: Shingles, owners: dict[int, list[int]]) -> dict[int, int]:
    counts: dict[int, int] = {}
    for mark in marks:
        for number in owners.get(mark, ()):
            counts[number] = counts.get(number, 0) + 1
    return counts
