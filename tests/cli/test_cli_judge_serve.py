"""`judge serve` at the command line: what it refuses, what it prints, how it ends and goes on."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path

from kit.command_line import benchwright, called
from kit.processes import HANG_S
from kit.station_kit import issue_run
from kit.station_process import StationProcess


def test_a_station_is_started_ended_and_goes_on(tmp_path: Path) -> None:
    """The first start prints a link to the first account and makes a project; the next start finds both.

    Only its owner can read the lock of the database.
    """
    run = issue_run(tmp_path / "run", 3)
    there = StationProcess(tmp_path, run, "--judgements", 1)
    first = there.told
    there.set_up()
    ended = there.stop()
    there.owner = None
    there.start()
    again = there.told
    votes = benchwright("judge", "export", "--database", tmp_path / "station.sqlite", "--project", "none")
    there.stop()
    with sqlite3.connect(tmp_path / "station.sqlite") as connection:
        count = connection.execute("select count(*) from station_items").fetchone()
    connection.close()

    assert first["setup"].startswith(f"{first['address']}/setup?token=")
    assert (first["project"]["is_new"], first["project"]["items"], ended) == (True, 3, 0)
    assert (again["setup"], again["project"]["is_new"]) == (None, False)
    assert again["project"]["project_id"] == first["project"]["project_id"]
    assert (tmp_path / "errors.txt").read_text().count(
        "--judgements: the project already exists and keeps its settings"
    ) == 1
    assert votes.code == 1
    assert "is in use by process" in votes.err
    assert count == (3,)
    assert (tmp_path / "station.sqlite.lock").stat().st_mode & 0o077 == 0


def test_what_is_refused(tmp_path: Path) -> None:
    """Each with why and a hint, before anything listens."""
    run = issue_run(tmp_path / "run", 1)
    base = ["judge", "serve", run, "--database", tmp_path / "s.sqlite"]
    broken = tmp_path / "broken.sqlite"
    broken.write_bytes(b"this is no database" * 100)
    refused = [
        (["judge", "serve", "--database", tmp_path / "none.sqlite"], 2, "no run given"),
        ([*base, "--host", "0.0.0.0"], 2, "--public"),
        ([*base, "--host", "0.0.0.0", "--public"], 2, "unencrypted"),
        ([*base, "--behind-proxy", "127.0.0.1"], 2, "--allowed-host"),
        ([*base, "--allowed-host", "https://a.example"], 2, "is not a host name"),
        ([*base, "--judgements", "0"], 2, "judgements"),
        (["judge", "serve", tmp_path, "--database", tmp_path / "s.sqlite"], 1, "is not a run folder"),
        (["judge", "serve", run, "--database", broken], 1, "not a SQLite database"),
        (["judge", "serve", run, "--database", "mysql://x/y"], 2, "file path or a PostgreSQL address"),
    ]
    for words, code, said in refused:
        result = called(*words)
        assert (result.code, said in result.err) == (code, True), (words, result.err)
        assert "hint:" in result.err
    assert not (tmp_path / "none.sqlite").exists()


def test_without_the_extra_it_says_what_to_install(tmp_path: Path) -> None:
    """Exit code 3 and the command that installs it; --help needs nothing."""
    hide = "import sys; sys.modules['litestar'] = None; from benchwright.cli.main import main; sys.argv = {}; main()"

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        code = hide.format(json.dumps(["benchwright", *words]))
        return subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=HANG_S, check=False
        )

    absent, told = run("judge", "serve", str(tmp_path)), run("judge", "serve", "--help")

    assert absent.returncode == 3
    assert "hint: pip install 'benchwright[web]'" in absent.stderr
    assert (told.returncode, "--judgements" in told.stdout) == (0, True)


def test_help_loads_no_module_of_the_web() -> None:
    """The list of commands and the help of this one cost what they did."""
    code = (
        "import sys\nfrom benchwright.cli.main import cli\n"
        "try:\n    cli.main(['judge', 'serve', '--help'])\nexcept SystemExit: pass\n"
        "print(sorted({name.split('.')[0] for name in sys.modules} & {'litestar', 'sqlalchemy', 'jinja2', 'uvicorn'}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=HANG_S, check=True
    )

    assert done.stdout.splitlines()[-1] == "[]"
