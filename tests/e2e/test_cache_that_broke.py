"""The cache of data sets by name: a full disk, a read-only folder, a damaged copy, and two processes at once."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from kit.command_line import called
from kit.mounted import mounted
from kit.named import CONTENT, made_data, only_known, packed
from kit.own_rows import CALLS, own_file
from kit.processes import HANG_S

COMMAND = [sys.executable, "-m", "benchwright"]
# Gets a data set of 400,000 bytes into the folder `disk`, whatever that is, and says how it ended and what is left.
GET = """
import json, sys
from pathlib import Path
from kit.command_line import called
from kit.named import CONTENT, made_data, only_known, packed
folder, content = Path(sys.argv[1]), CONTENT * 2000
(folder / "mirror.gz").write_bytes(packed(content))
with only_known(folder / "disk", made_data(content, rows=2000)):
    said = called("data", "get", "own-twice", "--from", folder / "mirror.gz")
    listed = called("data", "list", folder.parent / "none", "--json")
print(json.dumps([said.code, said.err, [each.name for each in (folder / "disk").rglob("*") if each.is_file()]]))
"""


@pytest.mark.parametrize(
    ("mounting", "why"),
    [
        ("mount -t tmpfs -o size=64k none {}/disk", "No space left on device"),
        ("mount -t tmpfs -o ro none {}/disk", "Read-only file system"),
    ],
    ids=["full", "read-only"],
)
def test_a_disk_that_takes_nothing_is_told_by_its_folder(tmp_path: Path, mounting: str, why: str) -> None:
    """Why, where, and how to name another; no half of a file is left."""
    (tmp_path / "disk").mkdir()

    code, told, left = json.loads(mounted(mounting.format(tmp_path), GET, tmp_path))

    assert (code, left) == (1, [])
    assert f"own-twice cannot be stored in {tmp_path}/disk/data: {why}" in told
    assert "hint: BENCHWRIGHT_CACHE=FOLDER" in told and "Traceback" not in told


def test_a_read_only_cache_that_has_it_serves(tmp_path: Path) -> None:
    """Nothing is written where nothing is missing."""
    program = GET.replace('(folder / "mirror.gz").write_bytes(packed(content))', "")
    with only_known(tmp_path / "disk", made_data(CONTENT * 2000, rows=2000)):
        (tmp_path / "mirror.gz").write_bytes(packed(CONTENT * 2000))
        assert called("data", "get", "own-twice", "--from", tmp_path / "mirror.gz").code == 0
    disk = tmp_path / "disk"
    bound = f"mount --bind {disk} {disk} && mount -o remount,ro,bind {disk}"

    code, told, left = json.loads(mounted(bound, program, tmp_path))

    assert (code, told, len(left)) == (0, "", 1)


def test_a_damaged_copy_is_no_data_set(tmp_path: Path) -> None:
    """Without a network it is told as one that is not here; from a file it is mended."""
    (tmp_path / "mirror.gz").write_bytes(packed())
    get = ("data", "get", "own-twice", "--from", tmp_path / "mirror.gz")
    with only_known(tmp_path / "cache", made_data()):
        kept = Path(called(*get).out.strip())
        kept.write_bytes(kept.read_bytes()[:-7])
        listed = called("data", "list", "--json", cwd=tmp_path).document
        said = called("check", "own-twice", cwd=tmp_path)
        mended, checked = called(*get), called("check", "own-twice", cwd=tmp_path)

    assert [each["here"] for each in listed if each["named"]] == [False]
    assert (said.code, "own-twice cannot be downloaded" in said.err, "hint: " in said.err) == (1, True, True)
    assert (mended.code, checked.code, kept.read_bytes()) == (0, 0, CONTENT)


@pytest.mark.usefixtures("jail")
def test_two_runs_into_one_folder_at_once(tmp_path: Path) -> None:
    """One of them scores; the other finds it done, or is told that the folder is in use. The run is whole."""
    own_file(tmp_path, CALLS)
    run = [*COMMAND, "run", "own", "--data", "own.jsonl", "--model", "gold:", "--out", "run", "--json"]
    both = [
        subprocess.Popen(run, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    told = [each.communicate(timeout=HANG_S)[1] for each in both]
    ends = [each.returncode for each in both]

    assert sorted(ends) in ([0, 0], [0, 1]), told
    assert all("hint: " in text for text, code in zip(told, ends, strict=True) if code)
    assert not any("Traceback" in text for text in told)
    assert called("show", "run", "--json", cwd=tmp_path).code == 0
