"""Duplicate tasks, and tasks that a given corpus contains, compared as text and as syntax."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from benchwright.auditing.audit_tasks import AuditTask
from benchwright.auditing.findings import TaskFinding
from benchwright.building.text_overlap import (
    IN_CORPUS,
    CorpusText,
    Shingles,
    bands,
    corpus_matches,
    jaccard,
    shingles,
)
from benchwright.store.keys import content_key
from benchwright.text.syntax import ParseFault, parse

NEAR = 0.85  # Jaccard index from which two tasks are nearly the same
LEAST_NODES = 25  # of syntax: shorter solutions are equal without one being a copy


def duplicates(tasks: Sequence[AuditTask]) -> Iterator[TaskFinding]:
    """Each task that repeats an earlier one: exactly, nearly, or under other names."""
    exact: dict[str, str] = {}
    forms: dict[str, str] = {}
    near = _NearestTexts()
    for task in tasks:
        text = _text(task)
        key, form = content_key(_plain(text)), _form(task.solved.gold)
        found = near.add(task.unit, text)
        if key in exact:
            yield _finding(task, "duplicate", f"the same as {exact[key]}", other=exact[key])
        elif found:
            name, share = found
            detail = f"{share:.0%} of all runs of five tokens are those of {name}"
            yield _finding(task, "near_duplicate", detail, other=name)
        elif form and form in forms:
            detail = f"but for names the solution is that of {forms[form]}"
            yield _finding(task, "same_solution", detail, other=forms[form])
        exact.setdefault(key, task.unit)
        forms.setdefault(form, task.unit)


def _finding(task: AuditTask, code: str, detail: str, *, other: str) -> TaskFinding:
    return TaskFinding(task=task.unit, code=code, detail=detail, evidence={"task": other})


def _text(task: AuditTask) -> str:
    """The prompt and the solution, without repeating a prompt that starts the solution."""
    prompt, gold = task.solved.prompt, task.solved.gold
    return gold if gold.startswith(prompt) else f"{prompt}\n{gold}"


def _plain(text: str) -> str:
    return " ".join(text.split())


class _NearestTexts:
    """The texts so far, to find the one most similar to a new text."""

    def __init__(self) -> None:
        self._bands: dict[tuple[int, tuple[int, ...]], list[int]] = {}
        self._earlier_texts: list[tuple[str, Shingles]] = []

    def add(self, name: str, text: str) -> tuple[str, float] | None:
        """Add a text, and return the earlier one that is most similar to it, with the similarity."""
        marks = shingles(text)
        mine = [*bands(marks)]
        numbers = sorted({number for band in mine for number in self._bands.get(band, ())})
        likest = [
            (jaccard(marks, self._earlier_texts[number][1]), self._earlier_texts[number][0])
            for number in numbers
        ]
        for band in mine:
            self._bands.setdefault(band, []).append(len(self._earlier_texts))
        self._earlier_texts.append((name, marks))
        share, likest_name = max(likest, default=(0.0, ""), key=lambda each: each[0])
        return (likest_name, share) if share >= NEAR else None


def _form(gold: str) -> str:
    """The syntax of a solution with numbered names and without docstrings; empty if it is short."""
    tree = parse(gold)
    if isinstance(tree, ParseFault):
        return ""
    tree.body = [each for each in tree.body if not isinstance(each, ast.Import | ast.ImportFrom)]
    _AnonymousNames().visit(tree)
    return ast.dump(tree) if sum(1 for _ in ast.walk(tree)) >= LEAST_NODES else ""


class _AnonymousNames(ast.NodeTransformer):
    """Replace names by numbers in order of occurrence, and drop statements without effect."""

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


def contaminated(tasks: Sequence[AuditTask], corpus: Iterable[CorpusText]) -> Iterator[TaskFinding]:
    """Tasks whose prompt or solution the corpus contains; the corpus is read once."""
    parts = [(task.unit, part, text) for task in tasks for part, text in _parts(task)]
    for match in corpus_matches(parts, corpus):
        yield TaskFinding(task=match.unit, code=IN_CORPUS, detail=match.detail, evidence=match.evidence)


def _parts(task: AuditTask) -> Iterator[tuple[str, str]]:
    yield "prompt", task.solved.prompt
    rest = task.solved.gold.removeprefix(task.solved.prompt)
    if rest.strip():
        yield "solution", rest
