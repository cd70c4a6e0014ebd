"""Common behaviour of all languages that tree-sitter parses."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator

from benchwright.contracts import Suite
from benchwright.lang.compile_faults import BreakGrammar, faulty_texts, tree_faults
from benchwright.lang.parser import Grammar
from benchwright.lang.paths import dotted_ends
from benchwright.lang.protocol import Case, FileFacts, Import, LibraryRules, Mutant, ProjectTexts
from benchwright.lang.source_errors import SyntaxFault
from benchwright.lang.text_edits import mutants_of, with_unique_names
from benchwright.lang.tree_slip_grammar import SlipGrammar
from benchwright.lang.tree_slips import tree_slips
from benchwright.lang.trees import Tree, parse


class TreeLanguage(ABC):
    """A language that is read as a tree. A text with a syntax error has a tree too; a text without a tree has
    no facts."""

    grammar: Grammar
    slips: SlipGrammar
    breaks: BreakGrammar
    library_rules = LibraryRules()
    package_file = ""

    @abstractmethod
    def cases_in(self, tree: Tree) -> list[Case]:
        """All test cases in the file's order, each name once."""

    @abstractmethod
    def imports_in(self, tree: Tree, roots: Collection[str]) -> list[Import]:
        """All imports in the file's order."""

    @abstractmethod
    def facts_in(self, tree: Tree, code: str) -> FileFacts:
        """Return facts about a file."""

    def fault(self, code: str) -> SyntaxFault | None:
        """Return the first syntax error, or None."""
        tree = parse(code, self.grammar)
        return tree if isinstance(tree, SyntaxFault) else tree.fault

    def cases(self, code: str) -> list[Case]:
        """Return all test cases."""
        tree = parse(code, self.grammar)
        return [] if isinstance(tree, SyntaxFault) else self.cases_in(tree)

    def imports(self, code: str, roots: Collection[str]) -> list[Import]:
        """Return all imports."""
        tree = parse(code, self.grammar)
        return [] if isinstance(tree, SyntaxFault) else self.imports_in(tree, roots)

    def facts(self, code: str) -> FileFacts:
        """Return facts about a file."""
        tree = parse(code, self.grammar)
        return FileFacts() if isinstance(tree, SyntaxFault) else self.facts_in(tree, code)

    def mutants(self, code: str) -> Iterator[Mutant]:
        """Yield the file with one change; some may not compile, since types are unknown here."""
        tree = parse(code, self.grammar)
        if isinstance(tree, SyntaxFault) or tree.fault is not None:
            return iter(())
        return with_unique_names(mutants_of(code.encode(), tree_slips(tree, self.slips)))

    def broken(self, code: str, draw: Callable[[str], str]) -> Iterator[Mutant]:
        """Yield the file with one slip of each kind."""
        tree = parse(code, self.grammar)
        if isinstance(tree, SyntaxFault) or tree.fault is not None:
            return iter(())
        return faulty_texts(code.encode(), tree_faults(tree, self.breaks), draw)

    def executed_uses(self, focal_code: str, lines: Collection[int]) -> set[str] | None:
        """Unknown for this language."""
        return None

    def import_ends(self, each: Import) -> list[str]:
        """Return the ends of paths of a dotted module."""
        return dotted_ends(each.module, each.names)

    def own_packages(self, suite: Suite) -> set[str]:
        """Return an empty set."""
        return set()

    def libraries(self, code: str) -> set[str]:
        """Return all third-party imports: a compiler needs every one."""
        return {each.module for each in self.imports(code, ()) if each.kind == "third_party"}

    def focal_of(self, test_path: str, test_code: str, near: ProjectTexts) -> str:
        """Return "": only names of files decide."""
        return ""

    def behind(self, path: str, code: str, test_code: str, files: Collection[str]) -> str:
        """Return the file itself: files do not re-export names."""
        return path
