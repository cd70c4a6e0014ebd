"""A language for tests that implements all of `Language`: a line `test NAME` is a test case.

A focal file is lines of names; a test file imports it by `use FILE`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from benchwright.contracts import Suite
from benchwright.lang.protocol import Case, FileFacts, Import, Language, Mutant, Opening
from benchwright.lang.source_errors import SyntaxFault


class _Lines:
    name = "Lines"
    spellings: tuple[str, ...] = ("ln",)
    suffixes: tuple[str, ...] = (".lines", ".ln")
    fence = "lines"
    fence_tags = frozenset({"lines"})
    test_request = "Use lines that begin with `test`."
    package_file = "index.lines"
    tests_beside_code = False
    not_focal = frozenset({"setup.lines"})

    def fault(self, code: str) -> SyntaxFault | None:
        return SyntaxFault("a tab", 1) if "\t" in code else None

    def cases(self, code: str) -> list[Case]:
        numbered = enumerate(code.splitlines(), 1)
        found = [(number, line[5:]) for number, line in numbered if line.startswith("test ")]
        return [Case(name=name, first_line=number, last_line=number) for number, name in found]

    def cut(self, code: str, name: str) -> str:
        kept = [line for line in code.splitlines() if line in (f"test {name}",) or line[:5] != "test "]
        return "\n".join(kept) + "\n"

    def imports(self, code: str, roots: Collection[str]) -> list[Import]:
        used = [line[4:] for line in code.splitlines() if line.startswith("use ")]
        return [Import(module=name, kind="project", line=1) for name in used]

    def missing(self, suite: Suite, roots: Collection[str]) -> set[str]:
        return {each.module for each in self.imports(suite.files[suite.test], ())} - {suite.focal}

    def lay_out(self, focal: str, test: str, *, focal_name: str | None, test_name: str | None) -> Suite:
        path, test_path = focal_name or "focal.lines", test_name or "focal-spec.lines"
        cases = [each.name for each in self.cases(test)]
        files = {path: focal, test_path: test}
        return Suite(lang=self.name, framework="", files=files, focal=path, test=test_path, cases=cases)

    def mutants(self, code: str) -> Iterator[Mutant]:
        yield Mutant(name="compare-1-1", kind="compare", code=code.swapcase(), line=1)

    def facts(self, code: str) -> FileFacts:
        parses = self.fault(code) is None
        return FileFacts(parses=parses, cases=self.cases(code), imports=self.imports(code, ()), uses={"time"})

    def tested_stem(self, stem: str) -> str | None:
        return stem.removesuffix("-spec") if stem.endswith("-spec") else None

    def import_ends(self, each: Import) -> list[str]:
        return [f"/{each.module.removesuffix('.lines')}"]

    def behind(self, path: str, code: str, test_code: str, files: Collection[str]) -> str:
        return path

    def opening(self, path: str, code: str, files: Collection[str]) -> Opening | None:
        return Opening(f"use {path}\n", f"use {path}\ntest probe\n", "probe", "probe-spec.lines")


LINES: Language = _Lines()
