"""What sections of documentation comments are called, in English and in Russian."""

from __future__ import annotations

from benchwright.lang.docstyles.documentation import Kind

_PARAMETERS = (
    "Args, Arguments, Parameters, Params, Other Parameters, Keyword Args, Keyword Arguments, "
    "Аргументы, Параметры, Именованные аргументы"
)
_RETURNS = (
    "Returns, Return, Yields, Yield, Возвращает, Возвращаемое значение, Возвращаемые значения, Результат"
)
_RAISES = "Raises, Raise, Exceptions, Throws, Исключения, Вызывает, Вызывает исключения, Возбуждает"
_OTHERS = (
    "Attributes, Example, Examples, Note, Notes, See Also, References, Todo, Warning, Warnings, Warns, "
    "Usage, Deprecated, Атрибуты, Пример, Примеры, Примечание, Примечания, Замечание, Замечания, "
    "Использование, Предупреждение, См. также"
)


def _by_title() -> dict[str, Kind]:
    tables: list[tuple[Kind, str]] = [
        ("parameter", _PARAMETERS),
        ("returns", _RETURNS),
        ("raises", _RAISES),
        ("section", _OTHERS),
    ]
    return {title.lower(): kind for kind, titles in tables for title in titles.split(", ")}


_KINDS = _by_title()
LONGEST = max(map(len, _KINDS))


def kind_of(title: str) -> Kind | None:
    """Return the kind of section with this title, or None for other words."""
    return _KINDS.get(title.lower()) if len(title) <= LONGEST else None
