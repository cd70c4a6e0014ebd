"""Append-only files: complete lines in any event, one writer, canonical order at the end."""

from __future__ import annotations

import gc
import itertools
import json
import random
import resource
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.errors import DataError, RunError
from benchwright.records import Answer
from benchwright.store import writing
from benchwright.store.writing import Appender, FinalizedCounts, Head, finalize, read_records
from kit.needs import need_that
from kit.processes import open_files


def answer(sample: int, text: str = "x", *, task: int = 0, error: str | None = None) -> Answer:
    """Return one answer."""
    return Answer(
        key=f"{task:016x}{sample:016x}", task_id=task, sample=sample, model="m", text=text, error=error
    )


def rank(head: Head) -> int:
    """Return the canonical rank: by task, four samples each."""
    return int(head.task_id) * 4 + head.sample


def write(path: Path, *answers: Answer) -> None:
    """Append some answers."""
    with Appender(path) as writer:
        for each in answers:
            writer.append(each)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_what_is_appended_is_read(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    """Records come back in order, with any text, including line ends."""
    path = tmp_path_factory.mktemp("run") / "answers.jsonl"
    answers = [answer(index, text) for index, text in enumerate(texts)]
    write(path, *answers)

    assert answers == list(read_records(path, Answer))


def test_a_batch_is_one_write(tmp_path: Path) -> None:
    """A batch and single records give the same file."""
    answers = [answer(0), answer(1)]
    write(tmp_path / "single", *answers)
    with Appender(tmp_path / "batch") as writer:
        writer.append_all(answers)
        writer.append_all([])

    assert (tmp_path / "single").read_bytes() == (tmp_path / "batch").read_bytes()


@pytest.mark.parametrize("tail", [b"", b"{", b'{"key": "\xd0', b"x" * 200_000])
def test_a_torn_last_line_is_cut_and_counted(tmp_path: Path, tail: bytes) -> None:
    """Bytes after the last line end are removed, and nothing before it."""
    path = tmp_path / "answers.jsonl"
    write(path, answer(0), answer(1))
    with path.open("ab") as file:
        file.write(tail)
    with Appender(path) as writer:
        writer.append(answer(2))

    assert (len(tail), [0, 1, 2]) == (writer.cut, [row.sample for row in read_records(path, Answer)])


def test_a_file_of_one_torn_line_becomes_empty(tmp_path: Path) -> None:
    """The first write may be the incomplete one."""
    path = tmp_path / "answers.jsonl"
    path.write_bytes(b'{"key"')
    with Appender(path) as writer:
        size = path.stat().st_size

    assert (writer.cut, size) == (6, 0)


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    """Lines of two runs never mix; after the first is closed the second may write."""
    path = tmp_path / "answers.jsonl"
    with Appender(path), pytest.raises(RunError) as caught:
        Appender(path)
    write(path, answer(0))

    assert "--out OTHER" in (caught.value.hint or "")


def test_a_refused_writer_leaves_no_open_file(tmp_path: Path) -> None:
    """A refusal leaves no descriptor open."""
    path = tmp_path / "answers.jsonl"
    with Appender(path):
        before = open_files()
        with pytest.raises(RunError):
            Appender(path)
        after = open_files()

    assert after <= before


def test_a_folder_that_is_not_there_is_a_run_error(tmp_path: Path) -> None:
    """The message has the file."""
    with pytest.raises(RunError, match="cannot be written"):
        Appender(tmp_path / "none" / "answers.jsonl")


def test_half_a_surrogate_pair_is_written_as_a_replacement(tmp_path: Path) -> None:
    """A truncated emoji of a model does not end the run, and the rest of the text stays."""
    path = tmp_path / "answers.jsonl"
    write(path, answer(0, "a\ud83d b 😀"))

    assert [row.text for row in read_records(path, Answer)] == ["a\ufffd b 😀"]


@pytest.mark.parametrize("line", [b"{}", b"[1]", b'{"key": "a", "sam', b"\xff", b"[" * 3000, b""])
def test_a_corrupt_middle_line_is_reported_with_its_number(tmp_path: Path, line: bytes) -> None:
    """Damage is never skipped silently."""
    path = tmp_path / "answers.jsonl"
    write(path, answer(0))
    path.write_bytes(path.read_bytes() + line + b"\n" + path.read_bytes())
    rows = read_records(path, Answer)
    first = next(rows)
    with pytest.raises(DataError) as caught:
        next(rows)

    assert (first.sample, caught.value.line, "sed -n 2p" in (caught.value.hint or "")) == (0, 2, True)


def test_a_torn_line_is_reported_or_skipped_as_asked(tmp_path: Path) -> None:
    """A finished file must be complete; a running one may be read."""
    path = tmp_path / "answers.jsonl"
    write(path, answer(0))
    path.write_bytes(path.read_bytes() + b'{"key"')
    with pytest.raises(DataError) as caught:
        list(read_records(path, Answer))

    assert (caught.value.line, len(list(read_records(path, Answer, torn="skip")))) == (2, 1)


def test_any_order_of_arrival_gives_the_same_bytes(tmp_path: Path) -> None:
    """Two runs of the same inputs end in identical bytes."""
    answers = [answer(sample, f"text {task} {sample}", task=task) for task in range(3) for sample in range(4)]
    write(tmp_path / "0", *answers)
    expected = (tmp_path / "0").read_bytes()
    for seed in range(1, 6):
        shuffled = answers[:]
        random.Random(seed).shuffle(shuffled)
        write(tmp_path / str(seed), *shuffled)
        finalize(tmp_path / str(seed), rank)

    assert [expected] * 5 == [(tmp_path / str(seed)).read_bytes() for seed in range(1, 6)]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=20), st.sampled_from([1, 1 << 32]))
