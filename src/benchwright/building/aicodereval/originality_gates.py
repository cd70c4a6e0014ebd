"""Gates of originality: no draft may be a published task, be in a given corpus, or repeat another draft.

Tasks are compared without their names, so a renamed copy is found too.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from benchwright.building.aicodereval.draft_records import Draft, parsed
from benchwright.building.aicodereval.release_options import EntryBounds
from benchwright.building.engine.gates import gate
from benchwright.building.text_overlap import (
    IN_CORPUS,
    CorpusMatch,
    corpus_digests,
    corpus_matches,
    corpus_texts,
)
from benchwright.contracts import KEEP, CallCase, Decision, GateOpener
from benchwright.store.keys import content_key
from benchwright.text.syntax import ParseFault, parse
from benchwright.tracks.aicodereval.entry import BenchmarkEntry, head_of, program_of

_ENOUGH = 3  # cases with a value


def nameless_keys(entry: BenchmarkEntry) -> list[str]:
    """Keys of an entry; two entries with a common key are the same task.

    The first key is that of the solution without names of functions, parameters and variables. The second
    also leaves out texts, in the solution and in the cases. The third, if enough cases expect a value, is
    that of the cases alone: tasks that no test distinguishes are the same.
    """
    program = program_of(entry)
    if isinstance(parsed(program), ParseFault):
        return []
    cases = [
        [str(case.level), _blank(msgspec.to_builtins(case.input)), _blank(msgspec.to_builtins(case.expected))]
        for case in entry.cases
    ]
    keys = [
        without_names(program),
        content_key(without_names(program, texts=False), sorted(map(repr, cases))),
    ]
    if sum(case.expected.value is not None for case in entry.cases) >= _ENOUGH:
        keys.append(content_key("cases", sorted({repr(_case_values(case)) for case in entry.cases})))
    return keys


def _case_values(case: CallCase) -> list[Any]:
    """Inputs and expected values, without parameter names."""
    given, expected = case.input, msgspec.structs.replace(case.expected, rel_tol=0.0, abs_tol=0.0)
    values = [*given.args, *given.kwargs.values()]
    return [msgspec.to_builtins(each) for each in (values, given.files, expected)]


def without_names(program: str, *, texts: bool = True) -> str:
    """The key of a program without its bound names, annotations and documentation."""
    tree = parse(program)
    assert not isinstance(tree, ParseFault)
    plain = _NumberedNames(_own_names(tree), texts=texts).visit(tree)
    return content_key(ast.dump(plain))


def _own_names(tree: ast.Module) -> set[str]:
    names = {
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    names |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    return names | {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


class _NumberedNames(ast.NodeTransformer):
    """Replace each bound name by the number of its first use; blank messages of exceptions."""

    def __init__(self, bound: set[str], *, texts: bool) -> None:
        self._numbers: dict[str, str] = {}
        self._bound, self._texts = bound, texts

    def _number(self, name: str) -> str:
        if name not in self._bound:
            return name
        return self._numbers.setdefault(name, f"n{len(self._numbers)}")

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(self._number(node.id), node.ctx)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.arg(self._number(node.arg))

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is None:
            return None
        return self.visit(ast.Assign([node.target], node.value))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        documented = isinstance(node.body[0], ast.Expr) and isinstance(node.body[0].value, ast.Constant)
        body = node.body[1:] if documented and len(node.body) > 1 else node.body
        self._number(node.name)
        arguments = self.visit(node.args)
        found = [self.visit(each) for each in body]
        return ast.FunctionDef("", arguments, [each for each in found if each is not None], [])

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        kind = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        return ast.Raise(kind)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return ast.Constant("") if isinstance(node.value, str) and not self._texts else node


def _blank(value: Any) -> Any:
    """A value with blank texts."""
    if isinstance(value, dict):
        return [[_blank(key), _blank(inner)] for key, inner in value.items()]
    if isinstance(value, list):
        return [_blank(each) for each in value]
    return "" if isinstance(value, str) else value


WIDTH, SKETCH, DIGITS = 5, 12, 12  # words of a run, stored runs of a prompt, hexadecimal digits of a hash
_SHARE, _FEWEST = 0.5, 2  # share of the stored runs
_LEAST_NODES = 18  # minimum size of a solution's tree; shorter ones are alike by chance
_EXAMPLE = re.compile(r"^\s*(?:>>>|\.\.\.).*$|\S*\(.*\)\s*(?:==|➞|=>|->|returns?)\s*\S+", re.MULTILINE)


class KnownTask(NamedTuple):
    """One published task as hashes."""

    name: str
    solution: str
    runs: frozenset[str]


@gate("aicodereval.known_task")
def known_task(draft: Draft, _: EntryBounds) -> Decision:
    """Neither the words nor the solution are those of a published task."""
    entry = draft.entry
    runs, solution = runs_of(f"{entry.description}\n{entry.docstring}"), solution_key(program_of(entry))
    for each in known_tasks():
        shared = len(runs & each.runs)
        if shared >= max(_FEWEST, _SHARE * len(each.runs)) or (solution and solution == each.solution):
            part = "its words" if shared >= _FEWEST else "its solution"
            return Decision(reason="known_task", detail=f"{each.name}: {part}")
    return KEEP


@cache
def known_tasks() -> tuple[KnownTask, ...]:
    """All tasks of the list."""
    lines = Path(__file__).with_name("known_tasks.txt").read_text("ascii").splitlines()
    rows = (line.split() for line in lines if line and not line.startswith("#"))
    return tuple(KnownTask(name, "" if key == "-" else key, frozenset(runs)) for name, key, *runs in rows)


def sketched(name: str, prose: str, program: str) -> str:
    """The line of a task in the list."""
    sketch = sorted(runs_of(prose))[:SKETCH]
    return " ".join([name, solution_key(program) or "-", *sketch])


def runs_of(prose: str) -> frozenset[str]:
    """Hashes of the word runs of a prompt, without its examples."""
    words = re.findall(r"[a-z]+", _EXAMPLE.sub("", prose).lower())
    runs = (" ".join(words[at : at + WIDTH]) for at in range(len(words) - WIDTH + 1))
    return frozenset(hashlib.sha256(run.encode()).hexdigest()[:DIGITS] for run in runs)


def solution_key(program: str) -> str:
    """The key of a program without its names and imports; empty for a program that is too short."""
    tree = parsed(program)
    if isinstance(tree, ParseFault):
        return ""
    functions = [node for node in ast.parse(program).body if isinstance(node, ast.FunctionDef)]
    if sum(1 for each in functions for _ in ast.walk(each)) < _LEAST_NODES:
        return ""
    return without_names("\n\n".join(map(ast.unparse, functions)))[:DIGITS]


KNOWN_GATES: tuple[GateOpener, ...] = (known_task,)


class CorpusGate:
    """Decides about drafts that were searched for before: a corpus is read once, for all of them.

    Raises UsageError for a missing path.
    """

    name = "aicodereval.corpus"
    version = 1

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = tuple(paths)
        self.digests = corpus_digests(self._paths)
        self._matches: dict[str, list[CorpusMatch]] = {}

    def searched(self, drafts: Iterable[Draft]) -> Iterator[Draft]:
        """The drafts unchanged, after the corpus was searched for all of them."""
        draft_list = list(drafts)
        parts = [(each.revision, part, text) for each in draft_list for part, text in _parts(each)]
        self._matches.clear()
        for found in corpus_matches(parts, corpus_texts(self._paths)):
            self._matches.setdefault(found.unit, []).append(found)
        return iter(draft_list)

    def decide(self, draft: Draft) -> Decision:
        """Refuse a draft if the corpus contains half of its prompt or its solution; all such parts are
        evidence.
        """
        found = self._matches.get(draft.revision)
        if not found:
            return KEEP
        evidence = {"found": [each.evidence for each in found]}
        return Decision(reason=IN_CORPUS, detail=found[0].detail[:300], evidence=evidence)


def _parts(draft: Draft) -> Iterator[tuple[str, str]]:
    """The texts of a draft to search for, whether or not they parse."""
    yield "prompt", f"{draft.entry.description}\n{head_of(draft.entry)}"
    yield "solution", draft.entry.implementation
