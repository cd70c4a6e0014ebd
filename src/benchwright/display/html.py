"""HTML pages: the style, the escaping and the shared template parts of written and served pages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

import jinja2
from markupsafe import Markup

from benchwright.display.palette import PLAIN, TONES, css_variables
from benchwright.display.wording import interval, outcome_label, percent, unbroken

_SHA256 = re.compile("[0-9a-f]{64}")


@cache
def page_style() -> str:
    """The style sheet of every page: the colours of both themes as variables, then the rules."""
    rules = (files("benchwright.display") / "assets" / "style.css").read_text(encoding="utf-8")
    return theme_variables({**PLAIN, **TONES}) + rules


def theme_variables(colours: Mapping[str, tuple[str, str]]) -> str:
    """A style sheet that sets these colours, each a value for the light and one for the dark theme."""
    light, dark = (css_variables(theme, colours) for theme in (0, 1))
    return f":root {{ {light} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"


def page_environment(
    packages: Sequence[str], compiled: jinja2.BytecodeCache | None = None
) -> jinja2.Environment:
    """The templates of these packages, searched in this order, then the shared parts of all pages.

    All values are escaped; an undefined value is an error. `compiled` keeps compiled templates.
    """
    loaders = [jinja2.PackageLoader(each, "templates") for each in (*packages, "benchwright.display")]
    environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader(loaders),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        bytecode_cache=compiled,
    )
    environment.filters.update(
        percent=percent,
        interval=interval,
        outcome=outcome_label,
        unbroken=unbroken,
        digest=digest,
        whole=whole,
    )
    return environment


def digest(value: str) -> str:
    """A SHA-256 as its first twelve digits, with all of it in the title; other text unchanged."""
    if not _SHA256.fullmatch(value):
        return value
    return Markup('<span class="hash" title="{}">{}…</span>').format(value, value[:12])


SHORT = 28  # characters of a name that is not broken at a hyphen


def whole(name: str) -> str:
    """A short name on one line, because browsers break lines at hyphens; a long name unchanged."""
    return Markup('<span class="whole">{}</span>').format(name) if 0 < len(name) <= SHORT else name
