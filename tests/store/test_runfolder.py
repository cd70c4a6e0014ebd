"""Run folders: resumed only by the same run, byte-stable, and readable while they are written."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import BenchwrightError, RunError, UsageError
from benchwright.records import Answer, Event, Isolation, Outcome, Verdict
from benchwright.store.atomic_files import is_locked
from benchwright.store.keys import content_key
from benchwright.store.runfolder import Mode, RunFolder
from benchwright.store.writing import Head, read_records

IDENTITY = {
    "data": "abc",
    "track": "humaneval",
    "model": {"scheme": "replay", "sha256": "0" * 64, "temperature": 0.6},
    "n": 10,
    "profile": "strict",
    "limits": {"cpu_s": 3.0},
    "prompts": ["base"],
}
MANIFEST = {"identity": IDENTITY, "started": "2026-01-01T00:00:00+00:00", "host": {"cpus": 2}}


def answer(sample: int, *, error: str | None = None) -> Answer:
    """Return one answer."""
    key = content_key("answer", sample)
    return Answer(key=key, task_id="t", sample=sample, model="m", text=str(sample), error=error)


def verdict(sample: int, outcome: Outcome = Outcome.passed) -> Verdict:
    """Return one verdict."""
    return Verdict(
        key=content_key("verdict", sample),
        task_id="t",
        sample=sample,
        outcome=outcome,
        isolation=Isolation.separated,
        profile="strict",
    )


def refuse(path: Path, manifest: dict[str, Any], mode: Mode) -> RunError:
    """Return the error for opening a folder."""
    with pytest.raises(RunError) as caught:
        RunFolder.open(path, manifest, mode=mode)
    return caught.value


def test_a_new_run_writes_its_manifest(tmp_path: Path) -> None:
    """`run.json` exists before the first answer, in a folder that is created with its parents."""
    path = tmp_path / "runs" / "one"
    with RunFolder.open(path, MANIFEST, mode="new") as folder:
        actual = json.loads((path / "run.json").read_text())

    assert (actual, folder.manifest) == (MANIFEST, MANIFEST)


def test_the_manifest_is_byte_stable(tmp_path: Path) -> None:
    """The order of given fields has no effect."""
    turned = {**dict(reversed(MANIFEST.items())), "identity": dict(reversed(IDENTITY.items()))}
    RunFolder.open(tmp_path / "a", MANIFEST, mode="new").close()
    RunFolder.open(tmp_path / "b", turned, mode="new").close()

    assert (tmp_path / "a" / "run.json").read_bytes() == (tmp_path / "b" / "run.json").read_bytes()


@pytest.mark.parametrize("mode", ["resume", "either"])
def test_an_equal_run_is_continued(tmp_path: Path, mode: Mode) -> None:
    """Times and host may differ; the first manifest stays."""
    RunFolder.open(tmp_path, MANIFEST, mode="either").close()
    later = {"identity": {**IDENTITY, "prompts": ("base",)}, "started": "2027-01-01T00:00:00+00:00"}
    with RunFolder.open(tmp_path, later, mode=mode) as folder:
        actual = folder.manifest

    assert actual == MANIFEST


def test_a_different_run_is_refused_field_by_field(tmp_path: Path) -> None:
    """Each differing field is listed with both values, and there is a hint."""
    RunFolder.open(tmp_path, MANIFEST, mode="new").close()
    other = {**IDENTITY, "n": 5, "model": {**IDENTITY["model"], "temperature": 0.8}, "extra": True}
    error = refuse(tmp_path, {"identity": other}, "either")

    expected = ["`extra` was None, now True", "`model.temperature` was 0.6, now 0.8", "`n` was 10, now 5"]
    assert (expected, True) == (
        error.message.split("different run: ")[1].split("; "),
        "--out OTHER" in (error.hint or ""),
    )


def test_a_new_run_does_not_take_over_an_old_one(tmp_path: Path) -> None:
    """Without a request to resume, an existing run is left alone."""
    RunFolder.open(tmp_path, MANIFEST, mode="new").close()

    assert "--fresh" in (refuse(tmp_path, MANIFEST, "new").hint or "")


def test_a_run_that_is_not_there_is_not_continued(tmp_path: Path) -> None:
    """Neither an empty nor a missing folder becomes a run."""
    errors = [refuse(tmp_path, MANIFEST, "resume"), refuse(tmp_path / "none", MANIFEST, "resume")]

    assert (
        list(tmp_path.iterdir()),
        all("only an existing run can be resumed" in (error.hint or "") for error in errors),
    ) == ([], True)


def test_a_folder_of_other_files_is_left_alone(tmp_path: Path) -> None:
    """A mistaken `--out ~` writes nothing."""
    (tmp_path / "thesis.txt").touch()
    error = refuse(tmp_path, MANIFEST, "either")

    assert (
        [entry.name for entry in tmp_path.iterdir()],
        "not empty" in error.message,
    ) == (["thesis.txt"], True)


def test_a_start_that_was_killed_is_taken_up(tmp_path: Path) -> None:
    """The rest of an incomplete manifest does not count as content."""
    (tmp_path / ".run.json.tmp").touch()
    RunFolder.open(tmp_path, MANIFEST, mode="new").close()

    assert [entry.name for entry in tmp_path.iterdir()] == ["run.json"]


@pytest.mark.parametrize("mode", ["new", "resume", "either"])
def test_a_file_is_not_a_run_folder(tmp_path: Path, mode: Mode) -> None:
    """A file in place of the folder is an error."""
    (tmp_path / "file").touch()

    assert refuse(tmp_path / "file", MANIFEST, mode).hint


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "{}", '{"identity": 3}', '{"identity": {}, "identity": {}}']
)
def test_a_damaged_manifest_is_a_run_error(tmp_path: Path, content: str) -> None:
    """An invalid manual edit is reported, and nothing is overwritten."""
    (tmp_path / "run.json").write_text(content)
    error = refuse(tmp_path, MANIFEST, "either")

    assert (content, True) == ((tmp_path / "run.json").read_text(), "run.json" in error.message)


def test_a_run_is_refused_while_another_process_has_it(tmp_path: Path) -> None:
    """Two runs cannot write one folder, and the lock ends with its process."""
    RunFolder.open(tmp_path, MANIFEST, mode="new").close()
    code = (
        "import json, sys; from pathlib import Path; from benchwright.store.runfolder import RunFolder;"
        "folder = RunFolder.open(Path(sys.argv[1]), json.loads(sys.argv[2]), mode='resume');"
        "print('open', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(tmp_path), json.dumps(MANIFEST)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout and child.stdout.readline() == b"open\n"
        error = refuse(tmp_path, MANIFEST, "either")
        child.kill()
    RunFolder.open(tmp_path, MANIFEST, mode="resume").close()

    assert "another run" in error.message


def test_a_run_can_be_read_while_it_is_open(tmp_path: Path) -> None:
    """A report needs no lock and creates no files."""
    with RunFolder.open(tmp_path, MANIFEST, mode="new") as folder, folder.answer_writer() as writer:
        writer.append(answer(0))
        other = RunFolder.read(tmp_path)
        actual = (other.manifest["identity"]["n"], list(other.answers()), list(other.verdicts()))

    assert (10, [answer(0)], []) == actual


def test_reading_a_folder_that_holds_no_run_is_an_error(tmp_path: Path) -> None:
    """The hint has the command that creates such a folder."""
    with pytest.raises(RunError) as caught:
        RunFolder.read(tmp_path)

    assert "benchwright run" in (caught.value.hint or "")


def test_done_keys_leave_out_what_must_be_tried_again(tmp_path: Path) -> None:
    """A failed request and a failed sandbox are repeated; a wrong answer is not."""
    with RunFolder.open(tmp_path, MANIFEST, mode="new") as folder:
        with folder.answer_writer() as writer:
            writer.append_all([answer(0), answer(1, error="timeout")])
        with folder.verdict_writer() as writer:
            writer.append_all([verdict(0, Outcome.wrong), verdict(1, Outcome.sandbox_error)])
        done, judged = folder.done_keys(), folder.judged_keys()

    assert (len(done), (answer(0).key, answer(0).task_id) in done) == (1, True)
    assert (len(judged), (verdict(0).key, verdict(0).task_id) in judged) == (1, True)


def test_done_keys_are_known_behind_a_torn_tail(tmp_path: Path) -> None:
    """They are available before the incomplete line is removed, as a resumed run asks for them first."""
    with RunFolder.open(tmp_path, MANIFEST, mode="new") as folder:
        with folder.answer_writer() as writer:
            writer.append(answer(0))
        with folder.answers_path.open("ab") as file:
            file.write(b'{"key"')
        keys = folder.done_keys()
        folder.answer_writer().close()

    events = [event.detail for event in read_records(tmp_path / "events.jsonl", Event)]
    assert (answer(0).key, answer(0).task_id) in keys
    assert (
        len(keys),
        folder.cut,
        events,
    ) == (1, {"answers.jsonl": 6}, [{"file": "answers.jsonl", "bytes": 6}])


def test_each_profile_has_its_own_verdicts(tmp_path: Path) -> None:
    """The run's own profile has the plain name, under either spelling."""
    with RunFolder.open(tmp_path, MANIFEST, mode="new") as folder:
        folder.verdict_writer("strict").close()
        folder.verdict_writer("mera-code").close()
        folder.self_check_writer().close()

    expected = ["run.json", "self_check.jsonl", "verdicts.jsonl", "verdicts.mera-code.jsonl"]
    assert expected == sorted(entry.name for entry in tmp_path.iterdir())


