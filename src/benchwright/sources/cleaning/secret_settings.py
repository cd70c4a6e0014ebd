"""Passwords and keys of words in settings: `smtp_password: "shop_mail_mno345"`, `PASSWORD=swordfish`.

A literal after the name of a credential is a secret unless each of its words is a word of tests, of types or
of the name itself. A value without digits or signs is one only after the name of a password, in a form that
code does not have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchwright.sources.cleaning.cleaning_words import cleaning_words
from benchwright.sources.cleaning.secret_values import is_placeholder, is_random, is_strong_password

_CUES = (
    "pass",
    "pwd",
    "secret",
    "token",
    "credential",
    "_key",
    "-key",
    ".key",
    "apikey",
    "accesskey",
    "nkey",
    "pw",
    "psw",
    "pssw",
    "pasw",
)
SETTING_CUES = frozenset(_CUES)
_NAME = re.compile(r"[\w.-]{0,40}\Z", re.ASCII)
_KEY = re.compile(
    r"(?:api|secret|access|private|encryption|encrypt|master|signing|license|licence|auth|service|account|storage"
    r"|shared|backup|application|app|webhook|hmac|session|jwt|crypto|cipher|security|token)[_.-]?key"
)
# The rest of the name of a credential after its cue.
_TAIL = (
    r"(?:w?o?r?d|phrase|code)?s?\d{0,3}(?:[_.-]?(?:key|token|pass|passwd|password|value|base|string|text|plain"
    r"|default|prod|production|dev|staging|live|root|admin|user|db|old|new|\d{1,3})|[_.-][a-z](?![a-z])){0,3}"
)
_SIGN = (
    r"(?:\s?:?\s?(?:final |&)?(?:str|string)\??\s?=|:\s?&'static str\s?=|\s?\{\s?get;\s?set;\s?\}\s?="
    r"|\s{0,3}\{[^{}]{0,200}?\bdefault\s{0,9}=|:\s{1,20}(?:[\w ]{1,60}:[^\n:]{1,60}\n\s{1,20}){0,3}default:"
    r"|\s{0,9}(?::=|[=!]==?|=>|[+?.:|]=|[=:])|\s?\?\?|\s?\|\||\s?\?:|\s{1,3}or(?=\s)"
    r"|\s{1,3}(?:is|to)(?=\s+[\"'`])|[,(]|(?:\s[^<>\n]{1,80})?>|,?\s{1,20}[\"']?value[\"']?\s?[:=]"
    r"|</(?:key|name)>\s{0,20}<(?:value|string)>|(?=\s))"
)
_QUOTED = r"[brf@]{0,2}\\?(?:\"([^\"\n\s\\]{6,128})\\?\"|'([^'\n\s\\]{6,128})\\?'|`([^`\n\s\\]{6,128})`)"
_SETTING = re.compile(
    rf"{_TAIL}(?![\w.-])([\"'\]\\`)]{{0,4}}(?:\[\d{{0,5}}\])?{_SIGN})([\[({{]?\s{{0,4}})"
    rf"(?:{_QUOTED}|([^\s\"'`,;(){{}}<>\[\]|]{{6,128}})(?=[\"'`<}}]|\s|\Z|\\n|[;),]))",
    re.IGNORECASE | re.ASCII,
)
_UNQUOTED = 6  # the group of a value without quotes
_OPTION = re.compile(r"--[\w.-]{0,40}\Z|(?:\b(?:ENV|ARG|setx?|export)\s+[\w$.:-]{0,40})\Z", re.ASCII)
_CODE = re.compile(
    r"[()<>{}\[\] ]|^[$%]|[$%][{(]|%s|::|->|://|\.\w+\.\w|^[\w-]+\.[A-Za-z]\w*$|^[@./~:]|[:=]$|^\w+/\w|\\|^0x|^[\d.,:eE+-]+$"
)
_WORDS = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{2,}")
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")
NEAR = 60  # characters before a name that are read
LONG, SHORTEST = 20, 10  # characters of values that are random or have several kinds of characters
_CLOSING = "\"'`])\\"
_SEPARATORS = ("", " ", "\t", "-", "?", "&")
_NOTES, _NOTED = tuple(" ,/(-"), re.compile(r"pass|ps?s?w")
_SIGNS = ("=", ":", ":=", "?=", "::=", "+=")
_BEFORE = ("export ", "ENV ", "ARG ", "-e ", "set ", "${", "$", "env:", "local ", "declare ")
_LINE_END = re.compile(r"[\"'`<}]|\s*(?:\r?\n|\Z)|\s+[\\#-]|\\n")
_GETTER = re.compile(
    r"(?i)(?:get|env|define|put|set|add|default|property|config|param)\w{0,20}\(\s?[\"'][\w.-]{0,10}\Z"
)
_ASSIGNED = re.compile(
    r"(?is)[ \t]{0,3}(?::=|=>|[=:?+.]=|[=:])(?!=)[ \t]*\Z|.{0,90}>\Z|</|\s?(?:\?\?|\|\||\?:)|\s{1,3}or\Z"
    r"|.*(?:value|default|string|str|set; \})\??\s?[:=>]"
)
_STANDS_FOR = frozenset(
    {"your", "example", "placeholder", "env", "todo", "required", "optional", "encrypted"}
)
_NOT_SECRET = re.compile(r"csrf|xsrf|forgery|nonce|public|hash|digest|cache|author(?!i)")
_PASS = re.compile(
    r"passw|passphrase|passcode|(?<![a-z])pass(?![a-z])"
    r"|(?:user|db|smtp|mail|ftp|my|jdbc|ldap|store|key)pass(?![a-z])"
)
_PW = re.compile(r"(?<![a-z])pwd?(?![a-z])")
_MIXED = re.compile(r"(?=.*[a-z])(?=.*[A-Z])(?=.*\d)")  # as in notes: `id:shop pw:Harbor17`
_PASSWORD_CUES = ("pass", "pwd", "pw", "psw", "pssw", "pasw")
# Words with numbers that are names of types, algorithms and versions.
_TECHNICAL = re.compile(
    r"(?i)(?<![a-z])(?:u?int|float|utf|sha|md|base|aes|rsa|hs|rs|es|ps|ed|x|p|v|ipv|http|oauth|auth|web|l|s|ec|h|str"
    r"|uuid|pkcs|urllib|python|py|node|java|tls|ssl|level|step|part|page|item|line|no|nr|arg|param|field|col"
    r"|version)_?-?\d{1,4}"
    r"(?:bit|array|with|rsa)?(?![a-z])"
)
_TEST_WORDS = cleaning_words("test_values") | cleaning_words("examples")


def chosen_secrets(text: str) -> Iterator[tuple[int, int, str]]:
    """The start, end and kind of each value of words that is assigned to the name of a credential."""
    lower = text.lower()
    if len(lower) != len(text):
        return
    for cue in _CUES:
        at = lower.find(cue)
        while at >= 0:
            end = at + len(cue)
            if match := _SETTING.match(text, end):
                name = _NAME.findall(lower, max(0, at - 40), at)[0] + lower[at : match.start(1)]
                if _is_chosen(match, name, cue):
                    yield *match.span(match.lastindex or 0), "password"
                    end = match.end()
            at = lower.find(cue, end)


def _is_chosen(match: re.Match[str], name: str, cue: str) -> bool:
    value = match[match.lastindex or 0]
    if is_placeholder(value) or not _is_name(name, cue) or "<secret" in match[0]:
        return False
    quoted, password = match.lastindex != _UNQUOTED, cue in _PASSWORD_CUES
    if not quoted and not _is_setting(match, name):
        return False
    if _CODE.search(value):
        random = len(value) >= LONG and is_random(value) and is_strong_password(value)
        return random and _BASE64.fullmatch(value) is not None
    if not _has_own_word(value, name):
        return False
    if _digits(value) >= (1 if password else 3) or _is_strong(value):
        return True
    return password and (not quoted or _is_assigned(match, name))


def _is_name(name: str, cue: str) -> bool:
    """True for the name of a credential."""
    if _NOT_SECRET.search(name):
        return False
    if cue == "pass":
        return _PASS.search(name) is not None
    if cue == "pw":
        return _PW.search(name) is not None
    return not cue.endswith("key") or _KEY.search(name) is not None


def _is_setting(match: re.Match[str], name: str) -> bool:
    """True for a value without quotes as settings have it; code would have a name or an expression there."""
    text, sign = match.string, match[1].lstrip(_CLOSING)
    start, end = match.start(1) - len(name), match.end()
    near = max(0, start - NEAR)
    line = max(near, text.rfind("\n", near, start) + 1)
    before, after = text[line:start], text[end : end + 1]
    if not sign.strip():
        return not match[1].strip() and _OPTION.search(text[line : match.start(1)]) is not None
    if sign.startswith(":") and before[-1:] in _NOTES and _NOTED.search(name):
        return _MIXED.match(match[_UNQUOTED]) is not None or _LINE_END.match(text, end) is not None
    if _LINE_END.match(text, end):
        return _is_last(sign.strip(), before, after)
    if after == ";":
        return sign == "=" and before[-1:] in (";", '"', "'")
    return after not in (")", ",") and sign == "=" and before[-1:] in _SEPARATORS


def _is_last(sign: str, before: str, after: str) -> bool:
    """True for the sign of a setting whose value ends the line, or the quotes around name and value."""
    if before.endswith(("'", '"')) and after == before[-1]:  # a header
        return sign in ("=", ":")
    if sign == "=" or sign.endswith(">") or "value" in sign or "efault" in sign:
        return True
    return sign in _SIGNS and (not before.strip("+- \t#") or before.endswith(_BEFORE))


def _is_assigned(match: re.Match[str], name: str) -> bool:
    """True for a value in quotes that is the value of a setting, not the next argument or word."""
    sign = match[1].lstrip(_CLOSING)
    if sign.strip() == ",":
        start = match.start(1) - len(name)
        return _GETTER.search(match.string, max(0, start - 40), start) is not None
    return _ASSIGNED.match(sign) is not None


def _has_own_word(value: str, name: str) -> bool:
    """True unless each word of a value is one of tests, of types, or of the name."""
    words = {each.lower() for each in _WORDS.findall(_TECHNICAL.sub("-", value))}
    return bool(words - _TEST_WORDS - set(_WORDS.findall(name))) and not words & _STANDS_FOR


def _digits(value: str) -> int:
    return sum(map(str.isdigit, _TECHNICAL.sub("-", value)))


def _is_strong(value: str) -> bool:
    return len(value) >= SHORTEST and (is_random(value) or is_strong_password(value))
