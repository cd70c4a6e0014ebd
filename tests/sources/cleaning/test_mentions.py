"""People in texts: mentions and addresses are replaced, words of code stay."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchwright.sources.cleaning import mentions
from benchwright.sources.cleaning.mentions import without_people
from benchwright.sources.cleaning.pseudonyms import KeyedPseudonyms
from benchwright.sources.cleaning.text_cleaner import TextCleaner

PEOPLE = KeyedPseudonyms(b"k" * 32)


def cleaned(text: str) -> str:
    return without_people(text, PEOPLE.of)


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("@octo thanks!", "octo"),
        ("Thanks, @Octo-Cat.", "Octo-Cat"),
        ("cc (@octo)", "octo"),
        ("mail jane.doe+x@corp.co.uk please", "jane"),
        ("Signed-off-by: Jane Doe <jane@corp.com>", "Jane Doe"),
        ("Co-authored-by: Doe, Jane (JD) <jane@corp.com>", "Jane"),
        ("Author: Jane <jane@corp.com>", "Jane"),
        ("reported by Jane Doe <jane@corp.com>", "Doe"),
        ("see https://github.com/octo.", "octo"),
        ("from 93.184.216.34 port 22", "93.184"),
        ('host = "93.184.216.34"', "93.184"),
        ("peer 2a00:1450:4001:81b::200e", "2a00"),
        ("call +49 30 123456-78", "123456"),
        ("call (415) 555-2671", "2671"),
        ("phone: 4155552671", "2671"),
    ],
)
def test_people_are_replaced(text: str, gone: str) -> None:
    assert gone not in cleaned(text)


@pytest.mark.parametrize(
    "text",
    [
        "Use @property here, or @pytest.fixture.",
        "npm i @types/node @babel/core",
        "`@octo` and\n```\n@octo\n```\n",
        "@octo(1)\ndef f(): pass",
        "@octo\nclass A:\n    pass",
        "    @octo\n    def f(self): ...",
        "/** @param name the name */",
        "git clone git@github.com:pallets/click.git",
        "user@host, a@b, x @ y, @@ -1,2 +3,4 @@",
        "version 1.2.3.5 and ==3.7.4.3 and 127.0.0.1 and 192.168.1.20",
        "a[2001:3000] at 12:30:45 on 2024-01-31",
        "mail octo@corp.example",
        "https://github.com/pallets/click and https://github.com/features",
        "Co-authored-by: dependabot[bot]",
    ],
)
def test_words_of_code_stay(text: str) -> None:
    assert cleaned(text) == text


def test_in_a_diff_only_comments_have_mentions() -> None:
    diff = (
        "@@ -1,3 +1,4 @@\n+    @octo\n+    # ask @octo\n+    x = a @octo\n+     * @since 2\n+30 123456789\n"
    )
    expected = diff.replace("# ask @octo", f"# ask @{PEOPLE.of('octo')}")
    assert cleaned(diff) == expected


def test_the_sign_of_a_changed_line_is_not_part_of_an_address() -> None:
    diff = "@@ -1,2 +1,2 @@\n-@click.command()\n+@click.command(1)\n+jane@corp.com\n"
    assert cleaned(diff) == diff.replace("jane@corp.com", PEOPLE.of("jane@corp.com"))


def test_a_mention_has_the_pseudonym_of_the_actor() -> None:
    assert cleaned("@Octo!") == f"@{PEOPLE.of('octo')}!"


PIECES = [
    "@octo",
    " ",
    "\n",
    "`",
    "```",
    "<",
    ">",
    "jane@corp.com",
    "Jane ",
    "(",
    "#",
    "- ",
    "1.2.3.4",
    "+49 30 1234567",
]


_MORE = [
    "github.com/octo",
    "+",
    "+49",
    "(415) ",
    "555-2671",
    "2a00:1450:4001:81b::200e",
    "Tel",
    ": ",
    ".",
    "30 123456",
]


def _full_search(text: str) -> str:
    """Clean the text by a search of all its words."""
    m, person = mentions, PEOPLE.of
    text = m._replaced(text, m._named_addresses(text, person))
    text = m._mentions(m._replaced(text, m._addresses(text, person)), person)
    text = m._PROFILE.sub(lambda match: m._profile(match, person), text)
    text = m._phones(m._IPV6.sub(m._ip, m._IPV4.sub(m._ip, text)))
    return m._called(text)


@given(st.lists(st.sampled_from([*PIECES, *_MORE])).map("".join))
def test_known_words_change_no_result(text: str) -> None:
    assert [cleaned(text), cleaned(text)] == [_full_search(text)] * 2


@given(st.lists(st.sampled_from([*PIECES, *_MORE])).map("".join))
@example("+49 30 1234567@octo")
@example("tel 12345678901@octo")
def test_cleaning_again_changes_nothing(text: str) -> None:
    cleaner = TextCleaner(PEOPLE)
    assert cleaner.text(cleaner.text(text)) == cleaner.text(text)
