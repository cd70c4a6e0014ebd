"""Passwords: values of several kinds of characters after a name such as `password`, `secret` or `token`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchwright.sources.cleaning.secret_values import is_placeholder, is_random, is_strong_password

_PASSWORD_CUE = ("passw", "pwd", "passphrase", "secret", "_pass", "credential")
_PASSWORD = re.compile(
    r"[\w.-]{0,40}[\"'\]\\`*)]{0,4}\s{0,9}(?:(?:set )?(?:to|is)(?=:?\s+[`\"'])"
    r"|value\s?=|,\s?[\"']?value[\"']?\s?:|: ?(?:&?str|string)\s?="
    r"|\{ get; set; \} =|string\s=|!?={2,3}|<-|: ?String::from\("
    r"|[:+?.|]{0,3}=>?|[:,(>|]|\s--body[ =]|</key>\s{0,9}<string>|\s)\s{0,9}"
    r"(?:[a-z]{0,2}\\?(?:\"([^\"\n\s\\]{8,128})\\?\"|'([^'\n\s\\]{8,128})\\?'|`([^`\n\s\\]{8,128})`)"
    r"|([^\s\"'`,;(){}<>\[\]$]{8,128})(?=[\s\"'`;,<]|$|\\n))",
    re.IGNORECASE | re.ASCII,
)
_TOKEN_CUE = ("token", "_key", "apikey")  # values of other characters: the rest is found as random values
PASSWORD_CUES = frozenset((*_PASSWORD_CUE, *_TOKEN_CUE))
_NOT_PASSWORDS = ("secret", "credential", *_TOKEN_CUE)
_WEAK_PASSWORD = re.compile(
    r"(?!(?i:sha|md5|pass|utf|secret|test|example|user|foo))[A-Za-z]{3,20}[0-9]{2,6}[!@#$]{0,2}"
)
_ARGUMENT = re.compile(r"[a-z]\w*=\w*\Z", re.ASCII)
UNQUOTED = 4  # the group of a value without quotes
_SIGN = re.compile(r"\A(?=[^/=,|\\]*\Z).*[!#$%^*+@~]")
_WORDS_AND_SIGN = re.compile(
    r"[A-Za-z0-9]{2,40}[!#$^&*@][A-Za-z0-9!#$^&*@]{2,40}|[A-Za-z0-9]{7,40}[!$^@]{1,3}"
)
_CODE = re.compile(r"[()<>{}\[\] ]|^\$|%\(|::|->|://|^[\w.]+$")


def assigned_passwords(text: str) -> Iterator[tuple[int, int, str]]:
    """The start, end and kind of each strong value after the name of a password or token."""
    lower = text.lower()
    if len(lower) != len(text):
        return
    for cue in (*_PASSWORD_CUE, *_TOKEN_CUE):
        at = lower.find(cue)
        while at >= 0:
            end = at + len(cue)
            if _in_marker(text, at):
                pass  # of an earlier cleaning
            elif (match := _PASSWORD.match(text, end)) and _is_password(match, cue):
                end = match.end()
                yield *match.span(match.lastindex or 0), "password"
            at = lower.find(cue, end)


def _in_marker(text: str, at: int) -> bool:
    """True inside `<secret:KIND>`."""
    start = text.rfind("<secret:", max(0, at - 40), at)
    return start >= 0 and ">" not in text[start:at]


def _is_password(match: re.Match[str], cue: str) -> bool:
    value = match[match.lastindex or 0]
    if is_placeholder(value) or "://" in value or (match.lastindex == UNQUOTED and _ARGUMENT.match(value)):
        return False
    assigned = match.lastindex != UNQUOTED or match.string[match.start(UNQUOTED) - 1] in "=:"
    if assigned and cue not in _NOT_PASSWORDS and _WEAK_PASSWORD.fullmatch(value):
        return True
    if cue in _TOKEN_CUE:
        return _SIGN.search(value) is not None and is_strong_password(value) and not _CODE.search(value)
    if _CODE.search(value):
        random = is_random(value) or (
            match.lastindex == UNQUOTED and cue != "credential" and is_random(value[2:])
        )
        return random and value.isascii() and not set("()[]{}<>") & set(value)
    return is_strong_password(value) or (assigned and _WORDS_AND_SIGN.fullmatch(value) is not None)
