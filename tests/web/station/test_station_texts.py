"""Untrusted texts on a page: Markdown from an allowlist, code by lines, hidden characters by name."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.display.escape import escaped_code
from benchwright.judges.people.guidance import default_guidance
from benchwright.judges.people.records import ItemAnswer, JudgedItem
from benchwright.lang.lines import lines_of
from benchwright.web.station.item_view import SHOWN, SHOWN_IN_ALL, code_lines, show_item
from benchwright.web.station.markdown import TAGS, markdown_html, notes_html
from kit.station_kit import Station, issue_run

HOSTILE = (
    "<script>alert(1)</script> <img src=x onerror=alert(2)> [link](javascript:alert(3)) "
    "![picture](https://evil.example/p.png) <iframe srcdoc='x'></iframe> &#x202e; \u202egnp.exe \x1b[31mred\x1b[0m "
    "\x00 <style>body{display:none}</style> [ok](https://fine.example/a?b=1&c=2) \u2066bidi\u2069 \u200bzero"
)
ATTRIBUTES = {
    "a": {"href", "rel", "target"},
    "pre": {"tabindex", "role", "aria-label", "dir"},
    "div": {"class", "tabindex", "role", "aria-label"},
    "ol": {"start"},
}


class Tags(HTMLParser):
    """The tags of a text with their attributes, and its words."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Record the tag."""
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        """Record the words."""
        self.words.append(data)


def check(text: str) -> Tags:
    """Return the tags of a rendered text, after checking that all are allowed."""
    tags = Tags(str(markdown_html(text)))
    for tag, attributes in tags.found:
        assert tag in TAGS
        assert set(attributes) <= ATTRIBUTES.get(tag, set())
        assert (attributes.get("href") or "https://").startswith(("https://", "http://", "mailto:"))
    return tags


MARKS = st.sampled_from([*"<>[]()!`*_~#|-+\\&;:\"'/= \n", "javascript:", "http://", "<a ", "\u202e", "\x00"])


@given(st.lists(st.one_of(MARKS, st.text(max_size=4)), max_size=60).map("".join))
def test_no_text_makes_a_tag_of_its_own(text: str) -> None:
    """For any text, tags, attributes and addresses are those of the allowlist, and nothing is hidden."""
    tags = check(text)

    assert all(word == escaped_code(word) for word in tags.words)


def test_hostile_markdown() -> None:
    """Scripts, handlers, images, styles and frames are shown as text; one link is left."""
    tags = check(HOSTILE)
    words = "".join(tags.words)

    assert [attributes["href"] for tag, attributes in tags.found if tag == "a"] == [
        "https://evil.example/p.png",
        "https://fine.example/a?b=1&c=2",
    ]
    assert "<script>alert(1)</script>" in words
    for name in (r"\u202e", r"\x1b[31m", r"\x00", r"\u2066", r"\u200b", "&#x202e;"):
        assert name in words


def test_markdown_of_an_answer() -> None:
    """Lists, emphasis, code and tables are rendered; headings only look like headings."""
    text = "# Fix\n\n1. call `load()`\n2. **then** go\n\n```python\nx < 1\n```\n\n| a | b |\n|--:|---|\n| 1 | 2 |\n"
    tags = [tag for tag, _ in check(text).found]

    assert {"ol", "li", "code", "strong", "pre", "table", "td"} <= set(tags)
    assert "x &lt; 1" in markdown_html(text)
    assert str(markdown_html(text)).startswith("<p><strong>Fix</strong></p>")
    assert not {"h1", "h2"} & set(tags)


