"""A task of comments as it is judged: the given code, read once for all answers to it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from functools import cached_property
from typing import NamedTuple

from benchwright.contracts import CommentSpec
from benchwright.lang.builtin_names import builtin_names
from benchwright.lang.commented import CodeToken
from benchwright.lang.comments import anchors, read_comments
from benchwright.lang.docstyles.reading import OF_LANGUAGE, parse_shown
from benchwright.lang.languages import commented_language
from benchwright.text.words import alike, natural_language, stems, words

_WORD = re.compile(r"\w+")


class Saying(NamedTuple):
    """A text as it is compared with others."""

    text: str
    stems: Counter[str]
    language: str  # "en", "ru" or "", names of the code left aside

    def differs(self, other: Saying) -> bool:
        """Whether two texts are in different languages."""
        return bool(self.language and other.language) and self.language != other.language

    def likeness(self, other: Saying, names: Collection[str]) -> float:
        """Of a reference and a comment, 0 to 1. Across languages only names of the code can be alike."""
        if not self.differs(other):
            return alike(self.stems, other.stems)
        texts = (self.text, other.text)
        ours, theirs = (Counter(filter(names.__contains__, _WORD.findall(text))) for text in texts)
        return alike(ours, theirs) if ours else 0.0


class GivenCode:
    """The code of a task with what scores need to know of it, each part made when it is first asked for."""

    def __init__(self, spec: CommentSpec) -> None:
        self.spec = spec
        self.lang = commented_language(spec.lang).name
        self.styles = (spec.style,) if spec.style else OF_LANGUAGE[self.lang]
        self.code = read_comments(spec.code, spec.lang)

    @cached_property
    def comments(self) -> Counter[tuple[int | None, str]]:
        """Comments that stand in the code already: the line that each is about, and its text."""
        places = anchors(self.code, self.code)
        return Counter((places.get(at), comment.text) for at, comment in enumerate(self.code.comments))

    @cached_property
    def names(self) -> frozenset[str]:
        """Names, numbers and texts of the code, as a comment may mention them."""
        plain = [token.text for tokens in self.tokens_by_line.values() for token in tokens]
        return self.code.names | {text.strip("\"'`") for text in plain}

    @cached_property
    def builtin(self) -> frozenset[str]:
        """Names that every program of the language may use."""
        return builtin_names(self.lang)

    @cached_property
    def tokens_by_line(self) -> dict[int, list[CodeToken]]:
        """The tokens of the code without structure."""
        found: dict[int, list[CodeToken]] = {}
        for token in self.code.tokens:
            if not token.text.startswith("\n"):
                found.setdefault(token.line, []).append(token)
        return found

    @cached_property
    def annotations(self) -> list[tuple[int, Saying]]:
        """The reference annotations by line, those of one line as one."""
        texts: dict[int, list[str]] = {}
        for each in self.spec.annotations:
            texts.setdefault(each.line, []).append(each.text)
        return [(line, self.saying("\n".join(texts[line]))) for line in sorted(texts)]

    @cached_property
    def comment(self) -> Saying | None:
        """The reference comment on the whole, if there is one."""
        text = self.spec.comment
        return self.saying(parse_shown(text, self.styles[0]).prose()) if text else None

    @cached_property
    def _words_of_names(self) -> frozenset[str]:
        return frozenset(words(" ".join(self.code.names)))

    def saying(self, text: str) -> Saying:
        """A text about this code."""
        said = words(text)
        language = natural_language([word for word in said if word not in self._words_of_names])
        return Saying(text, Counter(stems(said)), language)
