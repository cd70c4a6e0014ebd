"""A small project history with a reviewed pull request, as a clone and recorded replies of GitHub.

    python examples/alignment/make_history.py demo
    benchwright build alignment --from demo/scales.git --from github-replies:ours/scales=demo/replies \\
        --licence-unknown keep --out builds/scales

It is the history of `benchwright demo`: its code and remarks are our own, and nobody reviewed anything. The
pull request has a suggestion that is applied, a request that a later commit answers, a question and praise
that change nothing, and an issue that a commit closes.
"""

from __future__ import annotations

import shutil
import sys
from importlib.resources import as_file, files
from pathlib import Path

from benchwright.demo.git_history import make_clone


def main(folder: Path) -> None:
    """Write `scales.git` and `replies` below a folder."""
    with as_file(files("benchwright.demo").joinpath("alignment")) as data:
        make_clone(data / "history.json", folder / "scales.git")
        shutil.copytree(data / "replies", folder / "replies", dirs_exist_ok=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
