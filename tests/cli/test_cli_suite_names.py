"""What a suite calls its runs, what its page shows of runs without a score, and which of its files are faulty."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from kit.command_line import Said, benchwright, called
from kit.small_data import answers, humaneval, mera

NOWHERE = 'model = "openai:small"\nbase-url = "http://127.0.0.1:9/v1"\nretries = 0\n'
MODELS = '[[models]]\nname = "last week"\nmodel = "gold:"\n[[models]]\nname = "слабая"\nmodel = "stub:"\n'
FAILING = f'[[models]]\nname = "away"\n{NOWHERE}tracks = ["en"]\n'
EN = '[[tracks]]\nname = "en"\ntrack = "humaneval"\ndata = "en.jsonl"\n'
RU = '[[tracks]]\nname = "ru"\ntrack = "ruhumaneval"\ndata = "ru.json"\n'


def suite(folder: Path, text: str, *more: object) -> Said:
    """A suite of this text, run beside its data."""
    if not (folder / "en.jsonl").exists():
        humaneval(folder, 3).rename(folder / "en.jsonl")
        mera(folder, 3).rename(folder / "ru.json")
    (folder / "mine.toml").write_text(text, encoding="utf-8")
    return called("suite", "mine.toml", *more, cwd=folder)


def page(folder: Path) -> str:
    """The suite's page."""
    return (folder / "runs" / "mine" / "report.html").read_text(encoding="utf-8")


@pytest.mark.usefixtures("jail")
def test_names_failures_and_parts(tmp_path: Path) -> None:
    """Names are on the page and in rankings, a failed run is a row that says why, and `--only` keeps the rest;
    the suite's folder stands for its runs."""
    said = suite(tmp_path, MODELS + FAILING + EN + RU)
    first = page(tmp_path)
    part = suite(tmp_path, MODELS + FAILING + EN + RU, "--only", "ru/слабая")
    second = page(tmp_path)
    runs = tmp_path / "runs" / "mine"
    ranked = called("rank", runs, "--json")
    reported = called("report", runs, "--out", tmp_path / "again.html")
    globbed = called("report", *sorted(runs.iterdir()), "--out", tmp_path / "third.html")
    pair = sorted(each for each in runs.glob("en-*") if (each / "scores.json").exists())
    compared = called("compare", *pair)

    assert (said.code, part.code, ranked.code, reported.code, globbed.code) == (1, 0, 0, 0, 0)
    for html in (first, second, *((tmp_path / name).read_text() for name in ("again.html", "third.html"))):
        rows = re.findall(r"<tr><td>(.*?)</td><th scope=\"row\">(.*?)</th><td>(.*?)</td></tr>", html)
        assert [row[1] for row in rows] == ["away"]
        assert rows[0][2]
        assert html.count("last week") > 4
        assert html.count("слабая") > 4
        assert html.count('class="track"') == 2
    names = [row["name"] for track in ranked.document["tracks"] for row in track["places"]]
    assert sorted(names) == ["last week", "last week", "слабая", "слабая"]
    assert "not ranked: away on humaneval" in ranked.err
    assert "last week" in compared.out + compared.err


@pytest.mark.usefixtures("jail")
def test_a_name_is_given_to_a_run_that_is_there(tmp_path: Path) -> None:
    """Of stored answers too, whose file has another name; run.json keeps the name."""
    answers(tmp_path, 3, outcomes=("passed",))
    model = '[[models]]\nname = "{}"\nmodel = "replay:answers.jsonl"\n'
    suite(tmp_path, model.format("yesterday") + EN)
    [folder] = (tmp_path / "runs" / "mine").glob("*/run.json")

    assert json.loads(folder.read_text())["name"] == "yesterday"
    assert "yesterday" in page(tmp_path)


GOLD = '[[models]]\nmodel = "gold:"\n'
FAULTY = {
    "empty": "",
    "no models": EN,
    "no tracks": GOLD,
    "unknown key": GOLD + "tempreature = 1\n" + EN,
    "unknown key of the suite": "tempreature = 1\n" + GOLD + EN,
    "a model twice": GOLD + GOLD + EN,
    "a track twice": GOLD + EN + EN,
    "a value that is no share": f'{GOLD}{EN}[[fail-under]]\nmeasure = "pass@1"\nvalue = 60\n',
    "a value that is no number": f'{GOLD}{EN}[[fail-under]]\nmeasure = "pass@1"\nvalue = "a"\n',
    "broken": "[[models]\n",
    "one table": '[models]\nmodel = "gold:"\n' + EN,
    "a path as a name": GOLD + EN.replace('"en"', '"../../escape"'),
    "a folder above": GOLD + EN.replace('"en"', '".."'),
    "a part of a path": '[[models]]\nname = "a/b"\nmodel = "gold:"\n' + EN,
    "a long name": GOLD + EN.replace('"en"', f'"{"e" * 5000}"'),
    "a control character": GOLD + EN.replace('"en"', '"a\\u0007b"'),
    "a long folder": f'out = "{"o" * 5000}"\n{GOLD}{EN}',
    "a long file": GOLD + EN.replace("en.jsonl", "d" * 5000),
    "a wrong number": GOLD + "n = 0\n" + EN,
    "an unknown track": GOLD + EN.replace("humaneval", "humanevil"),
}


@pytest.mark.parametrize("fault", FAULTY)
def test_a_faulty_file_is_no_missed_threshold(tmp_path: Path, fault: str) -> None:
    """Exit code 2, a short reason with a hint, and nothing is written."""
    said = suite(tmp_path, FAULTY[fault])
    outside = [each.name for each in tmp_path.parent.iterdir() if each.name.startswith("escape")]

    assert (said.code, "hint:" in said.err, len(said.err) < 1500) == (2, True, True), said.err
    assert (outside, (tmp_path / "runs").exists()) == ([], False)


def test_a_folder_without_scores_is_refused(tmp_path: Path) -> None:
    """With what makes some, through a process of its own."""
    run = tmp_path / "runs" / "a"
    run.mkdir(parents=True)
    (run / "run.json").write_text('{"identity": {"track": "humaneval"}, "model": "gold:"}')
    said = [benchwright(command, tmp_path / "runs") for command in ("report", "rank")]

    assert [each.code for each in said] == [1, 1]
    assert all("has a score" in each.err for each in said)


@pytest.mark.usefixtures("jail")
def test_tracks_of_one_kind_have_pages_of_their_own(tmp_path: Path) -> None:
    """Different data are on no page together: it is said why, and where each track's page is."""
    humaneval(tmp_path, 2).rename(tmp_path / "two.jsonl")
    two = EN.replace('"en', '"two')
    said = suite(tmp_path, MODELS + EN + two)
    runs = tmp_path / "runs" / "mine"

    assert said.code == 0 and "no common report: these runs cannot be compared" in said.err
    assert [each.name for each in sorted(runs.glob("*.html"))] == ["report-en.html", "report-two.html"]
    assert all(f"report on {name}: " in said.err for name in ("en", "two"))
    for name in ("en", "two"):
        html = (runs / f"report-{name}.html").read_text(encoding="utf-8")
        assert "last week" in html and "слабая" in html
