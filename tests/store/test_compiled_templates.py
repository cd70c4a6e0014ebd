"""Compiled templates are read from the cache, and any doubt about a file leads to a new compilation."""

from __future__ import annotations

from pathlib import Path

import jinja2
import pytest

from benchwright.store.compiled_templates import CompiledTemplates


def _page(text: str) -> str:
    """The page of a new environment, as of a new process."""
    loader = jinja2.DictLoader({"page.html": text})
    environment = jinja2.Environment(loader=loader, autoescape=True, bytecode_cache=CompiledTemplates())
    return environment.get_template("page.html").render(value="<")


@pytest.fixture
def cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of cached templates."""
    monkeypatch.setenv("BENCHWRIGHT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "templates"


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The templates that were compiled."""
    names: list[str] = []
    original = jinja2.Environment.compile

    def compile_counted(self: jinja2.Environment, source: str, name: str, *rest: object) -> object:
        names.append(name)
        return original(self, source, name, *rest)  # type: ignore[call-overload]

    monkeypatch.setattr(jinja2.Environment, "compile", compile_counted)
    return names


def test_a_template_is_compiled_once(cached: Path, compiled: list[str]) -> None:
    """The second environment reads the cache; a changed text is compiled."""
    assert [_page("a {{ value }}") for _ in range(2)] == ["a &lt;"] * 2
    assert (len(compiled), len(list(cached.iterdir()))) == (1, 1)

    assert _page("b {{ value }}") == "b &lt;"
    assert len(compiled) == 2


def test_a_doubtful_file_is_replaced(cached: Path, compiled: list[str]) -> None:
    """A damaged file, and one that others may write to, are not loaded."""
    _page("a {{ value }}")
    (file,) = cached.iterdir()
    whole = file.read_bytes()
    file.write_bytes(whole[:-1])

    assert (_page("a {{ value }}"), file.read_bytes()) == ("a &lt;", whole)
    file.chmod(0o666)
    assert (_page("a {{ value }}"), len(compiled)) == ("a &lt;", 3)


def test_pages_do_not_need_the_cache(cached: Path, compiled: list[str]) -> None:
    """A cache that cannot be written costs a compilation and nothing else."""
    cached.parent.write_text("a file")

    assert [_page("a {{ value }}") for _ in range(2)] == ["a &lt;"] * 2
    assert len(compiled) == 2
