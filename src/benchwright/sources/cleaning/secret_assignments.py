"""Random values that are assigned to a telling name: `api_key = "…"`, `DATADOG_KEY: …`, `--token …`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from benchwright.sources.cleaning.cleaning_words import cleaning_words
from benchwright.sources.cleaning.secret_passwords import PASSWORD_CUES, assigned_passwords
from benchwright.sources.cleaning.secret_values import is_placeholder, is_random

WINDOW = 90  # characters before a value in which its name must be
_VALUE = re.compile(r"(?<![A-Za-z0-9_+/=~.-])[A-Za-z0-9_+/=~.-]{12,}", re.ASCII)
_DIGIT = re.compile(r"[0-9]")
LETTERS_ONLY = 20  # a random value this long need not have a digit
SHORTEST, LONGEST = 12, 512
_ELEMENT_OPENING = re.compile(
    r"(?:>|: ?[|>][+-]?)\s*\n[+ -]?\s*\Z|</key>\s*<string>\Z"
)  # an XML element whose text starts in the next line
# The text before a value, read backwards: quotes, the sign of an assignment, the name.
_BEFORE = re.compile(
    r"[\s\"'`\\(\[{=@]{0,40}(?:[=:>,(|]|\s\"?eulav)"
    r"[\s\"'`:=?|>+.(\]\\*]{0,8}(?:gnirts |eulav[\"' ]{1,3})?([\w.\- \"'\[]{1,60})",
    re.ASCII,
)
# Text between a name and its value: a type, the accessors of a property, words, an option.
_BETWEEN = re.compile(
    r"\??: ?(?:&(?:'\w{1,9} )?str|[Ss]tring\??|str|SecretStr|Optional\[str\])(?= ?=)"
    r"| \{ ?get; ?(?:set|init); ?\}(?= ?=)"
    r"|(?<=[`*\"'])[`*\"']{0,3} (?:is |as )?(?:set )?(?:to|is|as|with|=) (?=[`\"'*]{1,3}\Z)"
    r"| --(?:body|value|secret-string)[ =](?=[\"']?\Z)"
    r"| (?:is|to) (?=`\Z)|: ?[|>][+-]?\s*\n[+ -]?\s*(?=\Z)|</key>\s*<string>(?=\Z)| ?<- ?(?=[\"']\Z)"
    r"|(?<=[=:] )(?:String::from|Some|SecretStr(?:ing)?"
    r"|Secret(?:String)?::new|str|bytes|b64decode|atob)\((?=[\"']\Z)"
    r"|:? ?= (?=[\w.$?\[\]\"'()]{1,60} (?:\?\?|or|\?:) [\"'`]\Z)|(?<=[\w\"'])\)(?= ?=[>=]? ?)"
)
_OTHER_NAME = re.compile(r" (?:\?\?|or|\?:) ")
_VARIABLE = re.compile(r"\b(?:variable|parameter)\s{1,4}[\"']?([\w.-]{1,60})[\"']?\s{0,4}[{=]", re.ASCII)
_PAIR = re.compile(r"\b(?:name|key)[\"']?\s{0,4}[:=]\s{0,4}[\"']?([\w.-]{1,60})", re.ASCII)
_SPACED = re.compile(r"[\"']?[ \t]{1,4}[\"']?([\w.-]{1,60})", re.ASCII)  # `--token VALUE`, `setToken VALUE`
_STRONG = re.compile(
    r"secret|token|passw|pwd|passphrase|credential|api.?key|access.?key|auth|bearer|private.?key|signing"
    r"|encrypt\w*.?key|account.?key|license.?key|client.?key|app.?key|service.?key|master.?key|consumer.?key"
    r"|storage.?key|shared.?key|api.?pass|session.?(?:id|key)|webhook|jwt|salt\b|dsn|hmac|cookie|(?<![a-z])pat(?![a-z])|sid\b"
    r"|(?<![a-z])pass|(?:smtp|db|mail|ftp|admin|root)pass|crumb|unseal|routing.?key|integration.?key|deploy.?key|write.?key|device.?key|preshared|(?<![a-z])psk(?![a-z])"
)
_KEY = re.compile(r"(?<!\w)(?:api |using )?(?:key|id and secret)\Z")
NEAR = 200  # characters before `key: VALUE` in which the provider must be named
_WEAK = re.compile(r"key|api|access|private|login|client|user")
_NOT = re.compile(
    r"public|\bsha(?!r)|sha\d|hash(?!icorp)|digest|checksum|commit|revision|integrity|etag|fingerprint|md5|version|uri\b|(?<!c)url\b"
    r"|author(?!i)|cache|resolved|tree\b|blob(?!_read|_?stor)|parent|object|ref\b|(?<!s)(?<!key)(?<!key_)id\b|expire|path\b|file|dir\b"
    r"|next(?!_?auth|_?cloud)|page(?!r_?duty)|max_|num_|results|csrf|xsrf|forgery|nonce|cl(?:as)?sid"
)
VENDORS = cleaning_words("vendors")
_EVERY_VENDOR = {*VENDORS, *cleaning_words("other_vendors")}
_VENDOR = re.compile("|".join(sorted(_EVERY_VENDOR, key=lambda each: (-len(each), each))))
_PART = frozenset({"line", "lob"})  # ends of many words
_OPAQUE = re.compile(r"[0-9a-f]{24,128}|[0-9A-F]{24,128}|[a-z0-9]{20,}|[A-Z0-9]{20,}|[A-Za-z0-9+/_=~.-]{20,}")
_DISCORD = re.compile(r"[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40}", re.ASCII)
_PLAIN_VALUE = re.compile(
    r"/.*/|[A-Za-z_]+=\d{0,6}\Z|[\d.-]+\Z|[a-z_]{2,40}\.[A-Z][A-Z\d_]*\Z"
)  # path, argument, number, constant
_ELEMENT = re.compile(
    r"<(?i:secret|password|passphrase|token|api_?key|private_?key|secret_?text|access_?key)>([^<]{8,600})</",
    re.ASCII,
)
# `some_key` with 16 or more random bytes; not the keys of data structures.
_LONG_KEY = re.compile(
    r"[a-z0-9](?<!cache)(?<!primary)(?<!sort)(?<!partition)(?<!foreign)(?<!group)(?<!map)(?<!host)(?<!object)(?<!dict)"
    r"(?<!index)(?<!idempotency)(?<!site)(?<!user)(?<!project)(?<!issue)(?<!item)(?<!row)(?<!message)[_-]?key[\"'\]]{0,2}\Z"
)
_KEY_MATERIAL = re.compile(
    r"[0-9a-f]{32}|[0-9a-f]{48}|[0-9a-f]{64}|(?=[0-9a-f]{0,60}[g-z])[a-z0-9]{32,64}"
    r"|(?=.{0,60}[A-Z])(?=.{0,60}[a-z])[A-Za-z0-9+/_-]{32,128}={0,2}"
)
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


NAME_CUES = PASSWORD_CUES | {
    "</"
}  # one of them is in the words of each text with such a secret that is not random


def assigned_secrets(text: str, *, random: bool = True) -> Iterator[tuple[int, int, str]]:
    """The start, end and kind of each secret that is assigned to a telling name.

    Without `random`, the text is known to have no random value outside of XML elements.
    """
    if random:
        yield from _random_values(text)
    yield from assigned_passwords(text)
    for match in _ELEMENT.finditer(text) if "</" in text else ():
        for word in _VALUE.finditer(text, *match.span(1)):
            if is_random(word[0][:LONGEST]) and not is_placeholder(word[0]):
                yield *word.span(), "assigned"


def _random_values(text: str) -> Iterator[tuple[int, int, str]]:
    random = {each for each in set(_VALUE.findall(text)) if _random_part(each) is not None}
    for match in _VALUE.finditer(text) if random else ():
        if match[0] not in random or (found := _random_part(match[0])) is None:
            continue
        (name, skipped), (start, end) = found, match.span()
        start += skipped
        value = text[start:end]
        is_discord = _DISCORD.fullmatch(value.lstrip("="))
        kind = "discord" if is_discord else _kind(text, start, end, name or _name(text, start))
        if kind:
            yield start, end, kind


def has_random_value(text: str) -> bool:
    """Whether a random value is in a text, assigned or not."""
    return any(_random_part(each) is not None for each in _VALUE.findall(text))


def _random_part(word: str) -> tuple[_Name | None, int] | None:
    """The name within `NAME=value` and where the random value starts; None for a word without one."""
    return _short_part(word) if len(word) <= MAX_KEPT else _part(word)


MAX_KEPT = 120  # characters of a word whose part is kept


@lru_cache(maxsize=20_000)
def _short_part(word: str) -> tuple[_Name | None, int] | None:
    return _part(word)


def _part(word: str) -> tuple[_Name | None, int] | None:
    if not _DIGIT.search(word) and (len(word) < LETTERS_ONLY or word.islower()):
        return None
    name, start = _inner_name(word)
    value = word[start:]
    return (name, start) if len(value) >= SHORTEST and is_random(value[:LONGEST]) else None


def _inner_name(value: str) -> tuple[_Name | None, int]:
    """The name of `NAME=value` without spaces, and where the value starts."""
    name, sign, rest = value.partition("=")
    if name.startswith("--") and "=" in rest.rstrip("="):  # --set=NAME=value
        inner, _, rest = rest.partition("=")
        name, sign = name + inner, "=="
    if not rest.strip("="):
        return None, 0
    words = name.lower()
    telling = _STRONG.search(words) or _vendor(words) or _LONG_KEY.search(words)
    if telling:
        return _Name(words, spaced=False), len(name) + len(sign)
    return None, 0


class _Name(NamedTuple):
    text: str
    spaced: bool  # no sign of an assignment between name and value


def _kind(text: str, start: int, end: int, name: _Name | None) -> str:
    """The kind of a random value by its name or the text before; empty if they do not mean a secret."""
    value = text[start:end]
    if (
        name is None
        or is_placeholder(value)
        or text[end : end + 1] in ("(", "[")
        or _PLAIN_VALUE.match(value)
    ):
        return ""
    return _kind_by_name(name, value) or _kind_nearby(name, value, text[max(0, start - NEAR) : start])


def _vendor(words: str) -> re.Match[str] | None:
    """The first provider in a text of lower case."""
    match = _VENDOR.search(words)
    while match and match[0] in _PART and words[match.start() - 1 : match.start()].isalpha():
        match = _VENDOR.search(words, match.end())
    return match


def _kind_nearby(name: _Name, value: str, before: str) -> str:
    """The provider of `key: VALUE` if the text before names it; empty if not."""
    if not _KEY.search(name.text) or not _OPAQUE.fullmatch(value):
        return ""
    vendor = _vendor(before.lower())
    return _vendor_name(vendor) if vendor else ""


def _vendor_name(vendor: re.Match[str] | None) -> str:
    return vendor[0].strip("_-") if vendor and vendor[0] in VENDORS else "assigned"


def _kind_by_name(name: _Name, value: str) -> str:
    words = name.text
    vendor = _vendor(words)
    strong = _STRONG.search(words)
    if _NOT.search(words) and not (strong and vendor):
        return ""
    if _LONG_KEY.search(words) and not name.spaced and _KEY_MATERIAL.fullmatch(value):
        return _vendor_name(vendor)
    if strong and (not name.spaced or vendor or words.startswith("-")):
        return _vendor_name(vendor)
    if (
        vendor
        and not name.spaced
        and (_WEAK.search(words) or _UUID.fullmatch(value) or _OPAQUE.fullmatch(value))
    ):
        return _vendor_name(vendor)
    return ""


_PUBLIC = re.compile(  # a member that others can read, not a public key
    r"\bpublic (?=(?:static|const|readonly|final|string|override|var|let|val|virtual|required|internal)\b)"
)
_SETTING = re.compile(
    r"(?:^|[\s+-])(?:ENV|ARG|setx|setenv|#define"
    r"|set -x|set -gx|[cC]onfig set|secrets? (?:set|put)|env add)\s+[\w.:/-]+\s+[\"'`]?\Z"
)
_NAME_PATTERNS = {"value": _PAIR, "": _PAIR, "default": _VARIABLE}  # where the name of a general field is


def _sign(rest: str) -> str:
    """The sign of an assignment, if none follows what is left out between name and value."""
    return "" if "=" in rest else ": "


def _name(text: str, start: int) -> _Name | None:
    before = text[max(0, start - WINDOW) : start]
    if not _ELEMENT_OPENING.search(before):
        before = before.rpartition("\n")[2]
    before = before.removesuffix("base64:")
    if between := _BETWEEN.search(before):
        rest = before[between.end() :]
        other = _OTHER_NAME.sub(": ", rest)  # NAME = env.OTHER ?? "value"
        before = f"{before[: between.start()]}{_sign(rest) if rest == other else ' '}{other}"
    before = before[::-1]
    if match := _BEFORE.match(before):
        name = _PUBLIC.sub("", match[1][::-1].lower())
        pattern = _NAME_PATTERNS.get(name.strip("\"' -"))
        if pattern and (pair := pattern.findall(text, max(0, start - WINDOW), start)):
            name = pair[-1].lower()  # {"name": "PASSWORD", "value": "…"}
        return _Name(name, spaced=False)
    if match := _SPACED.match(before):
        return _Name(match[1][::-1].lower(), spaced=_SETTING.search(before[::-1]) is None)
    return None
