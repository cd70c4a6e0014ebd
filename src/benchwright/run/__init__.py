"""The run pipeline, and `benchwright.run(…)`: this package can be called.

The stable interface has a function `run` where the source tree has a package of that name, and importing
any of its modules binds the package. So the package is callable and does what the function does.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _CallablePackage(ModuleType):
    def __call__(self, track: str, **options: Any) -> Any:
        """Score a model on a data set: `pipeline.run`."""
        from benchwright.run.pipeline import run  # noqa: PLC0415 (importing the package stays cheap)

        return run(track, **options)


sys.modules[__name__].__class__ = _CallablePackage
