"""People in texts: mentions, e-mail addresses, IP addresses and phone numbers.

A text is prose with Markdown, or a diff. In prose, `@login` is a mention unless it is in code or is a word of
code, such as `@property`. In a diff it is a mention only inside a comment.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from ipaddress import ip_address

from benchwright.sources.cleaning.cleaning_words import cleaning_words
from benchwright.sources.cleaning.plain_words import PlainWords

Person = Callable[[str], str]
_DOMAIN = re.compile(r"(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![\w-])", re.ASCII)
_LOCAL = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-")
_NOT_FIRST = frozenset("+-.")  # of an address; the first column of a diff
_LONGEST_LOCAL, _LONGEST_NAME = 64, 80
# A trailer or header that names a person: the name is removed with the address.
_TRAILER = re.compile(
    r"[>#* +-]{0,9}(?:[A-Za-z-]{1,30}-by|From|Author|Cc|To|Commit|Reporter|Committer|AuthorName):[ \t]{0,8}",
    re.IGNORECASE,
)
_ANGLES = re.compile(r"<([^<>\s@]{1,64}@[^<>\s@]{1,254})>")
_NO_NAME = re.compile(r"[<>@,;:()\[\]{}\n\"'=|/]")
_MENTION = re.compile(
    r"@([A-Za-z\d](?:[A-Za-z\d]|-(?=[A-Za-z\d])){0,38})(\[bot\])?(?![\w@/-]|\.[A-Za-z_])", re.ASCII
)
_BEFORE_MENTION = re.compile(r"[\w@/.+-]")
_HOSTS = (
    "github.com/",
    "gitlab.com/",
    "bitbucket.org/",
    "codeberg.org/",
    "twitter.com/",
    "linkedin.com/",
    "facebook.com/",
)
_PROFILE = re.compile(
    r"(?:com|org)/(?:in/|users/)?([A-Za-z\d][A-Za-z\d_-]{0,60})/?(?=[\s)\]>\"',;]|\.(?:\s|$)|$)", re.ASCII
)
_IPV4 = re.compile(r"\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?![\w-]|\.\d)", re.ASCII)
_IPV6 = re.compile(r"[23][0-9a-fA-F]{3}:[0-9a-fA-F:]{4,35}(?![\w:])", re.ASCII)
_BEFORE_IP = re.compile(r"[\w.@=~^<>/:-]")
_VERSION = re.compile(
    r"(?:(?:version|release|bump|upgrad|updat)[^\n]{0,50}|[=<>~^]=\s{0,3}|[<>~^]\s{0,3}|\d\.\d)\Z",
    re.IGNORECASE,
)
_PHONES = (
    re.compile(r"\+\d{1,3}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d{1,4}(?:[ .-]\d{2,7}){1,4}(?![\w-]|\.\d)", re.ASCII),
    re.compile(r"\(\d{3}\) ?\d{3}-\d{4}(?![\w-]|\.\d)", re.ASCII),
    re.compile(r"\d{3}-\d{3}-\d{4}(?![\w-]|\.\d)", re.ASCII),
)
# A part of each IP address and phone number: one scan decides whether the others are needed.
_NUMBERS = re.compile(
    r"[\d+](?:(?<=\d)(?:\.\d{1,3}\.\d|[ .)-]{1,2}\(?\d{1,5}\)?[ .-]\d{2}|\) ?\d{3}-)"
    r"|(?<=[23])[0-9a-fA-F]{3}:[0-9a-fA-F:]{4}|(?<=\+)\d{1,3} ?\d{2,4}[ .-]\d{2})",
    re.ASCII,
)
_BEFORE_PHONE = re.compile(r"[\w+.-]")
_CALLED = re.compile(
    r"((?:phone|tel|mobile|cell|fax|whatsapp)\w{0,6}[\"']?[ :.=#]{1,4}[\"']?)(\+?\d[\d ().-]{6,18}\d)",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,}).*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"(`{1,3})[^`\n]{1,400}\1(?!`)")
_DIFF = re.compile(r"(?:diff --git |@@ -\d|--- \S|Index: )")
_COMMENT = re.compile(r"(?:#|//|/\*|<!--|--|;|^[+ -]?\s*\*|\"\"\"|''')[^\n]*\Z")
_TAG = re.compile(r"(?:\*|//|#|\"\"\"|/\*\*?|--)\s*\Z")

# Words after @ in code: decorators, annotations, documentation tags, rules of style sheets.
_WORDS = cleaning_words("code")


def without_people(text: str, person: Person) -> str:
    """The text with pseudonyms for people, `<ip>` for public addresses and `<phone>` for numbers."""
    words = _PLAIN.others(text)
    if not words:
        return text
    telling = list(filter(_is_telling, words))
    _PLAIN.add(words.difference(telling))
    if any(map(_names_somebody, telling)):
        text = _replaced(text, _named_addresses(text, person))
        text = _replaced(text, _addresses(text, person))
        text = _mentions(text, person)
        text = _PROFILE.sub(lambda match: _profile(match, person), text)
    if any(map(_NUMBER_PART.search, telling)) and _NUMBERS.search(text):
        text = _phones(_IPV6.sub(_ip, _IPV4.sub(_ip, text)))
    return _called(text) if any(map(_calls, telling)) else text


_PLAIN = PlainWords()
_CALLERS = ("phone", "tel", "mobile", "cell", "fax", "whatsapp")
_calls = re.compile("|".join(_CALLERS), re.IGNORECASE).search
# A part of each IP address and phone number that lies within one word; a phone number has spaces.
_NUMBER_PART = re.compile(
    r"\d\.\d{1,3}\.\d{1,3}\.\d|[23][0-9a-fA-F]{3}:[0-9a-fA-F:]|\+[\d.()-]*\d(?:[.()-]|\Z)|\(\d{3}\)"
    r"|\d{3}-\d{3}-\d",
    re.ASCII,
)


def _is_telling(word: str) -> bool:
    return _NUMBER_PART.search(word) is not None or _names_somebody(word) or _calls(word) is not None


def _names_somebody(word: str) -> bool:
    """Whether a word has an address, a mention or a profile; the text around it may show that it has none."""
    if "@" in word and (
        _ANGLES.search(word)
        or next(_addresses(word, str), None) is not None
        or not all(map(_is_word, _MENTION.finditer(word)))
    ):
        return True
    return ("com/" in word or "org/" in word) and any(map(_is_person, _PROFILE.finditer(word)))


_Span = tuple[int, int, str]  # start, end and replacement


def _replaced(text: str, spans: Iterable[_Span]) -> str:
    parts, at = [], 0
    for start, end, new in spans:
        parts += [text[at:start], new]
        at = end
    return "".join([*parts, text[at:]]) if parts else text


def _named_addresses(text: str, person: Person) -> Iterator[_Span]:
    """`Name <address>`, with the name."""
    done = 0
    for match in _ANGLES.finditer(text):
        start = max(done, match.start() - _LONGEST_NAME)
        start = max(start, text.rfind("\n", start, match.start()) + 1)
        if trailer := _TRAILER.match(text, start, match.start()):
            start = trailer.end()
        else:
            name = _NO_NAME.split(text[start : match.start()])[-1]
            start = match.start() - len(name.lstrip(" \t+-*#>"))
        done = match.end()
        yield start, done, person(match[1])


def _addresses(text: str, person: Person) -> Iterator[_Span]:
    """E-mail addresses. `git@host:` is the account of a server, not a person."""
    at, done = text.find("@"), 0
    while at >= 0:
        start = at
        while start > max(done, at - _LONGEST_LOCAL) and text[start - 1] in _LOCAL:
            start -= 1
        while start < at and text[start] in _NOT_FIRST:
            start += 1
        if start < at and (match := _DOMAIN.match(text, at + 1)) and _is_personal(text, start, match):
            done = match.end()
            yield start, done, person(text[start:done])
        at = text.find("@", max(at + 1, done))


def _is_personal(text: str, start: int, host: re.Match[str]) -> bool:
    local, end = text[start : host.start() - 1].lower(), host.end()
    if local in _ACCOUNTS and text[end : end + 1] in (":", "/"):
        return False
    return not host[0].lower().endswith(_SAMPLES)


_ACCOUNTS = {"git", "hg", "svn", "ssh"}
_SAMPLES = (".example", ".invalid", ".test", ".localhost")  # reserved for documentation by RFC 2606


def _mentions(text: str, person: Person) -> str:
    if _DIFF.match(text):
        return _MENTION.sub(lambda match: _in_comment(match, person), text)
    parts, at = [], 0
    for start, end in _code_spans(text):
        parts += [_MENTION.sub(lambda match: _mention(match, person), text[at:start]), text[start:end]]
        at = end
    return "".join([*parts, _MENTION.sub(lambda match: _mention(match, person), text[at:])])


def _code_spans(text: str) -> list[tuple[int, int]]:
    fences = [each.span() for each in _FENCE.finditer(text)] if "```" in text or "~~~" in text else []
    inline = [each.span() for each in _CODE.finditer(text)] if "`" in text else []
    free = [span for span in inline if not any(start <= span[0] < end for start, end in fences)]
    return sorted([*fences, *free])


def _mention(match: re.Match[str], person: Person) -> str:
    """The pseudonym for a mention in prose; a decorator precedes a definition."""
    if _is_word(match) or _decorates(match.string, match.start(), match.end()):
        return match[0]
    return f"@{person(match[1])}"


def _is_word(match: re.Match[str]) -> bool:
    """True for a bot, a word of code, and an @ inside a word, as in an address."""
    before = match.string[max(0, match.start() - 1) : match.start()]
    return bool(match[2]) or match[1] in _WORDS or _BEFORE_MENTION.match(before) is not None


_DECORATED = re.compile(
    r"(?:\([^\n]*\))?[ \t]*\n[ \t]*"
    r"(?:@|(?:async|def|class|public|private|protected|static|export|function|fun|final|override) )"
)


def _decorates(text: str, start: int, end: int) -> bool:
    """True for the first word of a line that calls, or that precedes a definition."""
    line = text.rfind("\n", 0, start) + 1
    if text[line:start].strip("+- \t"):
        return False
    return text[end : end + 1] == "(" or start - line >= 4 or _DECORATED.match(text, end) is not None


def _in_comment(match: re.Match[str], person: Person) -> str:
    """The pseudonym for a mention in a comment of code; a tag at its start documents the code."""
    line = match.string.rfind("\n", 0, match.start()) + 1
    before = match.string[line : match.start()]
    if _is_word(match) or not _COMMENT.search(before) or _TAG.search(before):
        return match[0]
    return f"@{person(match[1])}"


_PAGES = cleaning_words("pages")


def _profile(match: re.Match[str], person: Person) -> str:
    if not _is_person(match):
        return match[0]
    return f"{match[0][: match.start(1) - match.start()]}{person(match[1])}"


def _is_person(match: re.Match[str]) -> bool:
    """True for the address of a person's page at a host of profiles."""
    host = match.string[max(0, match.start() - 12) : match.start() + 4].lower()
    return match[1].lower() not in _PAGES and host.endswith(_HOSTS)


