"""The attack pack holds: in both jails, as root and as an ordinary user, forked by either loop."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from benchwright.records import Outcome
from benchwright.sandbox.jail import JAILS
from kit.examples import SCALE
from kit.needs import need_jail, skip
from tests.attacks import fleet
from tests.attacks.__main__ import is_known_hole
from tests.attacks.arena import Finding
from tests.attacks.pack import CATEGORIES, PACK, PROBES, PROGRAMS, Attack

USERS = ("root", "ordinary")
PLACES = list(itertools.product(JAILS, USERS, fleet.LOOPS))
# The end of these depends on how a jail is set up for a user, and by which loop it is entered. All others attack the
# interpreter, the judge, or limits that are set in the same way everywhere.
BY_PLACE = ("e", "i")


def _jobs(jail: str, user: str, loop: str) -> list[tuple[Attack, str]]:
    """Return the programs of a place with their forms.

    Programs of BY_PLACE run in four places (see `test_every_pair_of_places`), all others in two that have nothing in
    common. Each form of a program runs in half of its places. Weekly, all run everywhere in each form.
    """
    if SCALE > 1:
        return fleet.chosen()
    place = (JAILS.index(jail), USERS.index(user), fleet.LOOPS.index(loop))
    return [
        (attack, form)
        for number, attack in enumerate(PACK)
        if _runs_in(place, number, in_pairs=attack.name.startswith(BY_PLACE))
        for which, form in enumerate(attack.outcomes)
        if len(attack.outcomes) == 1 or which % 2 == place[number // 2 % 3]
    ]


def _runs_in(place: tuple[int, int, int], number: int, *, in_pairs: bool) -> bool:
    """Whether the program with this number in the pack runs in a place."""
    if in_pairs:
        return sum(place) % 2 == number % 2
    first, *others = place
    return [first ^ other for other in others] == [number % 2, number // 2 % 2]


@pytest.fixture(scope="module")
def places() -> Iterator[dict[str, fleet.Place | str]]:
    """Where to run as each user: the copy for the ordinary user is made once."""
    with ExitStack() as stack:
        yield {user: stack.enter_context(fleet.place_for(user)) for user in USERS}


@pytest.mark.slow
@pytest.mark.parametrize("loop", fleet.LOOPS)
@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("jail", JAILS)
def test_no_program_wins(places: dict[str, fleet.Place | str], jail: str, user: str, loop: str) -> None:
    """Every program ends as the table says, trips no probe, and leaves nothing behind."""
    need_jail(jail)
    jobs = _jobs(jail, user, loop)
    place = places[user]
    if isinstance(place, str):
        skip(place)
    findings, left = fleet.run(place, jobs, jail=jail, loop=loop, busy_workers=1)
    wrong = [each for each in findings if (each.wrong_outcome or each.tripped) and not is_known_hole(each)]

    assert (wrong, left) == ([], [])
    assert sorted((each.name, each.form) for each in findings) == sorted(
        (each.name, form) for each, form in jobs
    )


def test_every_pair_of_places() -> None:
    """Each program runs in both jails, as both users, by both loops, and in each of its forms; those of BY_PLACE
    with any two of these together. Programs of each category run in all eight places."""
    run = {place: _jobs(*place) for place in PLACES}
    for attack in PACK:
        places = [place for place, jobs in run.items() if attack in [each for each, _ in jobs]]
        forms = {form for jobs in run.values() for each, form in jobs if each == attack}

        assert forms == set(attack.outcomes), attack.name
        assert [len(set(values)) for values in zip(*places, strict=True)] == [2, 2, 2], attack.name
        if attack.name.startswith(BY_PLACE):
            for two in itertools.combinations(range(3), 2):
                assert len({tuple(place[each] for each in two) for place in places}) == 4, attack.name

    assert all({attack.name[0] for attack, _ in jobs} == set(CATEGORIES) for jobs in run.values())


def test_every_program_has_its_row() -> None:
    """The table and the folder name the same programs, each once."""
    files = sorted(path.stem for path in PROGRAMS.glob("*.py"))
    rows = sorted(attack.name for attack in PACK)

    assert files == rows


def test_every_category_is_attacked() -> None:
    """No category is without programs, and there are at least seventy in all."""
    seen = {attack.name[0] for attack in PACK}

    assert (set(CATEGORIES), True) == (seen, len(PACK) >= 70)


def test_rows_name_known_outcomes_and_probes() -> None:
    """A row's outcomes and probe exist, "passed" and "sandbox_error" are never allowed."""
    never = {Outcome.passed, Outcome.sandbox_error, Outcome.model_error}
    allowed = {outcome.value for outcome in Outcome if outcome not in never}
    outcomes = {label for attack in PACK for labels in attack.outcomes.values() for label in labels}
    probes = {attack.probe for attack in PACK}

    assert (set(), set()) == (outcomes - allowed, probes - set(PROBES))


def test_two_outcomes_need_a_reason() -> None:
    """A row that allows two labels says what decides between them."""
    silent = [
        attack.name for attack in PACK if max(map(len, attack.outcomes.values())) > 1 and not attack.why
    ]

    assert silent == []


def test_programs_name_no_address_but_this_machine() -> None:
    """The only network address in the pack is the loopback one."""
    addresses = {found for attack in PACK for found in re.findall(r"\d+\.\d+\.\d+\.\d+", attack.source)}

    assert {"127.0.0.1"} == addresses


def test_interference_runs_twice() -> None:
    """Whatever is watched for by a second run is run twice."""
    once = [attack.name for attack in PACK if attack.probe == "second run" and "twice" not in attack.traits]

    assert once == []


@pytest.mark.parametrize(
    "outcomes", [["passed"], ["wrong", "passed"], ["sandbox_error"], ["crash ValueError"], []]
)
def test_a_pass_is_never_an_allowed_end(outcomes: list[str]) -> None:
    """A finding with a pass, a failed sandbox, a failed judge or no outcome at all counts as wrong."""
    finding = Finding(name="i01_marks_in_files", form="batch", outcomes=outcomes, tripped={}, wall_s=0.0)

    assert finding.wrong_outcome
