"""Reads from a model's answer which class of error it names: success, assertion, exception or build.

The last plain answer decides, else the last sentence that names one class. What each class means is in
docs/codecorrectness.md, the rules are in docs/design/14-codecorrectness.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from benchwright.contracts import Extraction
from benchwright.records import Outcome
from benchwright.text.extract import CUT_OFF
from benchwright.text.label_statement import read_statement
from benchwright.text.label_words import BOXED, CODE, FENCED, OBJECT, TAGGED, readable_end, sentences_by_line
from benchwright.text.normalisation import drop_marks, normalise, strip_reasoning

SUCCESS, ASSERTION, EXCEPTION, BUILD = "success", "assertion", "exception", "build"
CLASSES = (SUCCESS, ASSERTION, EXCEPTION, BUILD)

LONGEST = 1500  # characters of a statement
PHRASE = 120  # of what a box, a tag or a field holds
REACH = 2  # words from a "no" to what it takes away
PLAIN = 6  # words of an answer that is nothing but a class

# Whole words, in lower case with `ё` as `е`. The first class that has a word has it.
_WORDS: Mapping[str, re.Pattern[str]] = {
    BUILD: re.compile(
        r"build(?:s|ing)?|compil(?:e|es|ed|er|ing|ation)|syntax|(?:syntax|indentation|tab|import|modulenotfound)"
        r"error|noclassdeffounderror|classnotfoundexception|сборк[а-я]*|(?:с|от)?компил[а-я]*|синтакси[а-я]*"
    ),
    ASSERTION: re.compile(
        r"assert(?:s|ion|ions)?|assert(?:ion)?(?:failed)?error|comparisonfailure|проверк[а-я]*|ассерт[а-я]*"
        r"|утверждени[а-я]*|несовпадени[а-я]*"
    ),
    EXCEPTION: re.compile(
        r"exceptions?|runtime|panic(?:s|ked)?|throwable|segfault|\w*[a-z]exception|\w*[a-z]error"
        r"|исключени[а-я]*|паник[а-я]*"
    ),
    SUCCESS: re.compile(r"success(?:ful|fully)?|pass(?:es|ed)?|none|успе(?:х|хом|шно)|пройд[её]т|проходит"),
}
_WORD = re.compile(r"\w+(?:\.\w+)*")


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_NO = _set("no not never without neither nor cannot нет не ни без никаких вместо")
_CUES = _set(
    "answer class label verdict result outcome prediction category ответ класс метка вывод результат итог "
    "вердикт error_class final_answer"
)
_FILLERS = _set(
    "a an the is it of this will with by be error errors failure failed fails final my type ошибка ошибки "
    "ошибкой тест test это будет завершится завершается и так мой при на so therefore ends answer ответ"
)
_IF = _set("if unless whether when where если когда could might может могло or или either либо")
_EXPECTS = re.compile(r"expect|ожида")  # a test may be about an exception and pass
_DEFINED = re.compile(r"^[\s*•-]*(success|assertion|exception|build)[*`]*\s*[:—–-]\s+\S.*$", re.MULTILINE)
_SEVERAL = 3  # classes on separate lines: the answer repeats the list and chooses none
_NAMED_EXCEPTION = re.compile(r"(\w+error)\s+(?:exceptions?|исключени\w*)", re.I)  # "a SyntaxError exception"
_UNBUILT = re.compile(
    r"\b(?:not|cannot|n't) (?:compile|build)\w*|\bне (?:(?:с|от)?компил|собира|собер)\w*", re.I
)
_BUILDS = re.compile(r"\b(?:compiles|compiled|builds|компилиру[а-я]*|собира[а-я]*)\b", re.I)  # no fault
_FAILS = re.compile(
    r"fail|error|\bnot\b|n't\b|mismatch|false|violat|wrong|never|cannot|\bне\b|пада[ею]|упад|наруш|ошибк|провал"
)
_UNMET = re.compile(
    r"\bне (?:проходит|пройд[её]т|выполнится|выполняется|сойд[её]тся) проверк\w*|\bпроверк\w* не \w+", re.I
)
_CUED = re.compile(r"(?:^|\W)(\w+)\W*(?:\s(?:is|будет)\s|[:：=—–-])(.*)$", re.DOTALL)


class NamedClasses(NamedTuple):
    """The classes that a statement names, and whether it is an answer by its form."""

    classes: frozenset[str]
    is_plain: bool
    text: str


def read_error_class(text: str) -> tuple[str | None, str, str]:
    """The class that a raw answer names or None, the rule that decided, and why, for people. Never raises.

    >>> read_error_class("**Assertion**")[0], read_error_class("The answer is: SyntaxError")[0]
    ('assertion', 'build')
    >>> read_error_class("assertion or exception")[0] is None
    True
    """
    return _read_class(readable_end(drop_marks(strip_reasoning(normalise(text)).text)))


def take_error_class(text: str, *, finish_reason: str | None = None) -> Extraction:
    """The class as a track hands it on: `program` is the class, `problem` says that there is none."""
    stripped = strip_reasoning(normalise(text))
    found, rule, why = _read_class(readable_end(drop_marks(stripped.text)))
    return Extraction(
        program=found or "",
        rule=rule,
        problem=None if found else Outcome.unparsable.value,
        detail=why,
        truncated=stripped.truncated or finish_reason in CUT_OFF,
    )


def named_classes(text: str) -> frozenset[str]:
    """The classes that words of a text name, those after a "no" left out."""
    return frozenset(_hits(_tokens(text)))


def _read_class(text: str) -> tuple[str | None, str, str]:
    marked = _marked_classes(text)
    if marked:
        return _decide_class(marked[-1][1], marked[-1][2], marked[-1][3])
    statements = list(_statements(text))
    plain = [each for each in statements if each.is_plain and each.classes]
    one = [each for each in statements if len(each.classes) == 1]
    if plain:
        return _decide_class("plain", plain[-1].classes, plain[-1].text)
    if one:
        return _decide_class("prose", one[-1].classes, one[-1].text)
    return None, "class+none", "no statement names one class of error"


def _decide_class(rule: str, classes: frozenset[str], text: str) -> tuple[str | None, str, str]:
    line = " ".join(text.split())[:160]
    if len(classes) == 1:
        (name,) = classes
        return name, f"class+{rule}", f"read `{name}` in: {line}"
    return None, f"class+{rule}", f"names {' and '.join(sorted(classes))}: {line}"


def _marked_classes(text: str) -> list[tuple[int, str, frozenset[str], str]]:
    """Return class names in boxes, tags and fields of JSON, in the order of the text."""
    found = [(match.start(), "boxed", match.group(1)) for match in BOXED.finditer(text)]
    found += [(match.start(), "tag", match.group(2)) for match in TAGGED.finditer(text)]
    found += [(match.start(), "json", _field(match.group())) for match in OBJECT.finditer(text)]
    candidates = [(at, rule, named_classes(content[:PHRASE]), content) for at, rule, content in found]
    return sorted((each for each in candidates if each[2]), key=lambda each: each[0])


def _field(text: str) -> str:
    """The text in the field of an answer; empty where there is none."""
    try:
        data = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return ""
    return " ".join(value for name, value in data.items() if name.lower() in _CUES and isinstance(value, str))


def _statements(text: str) -> Iterator[NamedClasses]:
    if len({match.group(1) for match in _DEFINED.finditer(text)}) >= _SEVERAL:
        text = _DEFINED.sub("", text)
    prose = CODE.sub(_inline, FENCED.sub(_block, text))
    for sentences in sentences_by_line(prose):
        for sentence in sentences:
            yield _statement(sentence[-LONGEST:])


def _statement(text: str) -> NamedClasses:
    """A condition and a choice name nothing; what follows "answer:" is all that counts."""
    cued = _CUED.search(text)
    if cued and cued.group(1).lower() in _CUES and (after := named_classes(cued.group(2))):
        return NamedClasses(after, is_plain=True, text=text)
    tokens = _tokens(text)
    if _IF.intersection(tokens) or text.rstrip().endswith("?"):
        return NamedClasses(frozenset(), is_plain=False, text=text)
    is_plain = _is_bare(tokens)
    return NamedClasses(
        named_classes(text) if is_plain else _classes_of_sentence(text), is_plain=is_plain, text=text
    )


def _classes_of_sentence(text: str) -> frozenset[str]:
    """The classes that a sentence of several words tells.

    "Returns None" and "passes a list" tell no success, "the assertion holds" tells no error.
    """
    classes, lowered = named_classes(text) - {SUCCESS}, text.lower()
    if not _FAILS.search(lowered):
        classes -= {ASSERTION, BUILD}
    if classes == {EXCEPTION} and _EXPECTS.search(lowered):
        classes = frozenset()
    return classes | {SUCCESS} if read_statement(text).label == SUCCESS else classes


def _is_bare(tokens: Sequence[str]) -> bool:
    return len(tokens) <= PLAIN and all(token in _FILLERS or _class_of(token) for token in tokens)


def _block(match: re.Match[str]) -> str:
    """A fenced block is an answer where it holds nothing but a class; else it is code."""
    content = match.group(1) if match.group(1) is not None else match.group(2)
    return f"\n{content}\n" if _is_bare(_tokens(content[:PHRASE])) else "\n□\n"


def _inline(match: re.Match[str]) -> str:
    """A name in backticks counts: `ValueError` is one."""
    return f" {match.group(1)} " if len(_tokens(match.group(1)[:PHRASE])) == 1 else " □ "


def _tokens(text: str) -> list[str]:
    """Return the words in lower case; "does not hold" or "does not compile" becomes a word of its class."""
    normalised = _UNBUILT.sub(" build ", _UNMET.sub(" assertion ", _NAMED_EXCEPTION.sub(r"\1", text)))
    return _WORD.findall(_BUILDS.sub(" ", normalised).lower().replace("ё", "е"))


def _hits(tokens: Sequence[str]) -> Iterator[str]:
    for place, token in enumerate(tokens):
        name = _class_of(token)
        if name and not _NO.intersection(tokens[max(0, place - REACH) : place]):
            yield name


def _class_of(token: str) -> str | None:
    last = token.rsplit(".", 1)[-1]  # java.lang.AssertionError
    return next((name for name, words in _WORDS.items() if words.fullmatch(last)), None)
