"""Closing keywords in the texts of commits and pull requests.

The grammar is GitHub's ("Linking a pull request to an issue", docs.github.com): `close`, `closes`, `closed`,
`fix`, `fixes`, `fixed`, `resolve`, `resolves` or `resolved` in any case, an optional colon, then `#3`,
`GH-3`, `owner/name#3` or the address of an issue. Two things differ: a list after one keyword counts as a
whole ("fixes #1, #2 and #3"; `listed` marks the later ones), and a negated keyword ("does not fix #3") does
not count. HTML comments, code blocks and code in backticks are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

MAX_TEXT = 64 << 10  # characters of one text that are read
_HIDDEN = re.compile(
    r"<!--.*?(?:-->|\Z)"
    r"|^[ \t]*(?P<fence>`{3,}|~{3,}).*?(?:^[ \t]*(?P=fence)[`~]*[ \t]*$|\Z)"
    r"|``[^\n]{0,500}?``"
    r"|`[^`\n]{0,500}`",
    re.DOTALL | re.MULTILINE,
)
_NUMBER = r"(?P<number>[1-9]\d{0,8})(?![\w])"
_REFERENCE = (
    rf"(?:https?://[\w.-]+(?::\d+)?/(?P<at>[\w.-]+/[\w.-]+)/(?:issues|pull)/(?P<page>[1-9]\d{{0,8}})(?![\w])"
    rf"|(?P<repo>[\w.-]+/[\w.-]+)?#{_NUMBER}"
    r"|GH-(?P<short>[1-9]\d{0,8})(?![\w]))"
)
_WORD = r"(?P<word>close[sd]?|fix(?:es|ed)?|resolve[sd]?)"
KEYWORD = re.compile(rf"(?<![\w/-]){_WORD}(?::\s*|\s+){_REFERENCE}", re.IGNORECASE)
_NEXT = re.compile(rf"\s*(?:,\s*(?:and\s+)?|and\s+|&\s*){_REFERENCE}", re.IGNORECASE)
_NEGATED = re.compile(
    r"(?:\bnot|n['’]t|\bnever|\bcannot)(?:\s+(?:yet|fully|really|actually|quite))?\s+$", re.IGNORECASE
)


class ClosingReference(NamedTuple):
    """An issue that a text says it closes."""

    issue: str  # "issue:3", or "owner/name#3" of another repository
    keyword: str  # in lower case
    text: str  # the matched text
    listed: bool = False  # a later member of a list after one keyword


def visible(text: str) -> str:
    """Replace HTML comments and code by a NUL character."""
    return _HIDDEN.sub("\0", text[:MAX_TEXT].replace("\r\n", "\n"))


def closing_references(text: str, repo: str = "") -> Iterator[ClosingReference]:
    """Yield the issues that a text closes, in its order; `repo` is the repository of the text."""
    visible_text = visible(text)
    for found in KEYWORD.finditer(visible_text):
        if _NEGATED.search(visible_text, max(0, found.start() - 30), found.start()):
            continue
        keyword = found["word"].lower()
        yield ClosingReference(_issue(found, repo), keyword, found[0])
        at = found.end()
        while following := _NEXT.match(visible_text, at):
            yield ClosingReference(_issue(following, repo), keyword, following[0].strip(), listed=True)
            at = following.end()


def _issue(found: re.Match[str], repo: str) -> str:
    number = found["page"] or found["number"] or found["short"]
    place = found["at"] or found["repo"] or ""
    return f"{place}#{number}" if place and place.lower() != repo.lower() else f"issue:{number}"