@pytest.mark.parametrize("name", ["../up", "a/b", ".hidden", "a\0", "x" * 101, "имя"])
def test_a_name_cannot_lead_out_of_the_folder(tmp_path: Path, name: str) -> None:
    """Names of profiles and documents become file names, so they must be plain."""
    with RunFolder.open(tmp_path, MANIFEST, mode="new") as folder:
        with pytest.raises(UsageError):
            folder.verdicts_path(name)
        with pytest.raises(UsageError) as caught:
            folder.write_json(name, {})

    assert caught.value.hint


def test_finalize_orders_answers_and_verdicts(tmp_path: Path) -> None:
    """Both files end in canonical order; a profile that was not judged is no error."""

    def order(head: Head) -> int:
        return head.sample

    with RunFolder.open(tmp_path, MANIFEST, mode="new") as folder:
        with folder.answer_writer() as answers, folder.verdict_writer() as verdicts:
            answers.append_all([answer(1), answer(0, error="x"), answer(0)])
            verdicts.append_all([verdict(1), verdict(0)])
        done = folder.finalize(order, profiles=("", "mera-code"))
        actual = ([row.sample for row in folder.answers()], [row.sample for row in folder.verdicts()])

    assert (*actual, *done) == ([0, 1], [0, 1], 2, 1)


