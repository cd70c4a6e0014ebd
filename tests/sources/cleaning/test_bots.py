"""Bots among authors: exact lists; people with similar names are kept."""

from __future__ import annotations

import pytest

from benchwright.sources.cleaning.bots import bot_lists, is_bot


@pytest.mark.parametrize(
    "known",
    [
        {"login": "dependabot[bot]"},
        {"login": "Renovate-Bot"},
        {"login": "any-name", "kind": "Bot"},
        {"name": "github-actions", "address": "x@y.org"},
        {"name": "any", "address": "49699333+dependabot[bot]@users.noreply.github.com"},
        {"name": "any", "address": "12+k8s-ci-robot@users.noreply.github.com"},
        {"name": "GitHub", "address": "noreply@github.com"},
        {"name": "Docs Release Bot", "address": "somebody@corp.com"},
        {"login": "gh-actions-bot"},
        {"name": "Zo Bot", "address": "zo-bot@corp.com"},
        {"name": "AcmeAutofixBot", "address": "autofix-bot@corp.com"},
        {"name": "Acme AI", "address": "ai@acme.io"},
        {"name": "acme-bot", "address": "noreply@acme.io"},
        {"name": "Acme Autofix", "address": "123+acme-autofix@users.noreply.github.com"},
        {"name": "release", "address": "project_12_bot_0a1b@noreply.gitlab.example.org"},
    ],
)
def test_programs_are_known(known: dict[str, str]) -> None:
    assert is_bot(**known)


@pytest.mark.parametrize(
    "person",
    [
        {"name": "Lowell Abbott", "address": "lowell.abbott@corp.com"},
        {"name": "Marc Hernandez Cabot", "address": "cabot@corp.com"},
        {"name": "Ann Talbot", "address": "9+talbot@users.noreply.github.com"},
        {"login": "abbott", "kind": "User"},
        {"login": "kumabotz"},
        {"name": "Parag Ekbote", "address": "p@ekbote.org"},
        {"name": "bot", "address": "shen@corp.com"},
        {"name": "", "address": ""},
        {"name": "Jan Bot", "address": "jan.bot@corp.nl"},
        {"name": "Jan Bot", "address": "12+jan@users.noreply.github.com"},
        {"name": "Ai Hoshino", "address": "ai@hoshino.jp"},
        {"name": "Suyash-Codes-AI", "address": "suyash@corp.com"},
        {"name": "Ann Talbot", "address": "talbot-bot@corp.com"},
        {"login": "jo-bot"},
        {"name": "jo-bot", "address": "9+jo-bot@users.noreply.github.com"},
        {"name": "Bill Fix", "address": "fix@corp.com"},
        {"name": "Test User", "address": "test@example.com"},
    ],
)
def test_people_are_not_lost(person: dict[str, str]) -> None:
    assert not is_bot(**person)


def test_entries_are_unique_and_not_empty() -> None:
    lists = bot_lists()
    assert all(each and each == each.strip() for names in lists for each in names)
    assert lists.marks < lists.words
    assert min(map(len, lists[:4])) > 10


PEOPLE = [
    "Abbott",
    "Ann Abbott",
    "Cabot",
    "Talbot",
    "Jean Talbot",
    "Botao",
    "Claude",
    "Jenkins",
    "Percy",
    "robota",
]


@pytest.mark.parametrize("name", PEOPLE)
def test_people_are_kept(name: str) -> None:
    login = name.replace(" ", "-").lower()
    assert not is_bot(name=name, address=f"{login}@example.com")
    assert not is_bot(login=login, kind="User")
    assert not is_bot(name=name, address=f"1234+{login}@users.noreply.github.com")


@pytest.mark.parametrize(
    "name", ["dependabot[bot]", "Some-New-App[bot]", "GitHub Action", "snyk-bot", "Dependabot"]
)
def test_programs_are_found_by_name(name: str) -> None:
    assert is_bot(name=name, address="somebody@example.com") and is_bot(name=name.upper())


def test_a_program_with_the_name_of_a_person_is_found_by_its_address() -> None:
    assert is_bot(name="Claude", address="noreply@anthropic.com")
    assert is_bot(name="any", address="49699333+dependabot[bot]@users.noreply.github.com")


def test_the_word_of_the_platform_decides() -> None:
    assert is_bot(login="percy", kind="Bot")


def test_an_entry_counts_only_as_a_whole() -> None:
    lists = bot_lists()
    for entry in lists.logins | lists.names:
        assert not is_bot(name=f"{entry} Smith")
