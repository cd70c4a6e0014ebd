"""The card: equal facts give equal bytes, hostile names stay in their cells, nothing unmeasured has a figure."""

from __future__ import annotations

from msgspec.structs import replace

from benchwright.building.alignment.card import CardFacts, card, tally_of_links
from benchwright.building.alignment.indicators import (
    DataIndicator,
    DataIndicators,
    LabelAgreement,
    functionality,
    interpretability,
    reliability,
    share_of,
)
from benchwright.building.alignment.project_sheets import project_sheet
from benchwright.building.alignment.records import MinedRepository
from benchwright.building.engine.stages import FunnelLevel
from kit.made_alignment import REPO, feedback, links, trajectories

UNMEASURED = DataIndicators(
    functionality=functionality(links(), feedback(), {}, {}),
    reliability=reliability([], []),
    interpretability=interpretability(links(), None),
)


def _facts() -> CardFacts:
    mined = MinedRepository(
        name=REPO, place="", events="e", digest="d", licence="MIT", head="a" * 40, kinds={"issue_opened": 4}
    )
    return CardFacts(
        name="made",
        made_by="benchwright 1",
        tables={"links": 6},
        levels=[FunnelLevel(stage="links", unit="links", considered=7, kept=6, dropped={"no_place": 1})],
        links=tally_of_links(links()),
        indicators=UNMEASURED,
        licences={"MIT": 1},
        first_at="2024-03-01T10:00:00Z",
        last_at="2024-03-12T10:00:00Z",
        projects=[
            project_sheet(
                mined,
                trajectories(),
                root=["pyproject.toml", "tests", "Makefile", "x"],
                languages={"Go": 1, "Python": 9},
            )
        ],
    )


def test_links_are_counted_by_rung_or_state() -> None:
    assert tally_of_links(links()) == {"0": 1, "1": 1, "3": 2, "7": 1, "unknown": 1}


def test_equal_facts_give_equal_bytes() -> None:
    assert card(_facts()) == card(_facts())


def test_the_card_has_each_section() -> None:
    text = card(_facts())

    for part in ("Links", "Indicators", "Licences", "Projects", "What was left out", "Limits", "Removal"):
        assert f"\n## {part}\n" in text
    assert "| 3 | line tracking | 2 | not measured: no link of it was labelled by people | 0 |" in text
    assert "| links (links) | 7 | 6 | 1 no_place |" in text
    assert "Time range: 2024-03-01 to 2024-03-12." in text
    assert "| unknown | 1 |" in text.replace("| – ", "", 1)


def test_a_project_sheet_names_build_test_and_commands() -> None:
    (sheet,) = _facts().projects

    assert sheet.build == ["make", "Python package"]
    assert sheet.test == ["folder tests"]
    assert sheet.commands == ["make", "python -m pip install ."]
    assert sheet.languages == ["Python", "Go"]
    assert (sheet.issues, sheet.pulls, sheet.outcomes) == (4, 2, {"merged": 2})


def test_a_measured_figure_has_its_interval_and_count() -> None:
    precise = share_of("3", "line tracking", [True] * 19 + [False], why="", unsure=2)
    measured = replace(
        UNMEASURED,
        reliability=[precise],
        agreement=LabelAgreement(
            links=20,
            people=2,
            figures={"cohen": 0.81, "ac1": None},
            why={"ac1": "few"},
            intervals={"cohen": (0.5, 1.0)},
        ),
    )
    text = card(replace(_facts(), indicators=measured, contact="data@example.org"))

    assert "| 3 | line tracking | 2 | 0.950 (0.764 to 0.991) | 20 |" in text
    assert "2 people labelled 20 links: cohen 0.81 (0.50 to 1.00), ac1 not measured (few)." in text
    assert "write to data@example.org" in text


def test_names_cannot_break_a_table() -> None:
    hostile = replace(_facts(), name="a|b\n# c", licences={"x|y\n": 1}, notes=["n\n## Removal"])
    text = card(hostile)

    assert "\n# c" not in text
    assert text.count("\n## Removal\n") == 1


def test_an_indicator_tells_its_state() -> None:
    assert DataIndicator(name="a", about="b").state == "not measured"
    assert share_of("a", "b", [True], why="").state == "measured"