def test_finalizing_a_run_without_answers_is_no_error(tmp_path: Path) -> None:
    """An interrupted run may end before its first answer."""
    with RunFolder.open(tmp_path, MANIFEST, mode="new") as folder:
        assert folder.finalize(lambda head: head.sample) == (0, 0)


def test_events_have_the_time_of_the_clock_given(tmp_path: Path) -> None:
    """The clock is a parameter, so a test of a run can be exact."""
    with RunFolder.open(tmp_path, MANIFEST, mode="new", clock=lambda: "2026-11-21T00:00:00+00:00") as folder:
        folder.event("started", tasks=3)
        folder.event("ended")

    expected = [
        Event(at="2026-11-21T00:00:00+00:00", kind="started", detail={"tasks": 3}),
        Event(at="2026-11-21T00:00:00+00:00", kind="ended"),
    ]
    assert expected == list(read_records(tmp_path / "events.jsonl", Event))


def test_notes_change_the_manifest_but_never_the_identity(tmp_path: Path) -> None:
    """The end time is added later; the identity is fixed."""
    with RunFolder.open(tmp_path, MANIFEST, mode="new") as folder:
        folder.note(finished="later")
        with pytest.raises(RunError):
            folder.note(identity={})

    assert RunFolder.read(tmp_path).manifest == {**MANIFEST, "finished": "later"}


def test_documents_may_hold_records(tmp_path: Path) -> None:
    """A score is written with sorted keys."""
    with RunFolder.open(tmp_path, MANIFEST, mode="new") as folder:
        folder.write_json("scores.json", {"first": answer(0)})

    assert json.loads((tmp_path / "scores.json").read_text())["first"]["task_id"] == "t"


def test_equal_runs_end_in_equal_bytes(tmp_path: Path) -> None:
    """A complete run and an interrupted, resumed one differ only in times."""
    for name, parts in (("one", [[0, 1, 2, 3]]), ("two", [[2, 0], [3, 1]])):
        for part in parts:
            with RunFolder.open(tmp_path / name, MANIFEST, mode="either") as folder:
                with folder.answer_writer() as writer:
                    writer.append_all(answer(sample) for sample in part)
                folder.event("part")
                folder.finalize(lambda head: head.sample)

    one, two = ((tmp_path / name / "answers.jsonl").read_bytes() for name in ("one", "two"))
    assert one == two


def test_every_refusal_is_one_of_the_known_errors(tmp_path: Path) -> None:
    """A path that the system rejects is refused like any other."""
    with pytest.raises(BenchwrightError):
        RunFolder.open(tmp_path / ("x" * 300), MANIFEST, mode="new")

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("mode", ["new", "resume"])
def test_probes_do_not_stop_a_run_from_starting(tmp_path: Path, mode: Mode) -> None:
    """Two threads continuously test whether the folder is locked; every attempt to open it succeeds."""
    path, ended = tmp_path / "run", threading.Event()
    RunFolder.open(path, MANIFEST, mode="new").close()

    def probe() -> None:
        while not ended.is_set():
            is_locked(path)

    probes = [threading.Thread(target=probe) for _ in range(2)]
    for each in probes:
        each.start()
    try:
        for _ in range(60):
            if mode == "new":
                (path / "run.json").unlink()
            with RunFolder.open(path, MANIFEST, mode=mode):
                assert is_locked(path)
    finally:
        ended.set()
        for each in probes:
            each.join()

    assert not is_locked(path)


def test_a_probe_of_nothing_finds_no_lock(tmp_path: Path) -> None:
    """A missing folder is not being written."""
    assert not is_locked(tmp_path / "none")
