"""Twins: each is created once and stored completely, and missing models are reported apart. No model is
created here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchwright.contracts.specs import CallCase, CaseInput, CaseLevel, ExpectedResult, LevelsSpec
from benchwright.errors import SandboxError
from benchwright.records import Outcome
from benchwright.sandbox.box import Reply, Result
from benchwright.sandbox.codec import encode
from benchwright.sandbox.zygote import AnswerUsage
from benchwright.tracks.aicodereval import stand_in_models
from benchwright.tracks.aicodereval.stand_in_models import (
    MissingCapability,
    TwinName,
    TwinRequest,
    TwinStore,
    unavailable,
)

BERT = TwinRequest(id="dslim/bert", kind="token-classification")
HUB = TwinRequest(id="pytorch/vision:v1#resnet18", kind="torch-hub")


class Box:
    """A sandbox whose programs return the results that the test sets, by requested id."""

    def __init__(self, **answers: Any) -> None:
        self.asked: list[dict[str, Any]] = []
        self.outcome, self.content = Outcome.passed, b"weights"
        self.paths = {
            "dslim/bert": "hub/models--dslim--bert/refs/main",
            HUB.id: "torch/hub/vision_v1/hubconf.py",
        }

    def run(self, source: str, entry: str, calls: list[Any], **options: Any) -> Result:
        """Return a result of `stand_ins.build`."""
        request = calls[0][0][0]
        self.asked.append(request)
        files = {self.paths.get(request["id"], "hub/x/y"): self.content}
        value = encode({"A": files, "B": files, "seeds": [3, 5]})
        return Result(
            self.outcome, "ValueError: it is so", [Reply("value", value)], AnswerUsage(0, 0, 0, 0, 0, b"")
        )


def build(store: TwinStore, box: Box, *requests: TwinRequest) -> dict[str, str]:
    return store.build(requests, box)  # type: ignore[arg-type]


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_twins_are_made_once(tmp_path: Path) -> None:
    """A second store of the same folder finds them, and requests none again."""
    box = Box()
    first = build(TwinStore(tmp_path), box, BERT, HUB)
    store = TwinStore(tmp_path)
    again = build(store, box, BERT, HUB)

    assert (first, again, len(box.asked), BERT.id in store, "other" in store) == ({}, {}, 2, True, False)
    assert (store[BERT.id].seeds, len(store[BERT.id].digest)) == ([3, 5], 64)
    assert store.lacking([BERT, HUB, TwinRequest(id=BERT.id, kind="ner")]) == [
        TwinRequest(id=BERT.id, kind="ner")
    ]


def test_everybody_may_read_them(tmp_path: Path) -> None:
    """A jail runs as another user than their creator; torch.hub's list exists, since its folder is read-only."""
    build(TwinStore(tmp_path), Box(), BERT, HUB)
    modes = {path.stat().st_mode & 0o777 for path in tmp_path.rglob("*") if path.name != "twins.json"}

    assert (modes, (tmp_path / "B/torch/hub/trusted_list").read_text()) == ({0o644, 0o755}, "")


def test_what_is_damaged_or_asked_for_otherwise_is_made_anew(tmp_path: Path) -> None:
    """No part of the former is left."""
    store, box = TwinStore(tmp_path), Box()
    build(store, box, BERT)
    (tmp_path / "A" / box.paths[BERT.id]).write_bytes(b"other")
    build(store, box, BERT)
    box.paths[BERT.id], box.content = "hub/models--dslim--bert/refs/other", b"new"
    build(store, box, TwinRequest(id=BERT.id, kind=BERT.kind, inputs=[["Angela", "Berlin"]]))
    left = {path: text for path, text in content(tmp_path).items() if path != "twins.json"}

    assert (len(box.asked), box.asked[-1]["inputs"]) == (3, [["Angela", "Berlin"]])
    assert left == {f"{twin}/hub/models--dslim--bert/refs/other": b"new" for twin in "AB"}


def test_an_id_without_a_stand_in_is_said(tmp_path: Path) -> None:
    """The others are created, and nothing of the failed one is stored."""
    store, box = TwinStore(tmp_path), Box()
    strange = TwinRequest(id="../../etc/passwd", kind="text-classification")
    refused = build(store, box, strange, BERT)
    box.outcome = Outcome.exception
    failed = build(store, box, HUB)

    assert (list(refused), BERT.id in store) == ([strange.id], True)
    assert failed == {HUB.id: f"no stand-in for {HUB.id}: ValueError: it is so"}


