"""`serve` at the command line: what it refuses, and the static copy."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kit.command_line import called
from kit.made_runs import finished_run
from kit.small_data import humaneval


def test_what_serve_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each with why and a hint, before anything listens."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("x")
    (tmp_path / "ours").mkdir()
    refused = [
        ([], "folder not found: runs"),
        (["ours", "none"], "mkdir -p none"),
        (["file"], "is a file, not a folder"),
        (["ours", "--host", "0.0.0.0"], "reachable from other machines"),
        (["ours", "--freeze", "."], "is not an empty folder"),
        (["ours", "--public"], "has no accounts"),
        (["ours", "--oidc-issuer", "https://a.test"], "has no accounts"),
        (["--accept", "file", "--host", "0.0.0.0"], "reachable from other machines"),
        (["--accept", "file", "--public"], "--tls-certificate"),
        (["--accept", "file", "--oidc-client", "a"], "--oidc-issuer"),
        (["--accept", "file", "--oidc-issuer", "http://a.test", "--oidc-client", "a"], "OpenID provider"),
        (["--accept", "file", "--oidc-issuer", "https://a.test", "--oidc-secret-file", "none"], "ls -l none"),
    ]
    for words, said in refused:
        result = called("serve", *words)
        assert (result.code, said in result.err, "hint:" in result.err) == (2, True, True), (
            words,
            result.err,
        )


def _files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_static_copy_is_whole_and_repeatable(tmp_path: Path) -> None:
    """All links lead to files, no address is absolute, and the same runs give the same bytes."""
    data = humaneval(tmp_path, 6)
    for name, failed in {"alpha": 1, "beta": 4}.items():
        rows = {f"Small/{n}": [("x", "wrong" if n < failed else "passed")] for n in range(6)}
        finished_run(tmp_path / "runs" / name, data, rows, model=f"openai:{name}")
    site = tmp_path / "site"
    made = called("serve", str(tmp_path / "runs"), "--freeze", str(site), "--json")
    again = called("serve", str(tmp_path / "runs"), "--freeze", str(tmp_path / "again"))
    pages = [path for path in site.rglob("*.html") if path.parent.name != "runs"]
    links = [
        (page, link)
        for page in pages
        for link in re.findall(r'(?:href|src)="([^"#]+)', page.read_text())
        if not link.startswith("data:")
    ]

    assert (made.code, again.code, made.document["left_out"]) == (0, 0, [])
    assert [str(link) for page, link in links if not (page.parent / link).is_file()] == []
    assert len({path.parent.name for path in site.rglob("*")} & {"runs", "boards"}) == 2
    assert _files_of(site) == _files_of(tmp_path / "again")
    assert "reader" in next((site / "runs").iterdir()).read_text()
