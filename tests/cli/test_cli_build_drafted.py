"""`benchwright build aicodereval --from cards --model MODEL`: cards to a release, and again from stored replies."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from benchwright.stub_server import Script, ScriptRow, StubServer
from kit.command_line import build
from kit.drafting_kit import INPUTS, REVIEW, SOLUTION, SOLVE, WORDS
from kit.needs import need_module, need_sandbox

CARD = """---
license: mit
pipeline_tag: text-classification
library_name: transformers
---
# Tiny

Tells texts apart.

```python
pipeline("text-classification", model="acme/tiny")
```
"""
TURNS = {
    "Write one": SOLUTION,
    "write inputs": INPUTS,
    "write the task": WORDS,
    "Complete": SOLVE,
    "Judge this task": REVIEW,
}


@pytest.fixture(scope="module")
def server() -> Iterator[StubServer]:
    """A model that drafts one entry, whatever the card."""
    rows = [ScriptRow(contains="", turn=turn, completions=[json.dumps(each)]) for turn, each in TURNS.items()]
    with StubServer(Script(rows=rows)) as opened:
        yield opened


def built(folder: Path, out: str, *options: str) -> Result:
    """The command over one card."""
    need_sandbox()
    need_module("detect_secrets")
    need_module("yaml")
    (folder / "cards/acme").mkdir(parents=True, exist_ok=True)
    (folder / "cards/acme/tiny.md").write_text(CARD)
    words = ["aicodereval", "--from", str(folder / "cards"), "--out", str(folder / out), "-q", "--json"]
    return CliRunner().invoke(build, [*words, *options])


def test_from_cards_to_a_release_and_again(tmp_path: Path, server: StubServer) -> None:
    """Drafted, reviewed, admitted; from the stored replies the release is the same to the byte."""
    live = ["--model", "openai:stub", "--reviewer", "openai:stub", "--base-url", server.base_url]
    said = built(tmp_path, "out", *live)
    assert said.exit_code == 0, said.output + said.stderr
    document = json.loads(said.stdout)
    replies = [f"replay:{tmp_path}/out/{part}/answers.jsonl" for part in ("replies", "reviews")]
    again = built(tmp_path, "again", "--model", replies[0], "--reviewer", replies[1])
    assert again.exit_code == 0, again.output + again.stderr

    assert [each["stage"] for each in document["funnel"]][:2] == ["collect", "draft"]
    assert sum(document["manifest"]["tiers"].values()) == 1
    first, second = (Path(json.loads(each.stdout)["release"]) for each in (said, again))
    names = sorted(path.relative_to(first) for path in first.rglob("*") if path.is_file())
    assert names == sorted(path.relative_to(second) for path in second.rglob("*") if path.is_file())
    assert [name for name in names if (first / name).read_bytes() != (second / name).read_bytes()] == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--model", "nobody:x"], "nobody"),
        (["--model", "gold:"], "a build has none"),
        (["--reviewer", "openai:x"], "--reviewer needs --model"),
        (["--model", "openai:x", "--environment", "nowhere"], "nowhere"),
        (["--model", "openai:x", "--repairs", "9"], "9"),
    ],
)
def test_what_cannot_be_drafted(tmp_path: Path, options: list[str], message: str) -> None:
    """Each is said before anything is asked or written."""
    said = built(tmp_path, "out", *options)

    assert said.exit_code != 0
    assert message in said.stderr + str(said.exception)
    assert not (tmp_path / "out").exists()
