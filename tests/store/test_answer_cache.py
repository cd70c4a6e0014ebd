"""The cache of answers: hits, refusals, and its size."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from benchwright.errors import RunError
from benchwright.records import Answer
from benchwright.store.answer_cache import AnswerCache
from kit.mounted import mounted
from kit.processes import HANG_S


def answer(key: str = "k", text: str = "return 1", **fields: object) -> Answer:
    """Return an answer of a run."""
    return Answer(key=key, task_id="T/1", sample=0, model="openai:m", text=text, **fields)  # type: ignore[arg-type]


def cache(folder: Path, **options: int) -> AnswerCache:
    """Return a cache for this test."""
    return AnswerCache(folder / "kept" / "answers.sqlite3", **options)


def test_what_was_kept_is_found_by_a_later_run(tmp_path: Path) -> None:
    said = answer(text="ответ\n🙂", tokens_in=3, finish_reason="stop", reasoning="because")
    with cache(tmp_path) as first:
        first.keep([("a", said), ("b", answer("b"))])
    with cache(tmp_path) as second:
        found = second.find(["a", "none", "b"])

    assert set(found) == {"a", "b"}
    assert replace(found["a"], cached="") == said and found["a"].cached.endswith("+00:00")


def test_the_first_answer_under_a_key_stays(tmp_path: Path) -> None:
    with cache(tmp_path) as kept:
        kept.keep([("a", answer(text="first"))])
        kept.keep([("a", answer(text="second"))])
        assert kept.find(["a"])["a"].text == "first"


def test_more_keys_than_one_statement_takes(tmp_path: Path) -> None:
    with cache(tmp_path) as kept:
        kept.keep((str(number), answer(text=str(number))) for number in range(1_700))
        found = kept.find([str(number) for number in range(-100, 1_700)])
    assert {key: each.text for key, each in found.items()} == {str(n): str(n) for n in range(1_700)}


@given(texts=st.lists(st.text(max_size=40), max_size=6))
def test_any_text_comes_back(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    with cache(tmp_path_factory.mktemp("any")) as kept:
        kept.keep((str(place), answer(text=text)) for place, text in enumerate(texts))
        found = kept.find([str(place) for place in range(len(texts))])
    assert [found[str(place)].text for place in range(len(texts))] == texts


def test_nothing_is_made_by_looking_at_its_size(tmp_path: Path) -> None:
    with cache(tmp_path) as kept:
        assert kept.size()[1:3] == (0, 0)
    assert not list(tmp_path.iterdir())


def test_what_was_used_longest_ago_goes_first(tmp_path: Path) -> None:
    most = 600_000
    with cache(tmp_path, most=most) as kept:
        for number in range(60):
            kept.keep([(f"{number:02}", answer(text=os.urandom(6_000).hex()))])
            _age(kept.path, f"{number:02}", number)
        kept.find(["00"])
        kept.keep([(f"x{number}", answer(text=os.urandom(6_000).hex())) for number in range(20)])
        found = kept.find(["00", "01", "x0", "x19"])
    with cache(tmp_path) as kept:
        assert kept.size().size < 1.5 * most
    assert "00" in found and "01" not in found and {"x0", "x19"} <= set(found)


def _age(path: Path, key: str, second: int) -> None:
    """Set the last use of an answer to this number of seconds after the start of a past year."""
    with sqlite3.connect(path) as database:
        used = f"2020-01-01T00:00:{second:02}+00:00"
        database.execute("UPDATE answers SET used = ? WHERE key = ?", (used, key))
    database.close()


def test_a_damaged_entry_is_not_there_and_is_removed(tmp_path: Path) -> None:
    with cache(tmp_path) as kept:
        kept.keep([("a", answer()), ("b", answer())])
    with sqlite3.connect(kept.path) as database:
        database.execute("UPDATE answers SET body = substr(body, 1, 12) WHERE key = 'a'")
    database.close()
    with cache(tmp_path) as kept:
        assert set(kept.find(["a", "b"])) == {"b"}
        assert kept.size().answers == 1


def test_a_damaged_file_is_an_error_with_the_command_that_mends_it(tmp_path: Path) -> None:
    with cache(tmp_path) as kept:
        kept.keep([("a", answer())])
    kept.path.write_bytes(b"no database at all" * 400)
    with (
        cache(tmp_path) as kept,
        pytest.raises(RunError, match="cannot be used: file is not a database") as caught,
    ):
        kept.find(["a"])
    assert str(kept.path) in (caught.value.hint or "")
    kept.clear()
    with cache(tmp_path) as kept:
        assert kept.find(["a"]) == {}


def test_what_others_may_write_to_is_not_used(tmp_path: Path) -> None:
    with cache(tmp_path) as kept:
        kept.keep([("a", answer())])
    assert stat.S_IMODE(kept.path.stat().st_mode) == 0o600
    kept.path.chmod(0o666)
    with cache(tmp_path) as kept, pytest.raises(RunError, match="others may write to it"):
        kept.find(["a"])


def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir(mode=0o700)
    (tmp_path / "kept" / "answers.sqlite3").symlink_to(tmp_path / "elsewhere")
    with cache(tmp_path) as kept, pytest.raises(RunError, match="cannot be used"):
        kept.keep([("a", answer())])
    assert not (tmp_path / "elsewhere").exists()


FULL = """
import os, sys
from pathlib import Path
from benchwright.errors import RunError
from benchwright.records import Answer
from benchwright.store.answer_cache import AnswerCache
path = Path(sys.argv[1]) / "kept" / "answers.sqlite3"
try:
    with AnswerCache(path) as kept:
        for number in range(60):
            text = os.urandom(20_000).hex()
            kept.keep([(str(number), Answer(key=str(number), task_id="T", sample=0, model="m", text=text))])
except RunError as error:
    print(error.message)
with AnswerCache(path) as kept:
    print(sorted(kept.find(["0", "none"])))
"""


def test_a_full_disk_is_told_and_what_was_kept_stays(tmp_path: Path) -> None:
    said = mounted(f"mount -t tmpfs -o size=512k none {tmp_path}", FULL, tmp_path).splitlines()

    assert "cannot be used: database or disk is full" in said[0]
    assert said[1] == "['0']"


_WRITER = """
import sys
from pathlib import Path
from benchwright.records import Answer
from benchwright.store.answer_cache import AnswerCache
with AnswerCache(Path(sys.argv[1])) as kept:
    for number in range(40):
        key = f"{sys.argv[2]}-{number}"
        kept.keep([(key, Answer(key=key, task_id="T", sample=0, model="m", text=key))])
"""


def test_two_processes_keep_all_of_their_answers(tmp_path: Path) -> None:
    path = cache(tmp_path).path
    writers = [subprocess.Popen([sys.executable, "-c", _WRITER, str(path), name]) for name in "ab"]
    assert [each.wait(HANG_S) for each in writers] == [0, 0]
    with cache(tmp_path) as kept:
        found = kept.find([f"{name}-{number}" for name in "ab" for number in range(40)])
    assert len(found) == 80 and all(each.text == key for key, each in found.items())