@pytest.mark.parametrize("path", ["hub/../../x", "../x/y", "etc/passwd", "hub"])
def test_a_file_that_would_lie_elsewhere(tmp_path: Path, path: str) -> None:
    """Output of the sandbox is untrusted: no file is written outside of the folder."""
    box = Box()
    box.paths[BERT.id] = path
    with pytest.raises(SandboxError, match="is in an unexpected place"):
        build(TwinStore(tmp_path), box, BERT)


def test_a_failure_of_the_sandbox_is_no_refusal(tmp_path: Path) -> None:
    """It is independent of the id, so the creation of twins ends."""
    box = Box()
    box.outcome = Outcome.sandbox_error
    with pytest.raises(SandboxError):
        build(TwinStore(tmp_path), box, BERT)


def test_kinds() -> None:
    """Kinds of models on the hub with a stand-in, and one without."""
    tags = ["sentiment-analysis", "ner", "sentence-similarity", "text-generation", "fill-mask"]

    assert [stand_in_models.kind_of(tag) for tag in tags] == [
        "text-classification", "token-classification", "feature-extraction", "text-generation", None,
    ]  # fmt: skip


def case(*args: Any, **kwargs: Any) -> CallCase:
    given = CaseInput(args=list(args), kwargs=kwargs)
    return CallCase(name="c", level=CaseLevel.normal, input=given, expected=ExpectedResult(value=1))


def test_inputs_are_the_texts_of_the_cases() -> None:
    """Nested texts are included, pairs are kept, each occurs once; names of files and literals are left out."""
    cases = [case("a", n=3), case(["b", {"k": "c"}]), case({"$file": "x.png"}, {"$literal": "()"}), case("a")]

    assert stand_in_models.inputs_of(cases) == ["a", "b", "c", ["b", "c"]]


def test_a_spec_on_one_twin() -> None:
    """Links decide which twin its programs find; other links stay."""
    spec = LevelsSpec(entry_point="f", cases=[case("a")], links={"own": "/x"})

    assert [stand_in_models.with_twin(spec, name).links for name in TwinName] == [
        {"own": "/x", "hub": f"/twins/{name}/hub", "torch/hub": f"/twins/{name}/torch/hub"} for name in "AB"
    ]


OFFLINE = (
    "OSError: We couldn't connect to 'https://huggingface.co' to load the files, and couldn't find them in"
)
RESOLVING = "URLError: <urlopen error [Errno -3] Temporary failure in name resolution> (line 2)"


@pytest.mark.parametrize(
    ("detail", "program", "lack", "name"),
    [
        ("ModuleNotFoundError: No module named 'torchvision' (line 1)", "", MissingCapability.library, "torchvision"),
        ("ModuleNotFoundError: No module named 'a.b' (line 1)", "", MissingCapability.library, "a"),
        ("ImportError: \nDetr requires the Torchvision library but it was not found in", "", MissingCapability.library, "torchvision"),
        ("ImportError: cannot import name 'TFAutoModel' from 'transformers' (/site)", "", MissingCapability.library, "tensorflow"),
        ("RuntimeError: Missing dependencies: torchvision (line 5)", "", MissingCapability.library, "torchvision"),
        ("KeyError: 'The task question-answering has been removed from transformers.", "", MissingCapability.library, "transformers"),
        (OFFLINE, "", MissingCapability.weights, ""),
        ("LocalEntryNotFoundError: An error happened while trying", "", MissingCapability.weights, ""),
        ("RuntimeError: It looks like there is no internet connection and the repo could not be found", "", MissingCapability.weights, ""),
        (RESOLVING, "torch.hub.load('a/b')", MissingCapability.weights, ""),
    ],
)  # fmt: skip
def test_what_was_missing(detail: str, program: str, lack: MissingCapability, name: str) -> None:
    """The message is that of the profile's libraries."""
    found = unavailable(detail, program)

    assert found is not None and (found.lack, found.name) == (lack, name)


@pytest.mark.parametrize(
    "detail", ["ValueError: 3", RESOLVING, "OSError: no such file", "wrong: expected 1, got 2", ""]
)
def test_what_was_not(detail: str) -> None:
    """Any other end is the program's own; a failed connection can have any cause."""
    assert unavailable(detail, "import urllib") is None
