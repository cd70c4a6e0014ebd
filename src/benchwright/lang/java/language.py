"""Java as one object."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from benchwright.lang.java.comments import read_java
from benchwright.lang.java.layout import framework_of, lay_out_java, missing_in_java, opening_in_java
from benchwright.lang.java.project import complete_java, java_in_project, java_needs
from benchwright.lang.java.slips import (
    BUILTIN_NAMES,
    FAMILIES,
    JAVA_BREAKS,
    JAVA_SLIPS,
    RAISES,
    java_shows_why,
)
from benchwright.lang.java.test_cases import collect, cut_java, java_cases
from benchwright.lang.java.tree import GRAMMAR, java_imports
from benchwright.lang.java.uses import asserts, has_dynamic_cases, java_uses
from benchwright.lang.protocol import Case, FileFacts, Import, Language, LibraryRules
from benchwright.lang.tree_language import TreeLanguage
from benchwright.lang.trees import Tree

_TEST = re.compile(r"(?:Tests?(?=[A-Z])|IT(?=[A-Z][a-z]))(\w+)|(\w+?)(?:Tests|Test|TestCase|IT|ITCase)")


class _Java(TreeLanguage):
    grammar = GRAMMAR
    slips = JAVA_SLIPS
    breaks = JAVA_BREAKS
    name = GRAMMAR.lang
    spellings: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = (".java",)
    fence = "java"
    fence_tags = frozenset({"java"})
    line_comment = "//"
    doc_styles: tuple[str, ...] = ("javadoc",)
    builtin_names = BUILTIN_NAMES
    raises: Mapping[str, frozenset[str]] = RAISES
    families: Mapping[str, tuple[str, ...]] = FAMILIES
    library_rules = LibraryRules(
        folder="java",
        suffix=".jar",
        members=".class",
        prefixes=("org.junit", "junit.", "org.hamcrest", "org.opentest4j", "org.apiguardian"),
    )
    shows_why = staticmethod(java_shows_why)
    test_request = (
        "Use JUnit 5: one class with methods marked `@Test`, and the assertions of "
        "`org.junit.jupiter.api.Assertions`."
    )
    tests_beside_code = False
    not_focal = frozenset({"package-info.java", "module-info.java"})
    commented = staticmethod(read_java)
    cut = staticmethod(cut_java)
    lay_out = staticmethod(lay_out_java)
    missing = staticmethod(missing_in_java)
    opening = staticmethod(opening_in_java)
    complete = staticmethod(complete_java)
    needs = staticmethod(java_needs)
    in_project = staticmethod(java_in_project)

    def cases_in(self, tree: Tree) -> list[Case]:
        return java_cases(tree)

    def imports_in(self, tree: Tree, roots: Collection[str]) -> list[Import]:
        return java_imports(tree, roots)

    def facts_in(self, tree: Tree, code: str) -> FileFacts:
        return FileFacts(
            parses=tree.fault is None,
            framework=framework_of(tree, code, collect(tree)),
            cases=java_cases(tree),
            asserts=asserts(tree),
            dynamic=has_dynamic_cases(tree),
            imports=java_imports(tree),
            uses=java_uses(tree),
        )

    def tested_stem(self, stem: str) -> str | None:
        found = _TEST.fullmatch(stem)
        return (found.group(1) or found.group(2)) if found else None


JAVA: Language = _Java()
