"""`./run python -m benchmarks.structure [PACKAGE]`: the shape of a package's source, and with `--trace` how
many of its files one action passes. Imports nothing of it, so any two versions can be set side by side."""

from __future__ import annotations

import argparse
import ast
import io
import json
import sys
import tokenize
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from statistics import median

OURS = Path(__file__).resolve().parents[1] / "src" / "benchwright"
SMALL = 40  # code lines; a file without any is not counted
EQUAL_LINES = 6  # so many equal lines in a row are a duplicate
_NO_CODE = frozenset(
    {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
)
_Function = ast.FunctionDef | ast.AsyncFunctionDef
Graph = Mapping[str, frozenset[str]]


@dataclass(frozen=True)
class Module:
    """One file of the package: its dotted name and its text."""

    name: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax of the file."""
        return ast.parse(self.text)

    @cached_property
    def code(self) -> list[int]:
        """The numbers of its code lines: without blank lines, comments and docstrings."""
        tokens = tokenize.generate_tokens(io.StringIO(self.text).readline)
        spans = [(token.start[0], token.end[0]) for token in tokens if token.type not in _NO_CODE]
        return sorted(_lines(spans) - _lines(map(_span, self._docstrings())))

    @cached_property
    def imports(self) -> list[int]:
        """The numbers of the code lines that import."""
        spans = [_span(node) for node in ast.walk(self.tree) if isinstance(node, ast.Import | ast.ImportFrom)]
        return sorted(_lines(spans) & set(self.code))

    @property
    def public_classes(self) -> list[str]:
        """The names of its classes that other files may use."""
        if any(part.startswith("_") for part in self.name.split(".")):
            return []
        classes = (node.name for node in self.tree.body if isinstance(node, ast.ClassDef))
        return [name for name in classes if not name.startswith("_")]

    def function_lengths(self) -> list[int]:
        """Lines of each function from its `def` to its end; one inside another counts on its own as well."""
        functions = (node for node in ast.walk(self.tree) if isinstance(node, _Function))
        return [(node.end_lineno or node.lineno) - node.lineno + 1 for node in functions]

    def _docstrings(self) -> Iterator[ast.stmt]:
        for node in ast.walk(self.tree):
            if (
                isinstance(node, ast.Module | ast.ClassDef | _Function)
                and ast.get_docstring(node) is not None
            ):
                yield node.body[0]


def read_package(root: Path) -> list[Module]:
    """All Python files of a package, by name; `__init__` has the name of its folder."""
    found = []
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found.append(Module(name, path.read_text(encoding="utf-8")))
    return found


def import_graph(modules: Sequence[Module]) -> Graph:
    """What each module imports of the package, late imports too; those for type checkers alone left out."""
    names = {module.name for module in modules}
    return {module.name: frozenset(_imported(module, names) - {module.name}) for module in modules}


def _imported(module: Module, names: set[str]) -> set[str]:
    found = set()
    for node in _at_run_time(module.tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= (inner & names) or {node.module}
            if inner - names:
                found.add(node.module)
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found & names


def _at_run_time(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those below `if TYPE_CHECKING:`."""
    for child in ast.iter_child_nodes(node):
        if (
            isinstance(child, ast.If)
            and isinstance(child.test, ast.Name)
            and child.test.id == "TYPE_CHECKING"
        ):
            continue
        yield child
        yield from _at_run_time(child)


def cycles(graph: Graph) -> list[list[str]]:
    """The groups of modules that import each other in a circle, the largest first."""
    reach = {name: _reachable(graph, name) for name in graph}
    groups = {frozenset(other for other in reach[name] if name in reach[other]) for name in graph}
    return sorted((sorted(group) for group in groups if group), key=len, reverse=True)


def _reachable(graph: Graph, start: str) -> set[str]:
    seen: set[str] = set()
    waiting = list(graph[start])
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting.extend(graph[name])
    return seen


def read_layers(project: Path) -> list[list[str]]:
    """The layers of the whole package, as pyproject.toml gives them to import-linter, uppermost first."""
    settings = tomllib.loads(project.read_text(encoding="utf-8"))["tool"]["importlinter"]
    contract = next(each for each in settings["contracts"] if each["type"] == "layers")
    return [[part.strip() for part in layer.split("|")] for layer in contract["layers"]]


def upward(graph: Graph, layers: Sequence[Sequence[str]]) -> list[tuple[str, str]]:
    """The imports between packages that lead to no lower layer; what is in no layer counts as the top."""
    floor = {part: number for number, layer in enumerate(reversed(layers), 1) for part in layer}

    def home(name: str) -> str:
        return next((part for part in floor if f"{name}.".startswith(f"{part}.")), "")

    edges = [(one, other) for one, others in graph.items() for other in sorted(others)]
    return [
        (one, other)
        for one, other in edges
        if home(one) != home(other)
        and (floor.get(home(other), len(layers) + 1) >= floor.get(home(one), len(layers) + 1))
    ]


def duplicates(modules: Iterable[Module]) -> list[tuple[str, int, str, int, int]]:
    """Pairs of places with equal code lines in a row, but for imports: module and line of both, how many."""
    texts = {module.name: _bare_lines(module) for module in modules}
    at = defaultdict(list)
    for name, lines in texts.items():
        for start in range(len(lines) - EQUAL_LINES + 1):
            at[tuple(text for _, text in lines[start : start + EQUAL_LINES])].append((name, start))
    same = sorted({pair for group in at.values() for pair in combinations(group, 2)})
    return list(_joined(same, texts))


def _joined(
    same: Sequence[tuple[tuple[str, int], tuple[str, int]]], texts: Mapping[str, list[tuple[int, str]]]
) -> Iterator[tuple[str, int, str, int, int]]:
    """Windows that follow each other on both sides are one pair."""
    windows = set(same)
    for (one, start), (other, begin) in same:
        if ((one, start - 1), (other, begin - 1)) in windows:
            continue
        size = EQUAL_LINES
        while ((one, start + size - EQUAL_LINES + 1), (other, begin + size - EQUAL_LINES + 1)) in windows:
            size += 1
        yield one, texts[one][start][0], other, texts[other][begin][0], size


def _bare_lines(module: Module) -> list[tuple[int, str]]:
    lines, imports = module.text.splitlines(), set(module.imports)
    return [(number, lines[number - 1].strip()) for number in module.code if number not in imports]


def twice_defined(modules: Iterable[Module]) -> dict[str, list[str]]:
    """The public class names that more than one module defines, with these modules."""
    homes = defaultdict(list)
    for module in modules:
        for name in module.public_classes:
            homes[name].append(module.name)
    return {name: where for name, where in sorted(homes.items()) if len(where) > 1}


@dataclass(frozen=True)
class Shape:
    """The figures of a package."""

    files: int
    code_lines: int
    raw_lines: int
    import_share: float
    small_files: int
    largest_file: tuple[str, int]
    functions: int
    function_median: float
    function_p95: int
    function_max: int
    public_class_names: int
    twice_defined: dict[str, list[str]]
    cycles: list[list[str]]
    upward: list[tuple[str, str]]
    duplicates: list[tuple[str, int, str, int, int]]


def measure(root: Path) -> Shape:
    """The figures of the package in this folder; its layers are those of the pyproject.toml above it."""
    modules = read_package(root)
    graph = import_graph(modules)
    project = next(
        each / "pyproject.toml" for each in root.resolve().parents if (each / "pyproject.toml").is_file()
    )
    lengths = sorted(length for module in modules for length in module.function_lengths())
    code = sum(len(module.code) for module in modules)
    sizes = Counter({module.name: len(module.text.splitlines()) for module in modules})
    return Shape(
        files=len(modules),
        code_lines=code,
        raw_lines=sizes.total(),
        import_share=sum(len(module.imports) for module in modules) / code,
        small_files=sum(0 < len(module.code) < SMALL for module in modules),
        largest_file=sizes.most_common(1)[0],
        functions=len(lengths),
        function_median=median(lengths),
        function_p95=lengths[int(0.95 * len(lengths))],
        function_max=lengths[-1],
        public_class_names=len({name for module in modules for name in module.public_classes}),
        twice_defined=twice_defined(modules),
        cycles=cycles(graph),
        upward=upward(graph, read_layers(project)),
        duplicates=duplicates(modules),
    )


def page(shape: Shape) -> str:
    """The figures, one a line."""
    name, lines = shape.largest_file
    code = f"{shape.code_lines:,} ({shape.raw_lines:,})"
    small = f"{shape.small_files} ({shape.small_files / shape.files:.0%})"
    twice, names = len(shape.twice_defined), shape.public_class_names
    lengths = f"{shape.function_median:g} / {shape.function_p95} / {shape.function_max}"
    return _aligned(
        {
            "files": f"{shape.files:,}",
            "lines of code (with blanks, comments, docstrings)": code,
            "share of imports": f"{shape.import_share:.1%}",
            f"files under {SMALL} lines of code": small,
            "largest file": f"{lines} lines, {name}",
            "functions: median / 95th percentile / longest": f"{lengths} lines, of {shape.functions:,}",
            "public class names defined twice": f"{twice} of {names} ({twice / names:.1%})",
            "import cycles": str(len(shape.cycles)),
            "imports that run upward": str(len(shape.upward)),
            f"pairs of places with {EQUAL_LINES} equal lines or more": str(len(shape.duplicates)),
        }
    )


def _aligned(rows: Mapping[str, str]) -> str:
    return "\n".join(f"{label:52}{value}" for label, value in rows.items())


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.structure", description=__doc__)
    parser.add_argument("package", nargs="?", type=Path, default=OURS, help="its folder (ours)")
    parser.add_argument(
        "--json", action="store_true", help="one JSON document, with what stands behind the counts"
    )
    parser.add_argument(
        "--trace", action="store_true", help="run one answer, pair and request, and count modules too"
    )
    given = parser.parse_args(arguments)
    shape = measure(given.package)
    moves = _traced(given.package) if given.trace else {}
    passed = {name: sorted({callee for _, callee in calls}) for name, calls in moves.items()}
    if given.json:
        print(json.dumps({**asdict(shape), "passed": passed}, indent=1))
        return 0
    print(page(shape))
    rows = {f"files passed by {name}": f"{len(passed[name])} ({len(moves[name]):,} calls)" for name in moves}
    print(_aligned(rows), end="\n" if rows else "")
    return 0


def _traced(package: Path) -> dict[str, list[tuple[str, str]]]:
    from benchmarks import structure_trace  # noqa: PLC0415 (it imports the package)

    return structure_trace.moves(package)


def _span(node: ast.stmt) -> tuple[int, int]:
    return node.lineno, node.end_lineno or node.lineno


def _lines(spans: Iterable[tuple[int, int]]) -> set[int]:
    return {line for first, last in spans for line in range(first, last + 1)}


if __name__ == "__main__":
    sys.exit(main())
