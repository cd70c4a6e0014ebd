"""A section of the report from an external package."""

from __future__ import annotations

import re
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from benchwright import registry
from benchwright.report.pipeline import write_report
from benchwright.report.section import page_sections
from kit.reported import STRONG, WEAK, run_of

MODULE = '''
"""The mean number of answers to a task, for each run."""

from benchwright.report.section import ChartSet, ReportSection, TrackRuns


def build(group: TrackRuns, _charts: ChartSet) -> dict[str, list[tuple[str, float]]] | None:
    rows = [(run.name, run.tally.total / len(group.tasks)) for run in group.runs]
    return {"rows": rows} if len(rows) > 1 else None


SECTION = ReportSection("answers_a_task", "answers_a_task.html", build, lambda _: "Answers a task", package="mean_answers")
'''
TEMPLATE = """<section id="answers_a_task{{ group.suffix }}" aria-labelledby="answers_a_task{{ group.suffix }}-title">
<h2 id="answers_a_task{{ group.suffix }}-title">Answers a task{{ draw.of_track(group, groups) }}</h2>
<dl class="facts">{% for name, mean in group.answers_a_task.rows %}<div><dt>{{ name }}</dt><dd>{{ mean }}</dd></div>{% endfor %}</dl>
</section>
"""


@pytest.fixture
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install the package: a module, a template, an entry point."""
    package = tmp_path / "site" / "mean_answers"
    (package / "templates").mkdir(parents=True)
    (package / "__init__.py").write_text(MODULE)
    (package / "templates" / "answers_a_task.html").write_text(TEMPLATE)
    monkeypatch.syspath_prepend(package.parent)
    point = EntryPoint("answers_a_task", "mean_answers:SECTION", "benchwright.sections")
    monkeypatch.setattr(registry, "_installed", lambda kind: {point.name: point} if kind == "section" else {})


@pytest.mark.usefixtures("added")
def test_it_follows_the_built_in_sections(tmp_path: Path) -> None:
    """It has an entry in the contents, and the style of the page."""
    runs = [run_of(tmp_path, "strong", STRONG), run_of(tmp_path, "weak", WEAK)]
    page = write_report(runs, tmp_path / "page.html").page.read_text()
    anchors = re.findall(r'<section id="([a-z_-]+)"', page)

    assert anchors.index("tasks") + 1 == anchors.index("answers_a_task") == anchors.index("all-tasks") - 1
    assert '<li><a href="#answers_a_task">Answers a task</a></li>' in page
    assert "<div><dt>strong</dt><dd>4.0</dd></div><div><dt>weak</dt><dd>4.0</dd></div>" in page


@pytest.mark.usefixtures("added")
def test_it_is_left_out_where_it_has_no_data(tmp_path: Path) -> None:
    """It is left out of the contents too."""
    page = write_report([run_of(tmp_path, "strong", STRONG)], tmp_path / "page.html").page.read_text()

    assert "answers_a_task" not in page


def test_built_in_sections_stand_in_the_order_of_the_registry() -> None:
    """Each has the registry's name, which is also the key of its data."""
    assert [each.name for each in page_sections()] == list(registry.SECTIONS)