GIVEN = "def f(x):\n    y = x + 1\n    return y\n"


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        (GIVEN, ["", "", ""]),
        (
            "def f(x):\n    # one more\n    y = x + 1  # y\n    return y\n",
            ["", "    # one more", "  # y", ""],
        ),
        ('def f(x):\n    """D."""\n\n    y = x + 1\n    return y', ["", '    """D."""', "", "", ""]),
        ("other\n", ["other"]),
    ],
)
def test_what_was_added_to_code(text: str, marked: list[str]) -> None:
    """Added lines and ends of lines, compared with the given code."""
    lines = code_lines(GIVEN, text)

    assert [line.added for line in lines] == marked
    assert [line.given + line.added for line in lines] == [line.rstrip() for line in text.splitlines()]


@given(st.text(max_size=200), st.text(max_size=200))
def test_every_line_of_an_answer_is_shown(code: str, text: str) -> None:
    """No line is lost between the given and the added ones."""
    lines = code_lines(code, text)
    shown = [(line.given + line.added).rstrip() for line in lines]

    assert shown == [escaped_code(line).rstrip() for line in lines_of(text)]


def item(**changed: Any) -> JudgedItem:
    """Return an item of the issue track."""
    answers = [ItemAnswer(run="r", key="k", sample=0, text=changed.pop("text", "fine"))]
    fields = {
        "item": "i",
        "kind": "decide",
        "task_id": 1,
        "track": "t",
        "question": "Why?",
        "answers": answers,
    }
    return JudgedItem(**{**fields, "fields": ["decision"], **changed})


def test_a_long_text_is_cut_with_its_length() -> None:
    """The page has its beginning and its length; a short one is complete."""
    guidance = default_guidance("decide", "en")
    long = show_item(item(text="word " * 1_000_000), guidance).answers[0]
    short = show_item(item(), guidance).answers[0]

    assert (long.whole, short.whole) == (5_000_000, 0)
    assert long.html is not None
    assert len(long.html) < 2 * SHOWN


def test_many_long_texts_share_the_room() -> None:
    """A thousand references that are slow to render cost no more than four; short ones are complete."""
    slow = "[" * 12_000
    shown = show_item(item(references=["short", *[slow] * 999], text=slow), default_guidance("decide", "en"))
    parts = [*shown.references, *shown.answers]

    assert shown.references[0].whole == 0
    assert all(part.whole == len(slow) for part in parts[1:])
    assert sum(len(part.html or "") for part in parts) < 2 * SHOWN_IN_ALL


def test_a_note_quotes_the_line_it_is_about() -> None:
    """The line is quoted from the given code: an answer with more lines has other numbers. Notes without a
    line stay unchanged."""
    notes = notes_html(
        "line 2: <b>adds</b>\nline 9: none\nline 0: none\nthe end\n", "def f(x):\n    y = x < 1\n"
    )

    assert notes.splitlines() == [
        "<p>line 2 <code>y = x &lt; 1</code>: &lt;b&gt;adds&lt;/b&gt;</p>",
        "<p>line 9: none</p>",
        "<p>line 0: none</p>",
        "<p>the end</p>",
    ]


@pytest.mark.parametrize("database_place", ["sqlite"], indirect=True)
def test_a_hostile_answer_on_the_page_and_in_its_frame(station: Any, tmp_path: Path) -> None:
    """It is text in both; the frame may execute and load nothing, and only this site may embed it."""
    there: Station = station(issue_run(tmp_path / "run", 1, text=HOSTILE.replace("\x00", "") + "x" * 20_000))
    ann = there.member("ann")
    page = ann.open()
    frame = ann.browser.get(f"{ann.path}/text/{ann.token}/4")

    assert "<script>alert" not in page
    assert "onerror=alert" not in Tags(page).found
    assert f'src="{ann.path}/text/' in page
    assert "<script>alert" not in frame.text
    assert r"\u202egnp" in frame.text
    assert frame.headers["content-security-policy"] == "default-src 'none'; sandbox; frame-ancestors 'self'"
    assert frame.headers["x-content-type-options"] == "nosniff"
    assert [tag for tag, _ in Tags(frame.text).found] == [
        "html",
        "head",
        "meta",
        "meta",
        "title",
        "body",
        "pre",
    ]
