"""The changelog: what the fragments and the section "Unreleased" give as the section of a version.

`./run changelog` prints it. Towncrier renders the fragments; they are merged by kind with the section
"Unreleased" of CHANGELOG.md.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from tools.commands import ToolError, output

ROOT = Path(__file__).resolve().parents[1]
KINDS = ("Added", "Changed", "Fixed", "Removed")
UNRELEASED = "Unreleased"
_SECTION = re.compile(r"^## (.*)\n((?:(?!^## ).*\n?)*)", re.MULTILINE)
_KIND = re.compile(r"^### (.*)\n((?:(?!^### ).*\n?)*)", re.MULTILINE)


def sections(text: str) -> dict[str, str]:
    """Title to body of each version in a changelog, in its order."""
    return dict(_SECTION.findall(text))


def fragments(root: Path) -> list[Path]:
    """The files that describe one change each."""
    return sorted(path for path in (root / "changelog.d").glob("*.md") if path.name != "README.md")


def rendered(root: Path) -> str:
    """The fragments as towncrier renders them, without a title. Raises ToolError if it fails."""
    command = [sys.executable, "-m", "towncrier", "build", "--draft", "--version", "0", "--date", "0"]
    return sections(output(command, root, "towncrier")).get("0 · 0", "")


def upcoming(root: Path) -> str:
    """The body of the next version's section: "Unreleased" and the fragments, merged by kind."""
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    return merged(sections(text).get(UNRELEASED, ""), rendered(root) if fragments(root) else "")


def merged(*bodies: str) -> str:
    """Bodies of sections as one: the entries of each kind, those of the first body first."""
    entries: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for body in bodies:
        for kind, text in _KIND.findall(body):
            entries.setdefault(kind, []).append(text.strip("\n"))
    parts = [f"### {kind}\n\n" + "\n".join(texts) for kind, texts in entries.items() if texts]
    return "\n\n".join(parts) + "\n" if parts else ""


def released(text: str, title: str, body: str) -> str:
    """A changelog with a version's section in place of "Unreleased", or before the newest version."""
    place = re.search(rf"^## {UNRELEASED}\n(?:(?!^## ).*\n?)*|^(?=## )", text, re.MULTILINE)
    section = f"## {title}\n\n{body}\n"
    if place is None:
        return f"{text}\n{section}"
    return text[: place.start()] + section + text[place.end() :]


def main() -> int:
    """Print the section of the next version; 1 if a fragment is invalid."""
    try:
        sys.stdout.write(f"## {UNRELEASED}\n\n{upcoming(ROOT)}")
    except ToolError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
