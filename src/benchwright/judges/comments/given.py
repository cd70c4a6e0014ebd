"""A task of comments as it is judged: the given code, read once for all answers to it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from functools import cached_property
from typing import NamedTuple

from benchwright.contracts import CommentSpec
from benchwright.judges.comments.mentions import exists
from benchwright.judges.comments.reading_aloud import read_aloud
from benchwright.lang.commented import CodeToken
from benchwright.lang.comments import anchors, read_comments
from benchwright.lang.docstyles.reading import parse_shown
from benchwright.lang.exceptions import is_exception
from benchwright.lang.languages import commented_language
from benchwright.text.concepts import concepts
from benchwright.text.polarity import denies
from benchwright.text.sentences import clauses, sentences
from benchwright.text.words import alike, natural_language, stems, words

_WORD = re.compile(r"\w+")
_FEW = 60  # sentences of references that every comment is compared with
_NEGATIONS = frozenset({"not", "!", "!=", "!==", "is not", "<>"})


class Saying(NamedTuple):
    """A text prepared for comparison."""

    text: str
    stems: Counter[str]
    language: str  # as `natural_language` returns it, without names of the code

    def differs(self, other: Saying) -> bool:
        """Return whether two texts are in different languages."""
        return bool(self.language and other.language) and self.language != other.language

    def likeness(self, other: Saying, names: Collection[str]) -> float:
        """Return the likeness of a reference and a comment, 0 to 1. Across languages only names of the code
        can match."""
        if not self.differs(other):
            return alike(self.stems, other.stems)
        texts = (self.text, other.text)
        ours, theirs = (Counter(filter(names.__contains__, _WORD.findall(text))) for text in texts)
        return alike(ours, theirs) if ours else 0.0


class Clause(NamedTuple):
    """A part of a sentence, and whether it denies."""

    stems: frozenset[str]
    denies: bool


class ReferenceSentence(NamedTuple):
    """A sentence of a reference, the line it is about (0: the whole), and its clauses."""

    line: int
    text: str
    order: tuple[str, ...]  # its stems, in order
    stems: frozenset[str]
    clauses: tuple[Clause, ...]


def read_clauses(sentence: str) -> tuple[Clause, ...]:
    """Return the clauses of a sentence that have content words."""
    found = (Clause(frozenset(stems(words(part))), denies(part)) for part in clauses(sentence))
    return tuple(each for each in found if each.stems)


def _reference(line: int, text: str) -> ReferenceSentence:
    order = tuple(stems(words(text)))
    return ReferenceSentence(line, text, order, frozenset(order), read_clauses(text))


class GivenCode:
    """The code of a task with the facts that scores need, each computed on first use."""

    def __init__(self, spec: CommentSpec) -> None:
        self.spec = spec
        self.language = commented_language(spec.lang)
        self.styles = (spec.style,) if spec.style else self.language.doc_styles
        self.code = read_comments(spec.code, spec.lang)

    @property
    def has_references(self) -> bool:
        """Return whether there is a reference comment to compare answers with."""
        return bool(self.spec.annotations or self.spec.comment)

    @cached_property
    def comments(self) -> Counter[tuple[int | None, str]]:
        """Return the line and the text of each comment in the given code."""
        places = anchors(self.code, self.code)
        return Counter((places.get(at), comment.text) for at, comment in enumerate(self.code.comments))

    @cached_property
    def names(self) -> frozenset[str]:
        """Return names, numbers and strings of the code, as a comment may mention them."""
        plain = [token.text for tokens in self.tokens_by_line.values() for token in tokens]
        return self.code.names | {text.strip("\"'`") for text in plain}

    def has(self, mention: str) -> bool:
        """Return whether a mentioned name is one of the code, of its language, or of the references.

        An exception of the language counts only if the code names it or does what raises it.
        """
        name = mention.strip("\"'+-")
        if name in self.code.names or name.rpartition(".")[2] in self.names_in_references:
            return True
        if is_exception(name):
            return any(name in names and token in self.names for token, names in self.language.raises.items())
        return exists(name, self.names, self.language.builtin_names)

    @cached_property
    def names_in_references(self) -> frozenset[str]:
        """Return the words of the references as written."""
        texts = [*(each.text for each in self.spec.annotations), self.spec.comment]
        return frozenset(word for text in texts for word in _WORD.findall(text))

    @cached_property
    def tokens_by_line(self) -> dict[int, list[CodeToken]]:
        """Return the tokens of the code by line, without structure."""
        found: dict[int, list[CodeToken]] = {}
        for token in self.code.tokens:
            if not token.text.startswith("\n"):
                found.setdefault(token.line, []).append(token)
        return found

    @cached_property
    def annotations(self) -> list[tuple[int, Saying]]:
        """Return the reference annotations in line order, those of one line joined."""
        texts: dict[int, list[str]] = {}
        for each in self.spec.annotations:
            texts.setdefault(each.line, []).append(each.text)
        return [(line, self.saying("\n".join(texts[line]))) for line in sorted(texts)]

    @cached_property
    def annotation_of(self) -> dict[int, Saying]:
        """Return the reference annotations by line."""
        return dict(self.annotations)

    @cached_property
    def reference_length(self) -> int:
        """Return the number of words in all references."""
        references = [saying for _, saying in self.annotations] + ([self.comment] if self.comment else [])
        return sum(saying.stems.total() for saying in references)

    @cached_property
    def comment(self) -> Saying | None:
        """Return the reference comment on the whole, if there is one."""
        text = self.spec.comment
        return self.saying(parse_shown(text, self.styles[0]).prose()) if text else None

    @cached_property
    def words_of_names(self) -> frozenset[str]:
        """Return the words that names of the code consist of."""
        return frozenset(words(" ".join(self.code.names)))

    @cached_property
    def words_of_code(self) -> frozenset[str]:
        """Return the words of all names, strings and keywords."""
        return frozenset(words(" ".join(self.names)))

    @cached_property
    def stems_of_code(self) -> frozenset[str]:
        """Return the stems of all names, strings and numbers of the code, and of its types."""
        return frozenset(stems(self.words_of_code))

    @cached_property
    def statements(self) -> list[ReferenceSentence]:
        """Return each sentence of the references."""
        references = [*self.annotations, *([(0, self.comment)] if self.comment else [])]
        found = [_reference(line, part) for line, saying in references for part in sentences(saying.text)]
        return [each for each in found if each.stems]

    def statements_near(self, line: int) -> list[ReferenceSentence]:
        """Return the sentences that a comment about a line is compared with: all, or of many those at most
        one line away."""
        if len(self.statements) <= _FEW:
            return self.statements
        return [each for at in (0, line - 1, line, line + 1) for each in self._statements_of.get(at, ())]

    @cached_property
    def _statements_of(self) -> dict[int, list[ReferenceSentence]]:
        found: dict[int, list[ReferenceSentence]] = {}
        for each in self.statements:
            of_line = found.setdefault(each.line, [])
            if len(of_line) < _FEW:
                of_line.append(each)
        return found

    @cached_property
    def topic(self) -> frozenset[str]:
        """Return stems, one of which a comment on this code should have."""
        return self.stems_of_code | self.stems_of_references

    @cached_property
    def concepts(self) -> frozenset[int]:
        """Return the concepts that the code and the references are about, in any wording."""
        return concepts(self.topic)

    @cached_property
    def stems_of_references(self) -> frozenset[str]:
        """Return the stems of all references."""
        return frozenset().union(*(each.stems for each in self.statements))

    def stems_of_line(self, line: int) -> frozenset[str]:
        """Return the stems of a line of the code, and of how it is read aloud."""
        return self._aloud.get(line, frozenset())

    def line_denies(self, line: int) -> bool:
        """Return whether a line of the code has a negation itself."""
        return any(token.text in _NEGATIONS for token in self.tokens_by_line.get(line, ()))

    @cached_property
    def _aloud(self) -> dict[int, frozenset[str]]:
        return {
            line: frozenset().union(*(read_aloud(token.text) for token in tokens))
            for line, tokens in self.tokens_by_line.items()
        }

    def saying(self, text: str) -> Saying:
        """Return a text about this code, prepared for comparison."""
        said = words(text)
        language = natural_language([word for word in said if word not in self.words_of_names])
        return Saying(text, Counter(stems(said)), language)
