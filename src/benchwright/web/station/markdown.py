"""Untrusted Markdown as HTML: no tags from the text, no images, links only to the web.

The result consists of the tags below and nothing else, because HTML in the text is shown as text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict
from markupsafe import Markup, escape

from benchwright.display.escape import escaped_code
from benchwright.lang.lines import lines_of

TAGS = frozenset(
    (
        *("a", "blockquote", "br", "code", "div", "em", "hr", "li", "ol", "p", "pre", "s", "strong"),
        *("table", "tbody", "td", "th", "thead", "tr", "ul"),
    )
)
_LINK = re.compile(r"(?:https?://|mailto:)[^\s]+\Z", re.IGNORECASE)
_NUMBERED = re.compile(r"(line (\d{1,7}))(?=: )")
QUOTED = 200  # characters of a line of code next to a note
_BLOCK = '<pre tabindex="0" role="group" aria-label="Code" dir="ltr"><code>{}</code></pre>\n'


def markdown_html(text: str) -> Markup:
    """The rendered text; invisible and control characters are shown by name."""
    return Markup(_parser().render(escaped_code(text)))  # consists of TAGS only


def notes_html(text: str, code: str) -> Markup:
    """Plain text with a paragraph for each line. A line that begins with a line number quotes that line of
    the code: line numbers on the page differ if an answer added lines.
    """
    given = lines_of(code)
    return Markup("").join(_note(line, given) for line in text.splitlines() if line.strip())


def _note(line: str, given: Sequence[str]) -> Markup:
    found = _NUMBERED.match(line)
    quoted = given[int(found[2]) - 1].strip() if found and 0 < int(found[2]) <= len(given) else ""
    if found is None or not quoted:
        return Markup("<p>{}</p>\n").format(escaped_code(line))
    rest = escaped_code(line[found.end() :])
    return Markup("<p>{} <code>{}</code>{}</p>\n").format(found[1], escaped_code(quoted[:QUOTED]), rest)


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": 20}).enable(["table", "strikethrough"])
    parser.disable(["image", "html_block", "html_inline", "entity"])
    parser.validateLink = lambda url: bool(_LINK.match(url))  # type: ignore[method-assign]
    for name in ("fence", "code_block"):
        parser.add_render_rule(name, _code)
    for name in ("heading_open", "heading_close"):
        parser.add_render_rule(name, _heading)
    parser.add_render_rule("link_open", _link)
    parser.add_render_rule("table_open", _table)
    parser.add_render_rule("table_close", _table)
    for name in ("th_open", "td_open"):
        parser.add_render_rule(name, _cell)
    return parser


def _code(_self: RendererHTML, tokens: Sequence[Token], place: int, _options: OptionsDict, _env: Any) -> str:
    return _BLOCK.format(escape(tokens[place].content))


def _heading(
    _self: RendererHTML, tokens: Sequence[Token], place: int, _options: OptionsDict, _env: Any
) -> str:
    """Render headings as bold text: the page has its own headings."""
    return "<p><strong>" if tokens[place].nesting == 1 else "</strong></p>\n"


def _link(_self: RendererHTML, tokens: Sequence[Token], place: int, _options: OptionsDict, _env: Any) -> str:
    address = escape(str(tokens[place].attrs.get("href", "")))
    return f'<a href="{address}" rel="noopener noreferrer nofollow" target="_blank">'


def _table(_self: RendererHTML, tokens: Sequence[Token], place: int, _options: OptionsDict, _env: Any) -> str:
    opening = '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>\n'
    return opening if tokens[place].nesting == 1 else "</table></div>\n"


def _cell(_self: RendererHTML, tokens: Sequence[Token], place: int, _options: OptionsDict, _env: Any) -> str:
    """A table cell without its alignment: inline styles are not allowed."""
    return f"<{tokens[place].tag}>"