def test_the_last_row_of_a_rank_stays(
    tmp_path_factory: pytest.TempPathFactory, places: list[tuple[int, int]], far: int
) -> None:
    """A retried answer replaces the earlier one, and the counts add up, for any size of the file."""
    path = tmp_path_factory.mktemp("run") / "answers.jsonl"
    numbered = [answer(sample, str(index), task=task) for index, (task, sample) in enumerate(places)]
    write(path, *numbered)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writing, "_FAR", far)
        done = finalize(path, rank)
    last = {(row.task_id, row.sample): row for row in numbered}
    expected = [last[place] for place in sorted(last)]

    assert list(read_records(path, Answer)) == expected
    assert done == FinalizedCounts(len(expected), len(places) - len(expected))


def test_finalizing_twice_changes_nothing(tmp_path: Path) -> None:
    """An ordered file is not rewritten."""
    path = tmp_path / "answers.jsonl"
    write(path, answer(1), answer(0))
    finalize(path, rank)
    before = path.stat().st_ino
    second = finalize(path, rank)

    assert (FinalizedCounts(2, 0), before) == (second, path.stat().st_ino)


def test_finalizing_cuts_a_torn_tail_and_keeps_an_empty_file(tmp_path: Path) -> None:
    """The last stage finds the same incomplete lines as the first."""
    path = tmp_path / "answers.jsonl"
    path.write_bytes(b'{"torn')

    assert (FinalizedCounts(0, 0), b"") == (finalize(path, rank), path.read_bytes())


def test_a_row_outside_the_plan_is_refused(tmp_path: Path) -> None:
    """An order without the row must not drop it."""
    path = tmp_path / "answers.jsonl"
    write(path, answer(0))
    with pytest.raises(RunError, match="not part of this run"):
        finalize(path, lambda head: -1)

    assert len(list(read_records(path, Answer))) == 1


def test_a_file_that_is_being_written_is_not_finalized(tmp_path: Path) -> None:
    """Replacing it would lose later writes."""
    path = tmp_path / "answers.jsonl"
    with Appender(path) as writer, pytest.raises(RunError, match="written by another run"):
        finalize(path, rank)
    writer.close()

    assert path.exists()


def test_finalizing_takes_flat_memory(tmp_path: Path) -> None:
    """Forty megabytes of answers are sorted with their offsets only."""
    path = tmp_path / "answers.jsonl"
    write(path, *(answer(index % 4, "y" * 20_000, task=index // 4) for index in reversed(range(2000))))
    gc.collect()
    tracemalloc.start()
    done = finalize(path, rank)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert (done.kept, peak < 1_000_000) == (2000, True)


def test_a_full_disk_loses_nothing_written_before(tmp_path: Path) -> None:
    """A partial write is undone, and the same writer continues when there is space."""
    path = tmp_path / "answers.jsonl"
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    with Appender(path) as writer:
        writer.append(answer(0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 50, limits[1]))
        try:
            with pytest.raises(RunError) as caught:
                writer.append(answer(1, "y" * 500))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        writer.append(answer(2))

    rows = [row.sample for row in read_records(path, Answer)]
    assert (rows, "free some space" in (caught.value.hint or "")) == ([0, 2], True)


SMALL_DISK = """
import sys
from pathlib import Path
from benchwright.errors import RunError
from benchwright.records import Answer
from benchwright.store import writing
from benchwright.store.writing import Appender, read_records
path = Path(sys.argv[1]) / "answers.jsonl"
written = 0
with Appender(path) as writer:
    try:
        while written < 10_000:
            text = "y" * 700
            writer.append(Answer(key=str(written), task_id=0, sample=written, model="m", text=text))
            written += 1
    except RunError as error:
        print(written, sum(1 for _ in read_records(path, Answer)), "disk is full" in error.message)
"""


def test_a_disk_that_is_really_full_is_a_run_error(tmp_path: Path) -> None:
    """On a file system of 64 kB all rows before the error are complete."""
    script = (
        f"mount -t tmpfs -o size=64k none {tmp_path} && exec {sys.executable} -c '{SMALL_DISK}' {tmp_path}"
    )
    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script],
        capture_output=True,
        text=True,
        check=False,
    )
    forbidden = "mount" in done.stderr or "unshare" in done.stderr
    need_that(not forbidden, f"no small file system can be made here: {done.stderr.strip()}")
    written, read, named = done.stdout.split()

    assert (written, "True", True) == (read, named, int(written) > 50)


def test_numbers_of_records_do_not_slow_appending(tmp_path: Path) -> None:
    """Each record is exactly one line, whatever it contains."""
    path = tmp_path / "answers.jsonl"
    write(path, *(answer(0, text) for text in ("\n", "\r\n", "\u2028", "\0", '"', "\\")))

    lines = path.read_bytes().split(b"\n")
    assert (sum(1 for line in itertools.islice(lines, 6) if json.loads(line)), lines[6]) == (6, b"")
