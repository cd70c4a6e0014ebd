"""Go as one object."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType

from benchwright.contracts import Suite
from benchwright.lang.go.comments import read_go
from benchwright.lang.go.inlining import complete_go
from benchwright.lang.go.layout import lay_out_go, missing_in_go, opening_in_go
from benchwright.lang.go.project import MODULE_FILE, go_in_project, go_needs
from benchwright.lang.go.slips import BUILTIN_NAMES, FAMILIES, GO_BREAKS, GO_SLIPS, go_shows_why
from benchwright.lang.go.test_cases import cut_go, go_cases
from benchwright.lang.go.tree import GRAMMAR, go_imports
from benchwright.lang.go.uses import asserts, go_uses
from benchwright.lang.protocol import Case, FileFacts, Import, Language
from benchwright.lang.tree_language import TreeLanguage
from benchwright.lang.trees import Tree


class _Go(TreeLanguage):
    grammar = GRAMMAR
    slips = GO_SLIPS
    breaks = GO_BREAKS
    name = GRAMMAR.lang
    spellings: tuple[str, ...] = ("golang",)
    suffixes: tuple[str, ...] = (".go",)
    fence = "go"
    fence_tags = frozenset({"go", "golang"})
    line_comment = "//"
    doc_styles: tuple[str, ...] = ("go",)
    builtin_names = BUILTIN_NAMES
    raises: Mapping[str, frozenset[str]] = MappingProxyType({})  # Go has no exceptions
    families: Mapping[str, tuple[str, ...]] = FAMILIES
    shows_why = staticmethod(go_shows_why)
    test_request = (
        "Use the package `testing`: functions such as `TestEmptyInput(t *testing.T)`, which compare values "
        "with `if` and report with `t.Errorf` or `t.Fatalf`. The tests are in the package of the file."
    )
    tests_beside_code = True
    not_focal: frozenset[str] = frozenset()
    commented = staticmethod(read_go)
    cut = staticmethod(cut_go)
    lay_out = staticmethod(lay_out_go)
    missing = staticmethod(missing_in_go)
    opening = staticmethod(opening_in_go)
    complete = staticmethod(complete_go)
    needs = staticmethod(go_needs)
    in_project = staticmethod(go_in_project)

    def cases_in(self, tree: Tree) -> list[Case]:
        return go_cases(tree)

    def imports_in(self, tree: Tree, roots: Collection[str]) -> list[Import]:
        return go_imports(tree, roots)

    def facts_in(self, tree: Tree, code: str) -> FileFacts:
        found = go_cases(tree)
        return FileFacts(
            parses=tree.fault is None,
            framework="go" if found else "",
            cases=found,
            asserts=asserts(tree),
            imports=go_imports(tree),
            uses=go_uses(tree),
        )

    def own_packages(self, suite: Suite) -> set[str]:
        return set(suite.files[MODULE_FILE].split()[1:2])

    def tested_stem(self, stem: str) -> str | None:
        return stem.removesuffix("_test") if stem.endswith("_test") and stem != "_test" else None


GO: Language = _Go()
