"""Whether two models are of one family, by their names: a judge may favour what writes as it does.

Names say little, so the test errs on the side of a flag: of a model that was distilled from two families both
count, and what is in no table is its own name without size, date and edition.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_WORDS: Mapping[str, tuple[str, ...]] = {
    "claude": ("claude",),
    "cohere": ("command", "aya", "c4ai"),
    "deepseek": ("deepseek",),
    "falcon": ("falcon",),
    "gemini": ("gemini", "gemma", "codegemma", "palm"),
    "gigachat": ("gigachat",),
    "glm": ("glm", "chatglm", "codegeex"),
    "gpt": ("gpt", "chatgpt", "codex", "davinci", "o1", "o3", "o4"),
    "granite": ("granite",),
    "grok": ("grok",),
    "kimi": ("kimi", "moonshot"),
    "llama": ("llama", "codellama", "vicuna", "alpaca", "nemotron"),
    "mistral": ("mistral", "mixtral", "codestral", "ministral", "devstral", "magistral", "pixtral"),
    "olmo": ("olmo",),
    "phi": ("phi",),
    "qwen": ("qwen", "codeqwen", "qwq", "qvq"),
    "starcoder": ("starcoder", "starchat", "santacoder"),
    "yandexgpt": ("yandexgpt",),
    "yi": ("yi",),
}
_FAMILY = {word: family for family, words in _WORDS.items() for word in words}
_EDITION = re.compile(
    r"v?\d+|\d*x?\d+[bmk]|(?:b?f|fp|int|q|w|a)\d+|latest|preview|exp|instruct|chat|it|base|hf|gguf|awq|gptq|"
    r"mini|nano|tiny|small|medium|large|lite|pro|plus|max|turbo|fast"
)
MAX_NAME = 200


def families(name: str) -> frozenset[str]:
    """Return the families that a model's name indicates, such as "openai/gpt-4o-2024-08-06"; none if unknown.

    >>> sorted(families("deepseek-ai/DeepSeek-R1-Distill-Qwen-7B"))
    ['deepseek', 'qwen']
    """
    base = name[:MAX_NAME].lower().rstrip("/").rpartition("/")[2]
    pieces = [each for each in re.split(r"[^a-z0-9]+", base) if each]
    known = {_FAMILY.get(word) for piece in pieces for word in (piece, piece.rstrip("0123456789"))} - {None}
    if known:
        return frozenset(each for each in known if each)
    rest = "-".join(each for each in pieces if not _EDITION.fullmatch(each)) or "-".join(pieces)
    return frozenset({rest} if rest else ())


def one_family(one: str, other: str) -> bool:
    """Return whether both names can be of models of one family."""
    return bool(families(one) & families(other))
