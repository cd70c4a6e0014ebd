"""CodeBLEU of one program against one reference, as the library of MERA's task UnitTests computes it.

The library is https://github.com/Pstva/code_bleu: a mean, with equal weights, of BLEU, of BLEU with weights
for keywords, of the syntax and of the data flow. What it does not follow of the paper is kept: `ngram_match`
and `TokenText` say where. Where it fails, MERA counts 0.

The names of merged edges of a data flow are sorted here. The library leaves them in the order of a hash
table, so that its figure of a program with loops differs between its own processes.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import NamedTuple

from benchwright.errors import DataError
from benchwright.lang.codebleu.data_flow import data_flow, data_flow_match
from benchwright.lang.codebleu.flow_rules import RULES
from benchwright.lang.codebleu.keywords import KEYWORDS
from benchwright.lang.codebleu.marked_trees import read_marked
from benchwright.lang.codebleu.ngram_match import ngram_match, weighted_ngram_match
from benchwright.lang.codebleu.syntax_match import syntax_match
from benchwright.lang.parser import Grammar

GRAMMARS: Mapping[str, Grammar] = {
    "python": Grammar("Python", "tree_sitter_python"),
    "java": Grammar("Java", "tree_sitter_java"),
    "csharp": Grammar("C#", "tree_sitter_c_sharp"),
    "go": Grammar("Go", "tree_sitter_go"),
    "js": Grammar("JavaScript", "tree_sitter_javascript"),
}
_COMMENT = re.compile(r"//.*?$|/\*.*?\*/|'(?:\\.|[^\\'])*'|\"(?:\\.|[^\\\"])*\"", re.DOTALL | re.MULTILINE)


class CodeBleu(NamedTuple):
    """The four parts of CodeBLEU, each from 0 to 1. `failure` is why there are none."""

    ngrams: float = 0.0
    weighted: float = 0.0
    syntax: float = 0.0
    flow: float = 0.0
    failure: str = ""

    @property
    def mean(self) -> float:
        """CodeBLEU from 0 to 1."""
        return 0.25 * self.ngrams + 0.25 * self.weighted + 0.25 * self.syntax + 0.25 * self.flow


def code_bleu(text: str, reference: str, language: str) -> CodeBleu:
    """Compare a program with a reference; `language` is a key of GRAMMARS, any other one is a failure.

    Raises PrerequisiteError, with the install command, if the language's grammar is not installed.
    """
    if language not in GRAMMARS:
        return CodeBleu(failure=f"no grammar for {language!r}")
    try:
        return _compared(text.strip(), reference.strip(), language)
    except DataError as error:
        return CodeBleu(failure=str(error))


def _compared(text: str, reference: str, language: str) -> CodeBleu:
    grammar, rules = GRAMMARS[language], RULES[language]
    plain, wanted = (read_marked(without_comments(each, language), grammar) for each in (text, reference))
    words, expected = text.split(), reference.split()
    return CodeBleu(
        ngrams=ngram_match(expected, words),
        weighted=weighted_ngram_match(expected, words, KEYWORDS[language]),
        syntax=syntax_match(wanted, plain),
        flow=data_flow_match(data_flow(wanted, rules), data_flow(plain, rules)),
    )


def without_comments(code: str, language: str) -> str:
    """The text without comments, docstrings and blank lines; unchanged if Python's tokenizer fails on it."""
    if language != "python":
        stripped = _COMMENT.sub(lambda found: " " if found[0].startswith("/") else found[0], code)
        return _without_blank(stripped)
    try:
        return _without_blank(_python(code))
    except (tokenize.TokenError, SyntaxError):
        return code


def _without_blank(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if line.strip())


def _python(code: str) -> str:
    """Texts of tokens with the spaces between them, without strings after an indentation or a line end."""
    parts: list[str] = []
    before, line, column = tokenize.INDENT, -1, 0
    for kind, text, start, end, _ in tokenize.generate_tokens(io.StringIO(code).readline):
        column = 0 if start[0] > line else column
        parts.append(" " * (start[1] - column))
        alone = before in (tokenize.INDENT, tokenize.NEWLINE) or start[1] == 0
        if kind != tokenize.COMMENT and not (kind == tokenize.STRING and alone):
            parts.append(text)
        before, (line, column) = kind, end
    return "".join(parts)


def check_grammar(language: str) -> None:
    """Raise PrerequisiteError, with the install command, if the grammar of a language is not installed."""
    read_marked("", GRAMMARS[language])


def grammar_versions(languages: Iterable[str]) -> dict[str, str]:
    """Return the installed versions of tree-sitter and of these languages' grammars, by distribution.

    They decide CodeBLEU: another version of a grammar may build another tree.
    """
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 (40 ms to import)

    found = {}
    for name in ("tree-sitter", *(GRAMMARS[each].module.replace("_", "-") for each in sorted(languages))):
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found
