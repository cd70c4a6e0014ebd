"""Balance: as many of both labels in each language, always the same rows, nothing lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.building.codecorrectness.balance import LEAD, balance, file_of
from benchwright.building.codecorrectness.naive_baselines import VersionDistances, comparison_baselines
from benchwright.building.codecorrectness.quotas import MOST, Quotas
from benchwright.building.codecorrectness.row_records import Candidate
from benchwright.records import Drop
from kit.made_candidates import candidate
from kit.made_populations import population

_KINDS = st.tuples(
    st.sampled_from(["Python", "Java", "Go"]),
    st.sampled_from(["success", "failed"]),
    st.sampled_from(["original", "mutated"]),
    st.sampled_from(["one", "two", "three"]),
)


def _candidates(kinds: list[tuple[str, str, str, str]]) -> list[Candidate]:
    return [
        candidate(number, lang=lang, label=label, subset=subset, repository=repository)
        for number, (lang, label, subset, repository) in enumerate(kinds)
    ]


def _split(found: list[Candidate | Drop]) -> tuple[list[Candidate], list[Drop]]:
    return [each for each in found if isinstance(each, Candidate)], [
        each for each in found if isinstance(each, Drop)
    ]


@given(st.lists(_KINDS, max_size=40), st.one_of(st.none(), st.integers(2, 20)))
def test_both_labels_are_equally_many(kinds: list[tuple[str, str, str, str]], max_rows: int | None) -> None:
    """In every language, within the limit, and every candidate is a row or a drop."""
    rows, drops = _split(list(balance(_candidates(kinds), max_rows=max_rows)))
    labels = Counter((row.lang, row.label) for row in rows)

    assert all(labels[lang, "success"] == labels[lang, "failed"] for lang in ("Python", "Java", "Go"))
    assert (len(rows) + len(drops), len(rows) <= (max_rows or 40)) == (len(kinds), True)


@given(st.lists(_KINDS, max_size=30), st.randoms())
def test_the_order_of_candidates_does_not_matter(
    kinds: list[tuple[str, str, str, str]], random: object
) -> None:
    """Rows are chosen and ordered by what they are."""
    candidates = _candidates(kinds)
    shuffled = list(candidates)
    random.shuffle(shuffled)  # type: ignore[attr-defined]

    assert list(balance(candidates, max_rows=8)) == list(balance(shuffled, max_rows=8))


def test_as_many_as_there_can_be() -> None:
    """Without a limit, the rarer label decides and none of it is lost."""
    kinds = [("Go", "success", "original", "one")] * 5 + [("Go", "failed", "mutated", "one")] * 3
    rows, drops = _split(list(balance(_candidates(kinds), max_rows=None)))

    assert (len(rows), [drop.reason for drop in drops]) == (6, ["label_too_common"] * 2)


def test_labels_are_even_in_each_kind() -> None:
    """A mutant that the test survives stands beside one that it notices, an original beside an original."""
    kinds = [("Go", "success", "original", "one")] * 5 + [("Go", "failed", "original", "one")]
    kinds += [("Go", "success", "mutated", "one")] * 5 + [("Go", "failed", "mutated", "one")] * 9
    rows, drops = _split(list(balance(_candidates(kinds), max_rows=None, mix=Quotas(strict=True))))
    counted = Counter((row.subset, row.label) for row in rows)

    assert counted["original", "success"] == counted["original", "failed"] == 1
    assert counted["mutated", "success"] == counted["mutated", "failed"] > 0
    assert {drop.reason for drop in drops} <= {"label_too_common", "over_mix"}


def test_untouched_files_pass_beside_mutants() -> None:
    """A third of the mutants that fail stand beside their own file as the repository has it: so one whose tests
    all pass gives rows of the kind original. A changed file still passes or fails."""
    kinds = [("Go", "success", "original", "one")] * 9
    kinds += [("Go", label, "mutated", "one") for label in ("success", "failed")] * 9
    made = [
        msgspec.structs.replace(each, focal_path=f"{n % 9}.go", parent=f"p{n // 2 % 9}")
        for n, each in enumerate(_candidates(kinds))
    ]
    rows, _ = _split(list(balance(made, max_rows=None)))
    strict, _ = _split(
        list(balance(made, max_rows=None, mix=Quotas(failures={**MOST, "mutated": 100}, strict=True)))
    )

    assert Counter((row.subset, row.label) for row in rows) == {
        ("original", "success"): 3,
        ("mutated", "success"): 6,
        ("mutated", "failed"): 9,
    }
    assert {row.subset for row in strict} == {"mutated"}


def test_uneven_kinds_by_option() -> None:
    """What has no partner of its kind gets one of another."""
    kinds = [("Go", "success", "original", "one")] * 5 + [("Go", "failed", "original", "one")] * 2
    kinds += [("Go", "failed", "mutated", "one")] * 2
    mix = Quotas(failures={**MOST, "mutated": 100, "original": 100}, uneven=True)
    rows, _ = _split(list(balance(_candidates(kinds), max_rows=None, mix=mix)))

    assert Counter((row.subset, row.label) for row in rows) == {
        ("original", "success"): 4,
        ("original", "failed"): 2,
        ("mutated", "failed"): 2,
    }


def test_repositories_take_turns() -> None:
    """A small repository is there beside one with ten times the rows."""
    kinds = [("Go", label, "original", "large") for label in ("success", "failed")] * 20
    kinds += [("Go", label, "original", "small") for label in ("success", "failed")] * 2
    rows, _ = _split(list(balance(_candidates(kinds), max_rows=8)))

    assert Counter(row.repository for row in rows) == {"large": 4, "small": 4}


def test_the_limit_is_shared_between_languages() -> None:
    """Two rows each in turn; a language without both labels gives none."""
    kinds = [
        (lang, label, "original", "one") for lang in ("Go", "Java") for label in ("success", "failed")
    ] * 5
    rows, drops = _split(
        list(balance(_candidates([*kinds, ("Python", "success", "original", "x")]), max_rows=8))
    )

    assert Counter(row.lang for row in rows) == {"Go": 4, "Java": 4}
    assert Counter(drop.reason for drop in drops) == {"over_max_rows": 12, "label_too_common": 1}


def test_the_order_does_not_tell_the_label() -> None:
    """Rows of the common label are those of the lowest revisions: they must not come first for it."""
    kinds = [("Go", "success", "original", "one")] * 400 + [("Go", "failed", "original", "one")] * 40
    rows, _ = _split(list(balance(_candidates(kinds), max_rows=None)))
    places = [at for at, row in enumerate(rows) if row.label == "success"]
    by_revision = sorted(rows, key=lambda row: row.revision)
    before = [at for at, row in enumerate(by_revision) if row.label == "success"]

    assert (sum(before) / 40 < 25, 33 < sum(places) / 40 < 46) == (True, True)


def _leads(rows: Sequence[Candidate]) -> dict[str, int]:
    """How many rows each comparing reader has right beyond those it has wrong."""
    versions, files = VersionDistances(), dict[tuple[str, str], list[Candidate]]()
    for row in rows:
        files.setdefault(file_of(row), []).append(row)
    leads: Counter[str] = Counter()
    for name, reader in comparison_baselines(versions).items():
        for mine in files.values():
            said = reader([versions.number(row.focal_code) for row in mine])
            right = [word == row.label for word, row in zip(said, mine, strict=True) if word]
            leads[name] += 2 * sum(right) - len(right)
    return leads


@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.5, 0.9]), st.sampled_from([0.0, 0.1, 0.5]))
@settings(max_examples=12)
def test_no_reader_gains_by_comparing(seed: int, survive: float, natural: float) -> None:
    """Whatever the sources gave: four rows in each of three languages at most."""
    candidates = population(repositories=6, files=3, survive=survive, natural=natural, seed=seed)
    rows, drops = _split(list(balance(candidates, max_rows=None)))

    assert len(rows) + len(drops) == len(candidates)
    assert all(abs(lead) <= LEAD * 3 for lead in _leads(rows).values())


def test_the_whole_population_tells_and_the_choice_does_not() -> None:
    """The same candidates: three of four labels by comparison before, a coin after."""
    candidates = population()
    rows, _ = _split(list(balance(candidates, max_rows=None)))
    before, after = _leads(candidates), _leads(rows)

    assert all(lead > 0.4 * len(candidates) for lead in before.values())
    assert (all(abs(lead) <= LEAD * 3 for lead in after.values()), len(rows) > 150) == (True, True)


def test_no_kind_is_over_half_of_the_failures() -> None:
    """Where the sources can give it; a changed file passes nearly as often as it fails."""
    rows, drops = _split(list(balance(population(), max_rows=None)))
    failures = Counter(row.subset for row in rows if row.label == "failed")
    passing = Counter(row.subset for row in rows if row.label == "success")

    assert failures["history"] == passing["history"]
    assert failures["mutated"] / (failures["mutated"] + passing["mutated"]) < 0.65
    assert passing["original"] - failures["original"] == failures["mutated"] - passing["mutated"] > 0
    assert max(failures.values()) <= sum(failures.values()) / 2
    assert "over_mix" in {drop.reason for drop in drops}


def test_a_stubborn_source() -> None:
    """Only mutants fail and none survives: pairs of one original and one mutant of a file, and no more."""
    rows, _ = _split(list(balance(population(survive=0, natural=0, history=0), max_rows=None)))
    labels = Counter((row.subset, row.label) for row in rows)

    assert labels["original", "success"] == labels["mutated", "failed"] == len(rows) / 2 > 50
    assert max(map(abs, _leads(rows).values())) <= LEAD * 3


def test_a_strict_mix_keeps_its_bounds() -> None:
    """However many rows that leaves out; of mutants alone nothing is left."""
    few = population(natural=0.02, history=0, repositories=12)
    free, _ = _split(list(balance(few, max_rows=None)))
    strict, _ = _split(list(balance(few, max_rows=None, mix=Quotas(strict=True))))
    kinds = Counter(row.subset for row in strict if row.label == "failed")
    only = population(natural=0, history=0, repositories=3)

    assert (2 * len(strict) < len(free), kinds["mutated"] <= kinds["original"]) == (True, True)
    assert _split(list(balance(only, max_rows=None, mix=Quotas(strict=True))))[0] == []


def test_a_kind_can_be_left_out() -> None:
    """A bound of nothing takes its rows away."""
    mix = Quotas(failures={**MOST, "mutated": 0})
    rows, _ = _split(list(balance(population(repositories=6), max_rows=None, mix=mix)))

    assert "mutated" not in {row.subset for row in rows} and rows


def test_no_repository_and_no_file_is_too_much() -> None:
    """Five per cent where there are repositories enough, and ten rows of a file."""
    large = population(repositories=1, files=60, seed=3)
    rows, drops = _split(list(balance([*large, *_others()], max_rows=None, shots=10)))
    repositories, files = Counter(row.repository for row in rows), Counter(map(file_of, rows))

    assert len(repositories) >= 20
    assert max(repositories.values()) <= 0.05 * (len(rows) - 10)
    assert max(files.values()) <= 10
    assert "over_repository_share" in {drop.reason for drop in drops}


def _others() -> list[Candidate]:
    rows = population(repositories=40, natural=0.1, history=0.8)
    return [row for row in rows if row.repository != "r0"]


def test_rows_per_file() -> None:
    """The bound is an option."""
    rows, _ = _split(list(balance(population(natural=0.3), max_rows=None, mix=Quotas(file_rows=2))))

    assert max(Counter(map(file_of, rows)).values()) == 2


def test_broken_rows_are_few() -> None:
    """They only fail and show it, so they are one failure in twenty; changed files pass beside them."""
    rows = [*population(natural=0.1), *_broken(40)]
    chosen, drops = _split(list(balance(rows, max_rows=None)))
    failed = Counter(row.subset for row in chosen if row.label == "failed")
    labels = Counter(row.label for row in chosen)

    assert 0 < failed["broken"] <= 0.05 * sum(failed.values())
    assert labels["success"] == labels["failed"]
    assert len([drop for drop in drops if "broken" in drop.detail]) == 40 - failed["broken"]


def _broken(count: int) -> list[Candidate]:
    return [
        candidate(at, repository=f"r{3 * at % 30}", lang="Python", subset="broken", label="failed")
        for at in range(count)
    ]


def test_a_row_of_two_kinds_is_one_row() -> None:
    """The state after a fix is the newest one: it stays as the partner of the state before."""
    made = [candidate(1, label="success"), candidate(1, label="success", subset="history", origin="after")]
    before = candidate(1, label="failed", subset="history", focal_code="x = 1\n")
    rows, drops = _split(list(balance([*made, before], max_rows=None)))

    assert {(row.subset, row.label) for row in rows} == {("history", "success"), ("history", "failed")}
    assert [(drop.reason, drop.detail) for drop in drops] == [("same_row", "as one that is history")]
