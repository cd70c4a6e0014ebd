"""JavaScript and TypeScript as objects. TypeScript has comments but no test suites."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from benchwright.lang.comment_records import CommentedLanguage
from benchwright.lang.javascript.comments import read_javascript, read_typescript
from benchwright.lang.javascript.layout import (
    focal_of_javascript,
    javascript_in_project,
    javascript_needs,
    lay_out_javascript,
    missing_in_javascript,
    opening_in_javascript,
)
from benchwright.lang.javascript.modules import GRAMMAR, SUFFIXES, javascript_imports, package_of
from benchwright.lang.javascript.slips import (
    FAMILIES,
    JAVASCRIPT_BREAKS,
    JAVASCRIPT_NAMES,
    JAVASCRIPT_SLIPS,
    RAISES,
    TYPESCRIPT_NAMES,
    javascript_shows_why,
)
from benchwright.lang.javascript.test_cases import FRAMEWORK, collect, cut_javascript, javascript_cases
from benchwright.lang.javascript.uses import asserts, javascript_uses
from benchwright.lang.protocol import Case, CompletedPair, FileFacts, Import, Language, ProjectTexts
from benchwright.lang.tree_language import TreeLanguage
from benchwright.lang.trees import Tree

_TEST = re.compile(r"test-(.+)|(.+?)[.\-_](?:test|spec)")
_ONLY_TEST = "test"  # the stem of a project's one test file, `test.js`


class _JavaScript(TreeLanguage):
    grammar = GRAMMAR
    slips = JAVASCRIPT_SLIPS
    breaks = JAVASCRIPT_BREAKS
    name = GRAMMAR.lang
    spellings: tuple[str, ...] = ("js", "ecmascript", "node", "jsx")
    suffixes: tuple[str, ...] = SUFFIXES
    fence = "javascript"
    fence_tags = frozenset({"javascript", "js", "jsx", "mjs", "cjs", "node"})
    line_comment = "//"
    doc_styles: tuple[str, ...] = ("jsdoc",)
    builtin_names = JAVASCRIPT_NAMES
    raises: Mapping[str, frozenset[str]] = RAISES
    families: Mapping[str, tuple[str, ...]] = FAMILIES
    shows_why = staticmethod(javascript_shows_why)
    test_request = (
        "Use Node's own test runner: calls such as `test('empty input', () => { … })` at the top level, each "
        "with a literal name of its own, and the assertions of `node:assert/strict`."
    )
    package_file = "index.js"
    tests_beside_code = False
    not_focal = frozenset(
        ("gulpfile.js", "Gruntfile.js", "rollup.config.js", "webpack.config.js", "eslint.config.js")
    )
    commented = staticmethod(read_javascript)
    cut = staticmethod(cut_javascript)
    lay_out = staticmethod(lay_out_javascript)
    missing = staticmethod(missing_in_javascript)
    opening = staticmethod(opening_in_javascript)
    focal_of = staticmethod(focal_of_javascript)
    needs = staticmethod(javascript_needs)
    in_project = staticmethod(javascript_in_project)

    def cases_in(self, tree: Tree) -> list[Case]:
        return javascript_cases(tree)

    def imports_in(self, tree: Tree, roots: Collection[str]) -> list[Import]:
        return javascript_imports(tree, roots)

    def facts_in(self, tree: Tree, code: str) -> FileFacts:
        found = javascript_cases(tree)
        return FileFacts(
            parses=tree.fault is None,
            framework=FRAMEWORK if found else "",
            cases=found,
            asserts=asserts(tree),
            dynamic=collect(tree).dynamic,
            imports=javascript_imports(tree),
            uses=javascript_uses(tree),
        )

    def complete(
        self, focal_path: str, test_path: str, test_code: str, near: ProjectTexts
    ) -> CompletedPair | None:
        return None  # no other files are added: pairs that need them are dropped

    def import_ends(self, each: Import) -> list[str]:
        path = each.module.replace("../", "").removeprefix("./")
        suffix = next((suffix for suffix in SUFFIXES if path.endswith(suffix)), "")
        return [f"/{path.removesuffix(suffix)}"] if each.kind == "relative" else []

    def libraries(self, code: str) -> set[str]:
        found = self.imports(code, ())
        return {package_of(each.module) for each in found if each.kind == "third_party"}

    def tested_stem(self, stem: str) -> str | None:
        if stem == _ONLY_TEST:
            return "index"
        found = _TEST.fullmatch(stem)
        return (found[1] or found[2]) if found else None


class _TypeScript:
    name = "TypeScript"
    spellings: tuple[str, ...] = ("ts", "mts", "cts")
    suffixes: tuple[str, ...] = (".ts", ".mts", ".cts")
    fence = "typescript"
    fence_tags = frozenset({"typescript", "ts", "mts", "cts"})
    line_comment = "//"
    doc_styles: tuple[str, ...] = ("jsdoc",)
    builtin_names = TYPESCRIPT_NAMES
    raises: Mapping[str, frozenset[str]] = RAISES
    commented = staticmethod(read_typescript)


JAVASCRIPT: Language = _JavaScript()
TYPESCRIPT: CommentedLanguage = _TypeScript()
