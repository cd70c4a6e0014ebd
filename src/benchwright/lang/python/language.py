"""Python as one object."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

from benchwright.contracts import Suite
from benchwright.lang.compile_faults import faulty_texts
from benchwright.lang.paths import dotted_ends
from benchwright.lang.protocol import Case, FileFacts, Import, Language, LibraryRules, Mutant
from benchwright.lang.python.comments import read_python
from benchwright.lang.python.cutting import cut_python
from benchwright.lang.python.focal_file import behind_package, complete_python, focal_of
from benchwright.lang.python.importing import needed_libraries, python_imports
from benchwright.lang.python.layout import framework, lay_out_python, missing_in_python, opening_in_python
from benchwright.lang.python.mutations import python_breaks, python_shows_why
from benchwright.lang.python.project import python_in_project, python_needs
from benchwright.lang.python.reaching import executed_uses
from benchwright.lang.python.slips import python_slips
from benchwright.lang.python.test_cases import collect, python_cases
from benchwright.lang.python.tree import parse
from benchwright.lang.python.uses import asserts, has_dynamic_cases, python_uses
from benchwright.lang.python.words import BUILTIN_NAMES, FAMILIES, RAISES
from benchwright.lang.source_errors import SyntaxFault
from benchwright.lang.text_edits import mutants_of, with_unique_names


class _Python:
    name = "Python"
    spellings: tuple[str, ...] = ("py", "python3")
    suffixes: tuple[str, ...] = (".py",)
    fence = "python"
    fence_tags = frozenset({"py", "python", "python3", "python-3", "pytest"})
    line_comment = "#"
    doc_styles: tuple[str, ...] = ("google", "numpy", "rest")
    builtin_names = BUILTIN_NAMES
    raises: Mapping[str, frozenset[str]] = RAISES
    families: Mapping[str, tuple[str, ...]] = FAMILIES
    library_rules = LibraryRules(folder="python", profile="pytest")
    shows_why = staticmethod(python_shows_why)
    test_request = (
        "Use pytest: functions whose names begin with `test_`, plain `assert` statements, and "
        "`pytest.raises` where an error is right."
    )
    package_file = "__init__.py"
    tests_beside_code = False
    not_focal = frozenset({"conftest.py", "setup.py", "test.py", "tests.py", "__main__.py"})
    commented = staticmethod(read_python)
    cut = staticmethod(cut_python)
    lay_out = staticmethod(lay_out_python)
    missing = staticmethod(missing_in_python)
    focal_of = staticmethod(focal_of)
    behind = staticmethod(behind_package)
    opening = staticmethod(opening_in_python)
    complete = staticmethod(complete_python)
    needs = staticmethod(python_needs)
    in_project = staticmethod(python_in_project)
    executed_uses = staticmethod(executed_uses)

    def fault(self, code: str) -> SyntaxFault | None:
        module = parse(code)
        return module if isinstance(module, SyntaxFault) else None

    def cases(self, code: str) -> list[Case]:
        module = parse(code)
        return [] if isinstance(module, SyntaxFault) else python_cases(module, code)

    def imports(self, code: str, roots: Collection[str]) -> list[Import]:
        module = parse(code)
        return [] if isinstance(module, SyntaxFault) else python_imports(module, roots)

    def mutants(self, code: str) -> Iterator[Mutant]:
        module = parse(code)
        if isinstance(module, SyntaxFault):
            return iter(())
        return with_unique_names(mutants_of(code.encode(), python_slips(module, code)))

    def broken(self, code: str, draw: Callable[[str], str]) -> Iterator[Mutant]:
        module = parse(code)
        if isinstance(module, SyntaxFault):
            return iter(())
        return faulty_texts(code.encode(), python_breaks(module, code), draw)

    def facts(self, code: str) -> FileFacts:
        module = parse(code)
        if isinstance(module, SyntaxFault):
            return FileFacts()
        return FileFacts(
            parses=True,
            framework=framework(module, found) if (found := collect(module)) else "",
            cases=python_cases(module, code),
            asserts=asserts(module),
            dynamic=has_dynamic_cases(module),
            imports=python_imports(module),
            uses=python_uses(module),
        )

    def import_ends(self, each: Import) -> list[str]:
        return dotted_ends(each.module, each.names)

    def own_packages(self, suite: Suite) -> set[str]:
        return {path.partition("/")[0].removesuffix(".py") for path in suite.files}

    def libraries(self, code: str) -> set[str]:
        module = parse(code)
        return set() if isinstance(module, SyntaxFault) else needed_libraries(module)

    def tested_stem(self, stem: str) -> str | None:
        if stem.startswith("test_"):
            return stem.removeprefix("test_") or None
        return stem.removesuffix("_test") or None if stem.endswith("_test") else None


PYTHON: Language = _Python()
