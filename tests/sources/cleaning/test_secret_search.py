"""Secrets in texts: an independent corpus of more than 30 kinds, ordinary code, and expensive texts."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.sources.cleaning.secret_assignments import assigned_secrets
from benchwright.sources.cleaning.secret_blocks import block_secrets
from benchwright.sources.cleaning.secret_rules import FORMATS
from benchwright.sources.cleaning.secret_runs import runs_of
from benchwright.sources.cleaning.secret_search import _formatted, _merged, find_secrets, without_secrets
from benchwright.sources.cleaning.secret_structures import structured_secrets
from benchwright.stats.intervals import wilson
from kit.growth import PER_DOUBLING, growth
from kit.secret_corpus import Plant, plants, private_keys


@pytest.fixture(scope="module")
def corpus() -> list[Plant]:
    return [*plants(seed=1, each=20), *private_keys(seed=1)]


def test_the_corpus_is_found(corpus: list[Plant]) -> None:
    missed = Counter(each.kind for each in corpus if each.value in without_secrets(each.text))
    kinds = Counter(each.kind for each in corpus)
    found = len(corpus) - missed.total()
    assert len(kinds) >= 30
    assert wilson(found, len(corpus)).low >= 0.98, missed
    assert all(missed[kind] <= 0.1 * count for kind, count in kinds.items()), missed


def test_the_text_around_a_secret_stays(corpus: list[Plant]) -> None:
    for each in corpus:
        text = without_secrets(f"def shop():\n{each.text}\n    return 1\n")
        assert text.startswith("def shop():\n")
        assert text.endswith("\n    return 1\n")


@pytest.mark.parametrize(
    "line",
    [
        "index 3b18e512dba79e4c8300dd08aeb37f8e728b8dad..aa1ecba7f6e9b3c1b8f5e2b76a5f4c2d3e1f0a9b 100644",
        "commit 87da1ef3c0ffee5b2d6f0e1a2b3c4d5e6f708192",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        '    "integrity": "sha512-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08=="',
        "    token = self.parser.next_token_of_kind(kind2)",
        "    def test_password_is_asked_twice_when_confirmation_prompt_3(self):",
        '    password = "secret"',
        'password = "${DB_PASSWORD}"',
        "curl -u user:password https://example.com",
        "https://user:pass@example.com/path",
        "export GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        'API_KEY = "your_api_key_goes_here_12345"',
        '<input name="csrfmiddlewaretoken" value="EtbblQ4pkPiH1mxbMImG595QBYXCNt7K">',
        'if line.startswith("-----BEGIN RSA PRIVATE KEY-----"):',
        "uuid = 123e4567-e89b-12d3-a456-426614174000",
        "the basic combinatorics of bearer authentication",
        'cache_key = "user_profile_v2_2024_01_31"',
        '    "userKey": "a80255c66b579d45016b9b47dbf20051",',
        '<div data-sitekey="6LdPyLkSAAAAAPq8tm4ffdM2K4VIntU3PunnFspp"></div>',
        "var e={withCredentials:defaultToConfig2,responseEncoding:defaultToConfig2}",
        "twitter = Twitter('query', 'my-token', max_items=5, tag='test')",
        "install it with the **Secrets Manager**, and the tokens",
        "backend.password == 'secret123'",
        'public_key = "3b6311afca5bd8aac647b316704e9c6d"',
    ],
)
def test_ordinary_code_is_not_changed(line: str) -> None:
    assert without_secrets(line) == line


def test_a_secret_is_replaced_by_its_kind_and_cleaning_again_changes_nothing(corpus: list[Plant]) -> None:
    text = 'token = "ghp_' + "a1B2c3D4e5F6" * 3 + '"'
    assert without_secrets(text) == 'token = "<secret:github>"'
    cleaned = without_secrets("\n".join(each.text for each in corpus))
    assert without_secrets(cleaned) == cleaned


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("https://4f1d9c0b7a6e5d3c2b1a0f9e8d7c6b5a4f3e2d1c@github.com/a/b", "4f1d9c0b7a6e5d3c2b1a"),
        ("db.internal:5432:shop:shop:nV3kQ8zT5wR1", "nV3kQ8zT5wR1"),
        ('curl --header "PRIVATE-TOKEN: nV3kQ8zT5wR1xY7bD2mG" https://h/x', "nV3kQ8zT5wR1xY7bD2mG"),
        ("https://p.logic.azure.com/workflows/1/run?sv=1.0&sig=" + "nV3kQ8zT5wR1" * 4, "nV3kQ8zT5wR1"),
        ('new NetworkCredential("shop", "nV3kQ8zT5wR1")', "nV3kQ8zT5wR1"),
        ("psexec \\\\host -u shop -p nV3kQ8zT5wR1", "nV3kQ8zT5wR1"),
        ("CREATE USER shop IDENTIFIED BY 'nV3kQ8zT5wR1'", "nV3kQ8zT5wR1"),
        ("kubeadm join --token a1b2c3.d4e5f6a7b8c9d0e1 h:6443", "a1b2c3.d4e5f6a7b8c9d0e1"),
        ("//npm.internal/:_password=blYza1E4elQ1d1Ix", "blYza1E4elQ1d1Ix"),
        ('{"password": "swordfish42"}', "swordfish42"),
        ("MAIL_PASSWORD=Sword!fish", "Sword!fish"),
        ("jdbc:postgresql://h/shop?user=shop&password=nV3kQ8zT5wR1", "nV3kQ8zT5wR1"),
        ("<api_token>nV3k*Q8zT5wR1xY</api_token>", "nV3k*Q8zT5wR1xY"),
    ],
)
def test_a_secret_of_a_structure_is_found(text: str, value: str) -> None:
    assert value not in without_secrets(text)


def test_overlapping_secrets_are_one() -> None:
    text = "url = https://deploy:ghp_" + "a1B2c3D4e5F6" * 3 + "@github.com/a/b"
    assert [each.kind for each in find_secrets(text)] == ["github"]
    assert "ghp_" not in without_secrets(text)


PIECES = [
    "eyJ",
    ".",
    "password=",
    "A1b2C3d4",
    "\n",
    '"',
    "-",
    "ghp_",
    "://",
    "İ",
    "@",
    "<secret:jwt>",
    "key: ",
]


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_matches_are_in_order_and_inside_the_text(text: str) -> None:
    found = find_secrets(text)
    assert all(0 <= each.start < each.end <= len(text) for each in found)
    assert all(first.end <= second.start for first, second in pairwise(found))


HARD = [
    "1/",
    "sl.A1b2",
    "sig=A1",
    "{ get; set; } =",
    "token A1b2",
    "networkcredential('a',",
    "NRALA1",
    "-----BEGIN PRIVATE KEY-----A1b2",
    "password is `a",
    "pwd=",
    "Q~",
    "-eyJ",
    "eyJA1b2.",
    "jsn",
    "password=A1b2",
    "://a:",
    "-----BEGIN PRIVATE KEY-----",
    "=A",
    "<secret>1",
]


@pytest.mark.parametrize("unit", HARD)
def test_the_time_grows_with_the_length(unit: str) -> None:
    assert growth(without_secrets, lambda size: unit * (size // len(unit)), 10_000) <= PER_DOUBLING


def test_every_format_has_its_cue() -> None:
    assert all(each.cue for each in FORMATS)


_PIECES = st.sampled_from(
    [
        *sorted({each.cue for each in FORMATS})[::7],
        *(
            "sm_aat_",
            "ZXlK",
            "api_key=",
            "token: ",
            "'",
            '"',
            "\n",
            " ",
            "-",
            "_",
            ".",
            ";",
            "\u2003",
            "\x1c",
        ),
        *("abcdefghij", "klmnopqrst", "A1b2C3d4E5", "0123456789"),
    ]
)


@given(st.lists(st.lists(_PIECES, max_size=14).map("".join), min_size=1, max_size=6))
def test_known_runs_change_no_result(texts: list[str]) -> None:
    """The cache of harmless texts gives the result of a full search of every text."""
    for text in texts * 2:
        runs = runs_of(text)
        whole = [
            *_formatted(text, runs),
            *structured_secrets(text),
            *block_secrets(text),
            *assigned_secrets(text),
        ]
        assert find_secrets(text) == _merged(whole)
