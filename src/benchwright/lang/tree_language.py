"""What all languages have in common that tree-sitter reads."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator

from benchwright.lang.answers import Case, FileFacts, Import, Mutant
from benchwright.lang.faults import SyntaxFault
from benchwright.lang.mutations import mutants_of, tree_edits
from benchwright.lang.parser import Grammar
from benchwright.lang.trees import Tree, parse


class TreeLanguage(ABC):
    """Answers from a tree, which a text with a fault has too; a text without a tree has none of anything."""

    grammar: Grammar
    package_file = ""

    @abstractmethod
    def cases_in(self, tree: Tree) -> list[Case]:
        """All test cases in the file's order, each name once."""

    @abstractmethod
    def imports_in(self, tree: Tree, roots: Collection[str]) -> list[Import]:
        """All imports in the file's order."""

    @abstractmethod
    def facts_in(self, tree: Tree, code: str) -> FileFacts:
        """What a file is like."""

    def fault(self, code: str) -> SyntaxFault | None:
        """As in `Language`, and so are those below."""
        tree = parse(code, self.grammar)
        return tree if isinstance(tree, SyntaxFault) else tree.fault

    def cases(self, code: str) -> list[Case]:
        """All test cases."""
        tree = parse(code, self.grammar)
        return [] if isinstance(tree, SyntaxFault) else self.cases_in(tree)

    def imports(self, code: str, roots: Collection[str]) -> list[Import]:
        """All imports."""
        tree = parse(code, self.grammar)
        return [] if isinstance(tree, SyntaxFault) else self.imports_in(tree, roots)

    def facts(self, code: str) -> FileFacts:
        """What a file is like."""
        tree = parse(code, self.grammar)
        return FileFacts() if isinstance(tree, SyntaxFault) else self.facts_in(tree, code)

    def mutants(self, code: str) -> Iterator[Mutant]:
        """The file with one change; some may not compile, since nothing here knows types."""
        tree = parse(code, self.grammar)
        if isinstance(tree, SyntaxFault) or tree.fault is not None:
            return iter(())
        return mutants_of(code.encode(), tree_edits(tree))

    def behind(self, path: str, code: str, test_code: str, files: Collection[str]) -> str:
        """The file itself: no file passes on another's names."""
        return path