def _ip(match: re.Match[str]) -> str:
    """`<ip>` for a public address; private ones and version numbers stay."""
    before = match.string[max(0, match.start() - 60) : match.start()]
    if _BEFORE_IP.match(before[-1:]):
        return match[0]
    try:
        public = ip_address(match[0]).is_global
    except ValueError:
        return match[0]
    if not public or (":" not in match[0] and _VERSION.search(before)):
        return match[0]
    return match[0] if match[0] in _RESOLVERS else "<ip>"


_RESOLVERS = {"1.1.1.1", "8.8.8.8", "8.8.4.4", "1.0.0.1", "1.2.3.4", "9.9.9.9"}  # public services and samples
_DIGITS = range(9, 16)  # digits of an international number (ITU-T E.164)


def _phones(text: str) -> str:
    for pattern in _PHONES:
        text = pattern.sub(lambda match: "<phone>" if _is_phone(match) else match[0], text)
    return text


def _called(text: str) -> str:
    """Numbers in any form after a word such as "phone"."""
    lower = text.lower()
    cues = [each for each in _CALLERS if each in lower]
    if not cues or (text.isascii() and not any(_has_number(text, lower, each) for each in cues)):
        return text
    return _CALLED.sub(lambda match: f"{match[1]}<phone>" if _digits(match[2]) in _DIGITS else match[0], text)


def _has_number(text: str, lower: str, cue: str) -> bool:
    at = lower.find(cue)
    while at >= 0:
        if _CALLED.match(text, at):
            return True
        at = lower.find(cue, at + 1)
    return False


def _is_phone(match: re.Match[str]) -> bool:
    """True with the digits of a phone number; a plus in the first column is the sign of a diff."""
    before = match.string[max(0, match.start() - 1) : match.start()]
    if _BEFORE_PHONE.match(before) or (match[0].startswith("+") and before in ("", "\n")):
        return False
    return _digits(match[0]) in _DIGITS


def _digits(text: str) -> int:
    return sum(each.isdigit() for each in text)
