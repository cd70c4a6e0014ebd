"""Negation and opposites in sentences: mutually exclusive words, and relations with swapped sides."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from benchwright.text.words import stem, stems, words

_DENIES = re.compile(
    r"\b(?:not|no|never|none|nothing|nobody|nowhere|neither|nor|cannot|without|hardly|"
    r"(?:is|are|was|were|do|does|did|has|have|had|ca|could|wo|would|should|must|need)n'?t|"
    r"(?:fail|refuse|decline|neglect|forget)s? to|avoids?|lacks?|ignores?|instead of|rather than|"
    r"не|ни|нет|никогда|нельзя|никак\w*|ничего|ничто|никто|без|отсутству\w+|вместо)\b(?!-)(?! only\b)(?! только\b)"
    r"|不|没|未|无|别|勿|(?<!并)非(?!常)",
    re.IGNORECASE,
)
# "Not smaller" is a comparison, like "at least".
_AT_LEAST = re.compile(
    r"\b(?:not|не)\s+(?=(?:smaller|less|greater|larger|bigger|fewer|lower|higher|more|shorter|longer|earlier|"
    r"later|меньше|больше|ниже|выше|раньше|позже|более|менее)\b)|\bno\s+(?=(?:more|less|fewer|later|earlier) than\b)|不(?=小于|大于|少于|超过|低于|高于)",
    re.IGNORECASE,
)
_FALSE = re.compile(
    r"\b(?:false|untrue|incorrect|wrong|a lie|a myth|mistaken|(?:the )?opposite|(?:the )?contrary|reverse of|far from|"
    r"неверно|неправда|ложь|ложно|ошибочно|наоборот|напротив)\b|错误的是|并非|相反|假的|谎",
    re.IGNORECASE,
)
_CYRILLIC = re.compile("[а-яё]", re.IGNORECASE)
_PAIRS = """
first last|smaller larger|smaller greater|smaller bigger|less more|less greater|lower higher|lower upper|least most
smallest largest|minimum maximum|min max|before after|left right|ascending descending|always never|odd even
empty full|add remove|increase decrease|increment decrement|grow shrink|sum product|sum difference
plus minus|multiply divide|true false|open close|allow forbid|allow block|accept reject|above below|inside outside
start stop|begin end|new old|old young|same different|equal different|stable unstable|shared separate|early late
success failure|succeed fail|valid invalid|known unknown|mutable immutable|ordered unordered|sorted unsorted
inclusive exclusive|include exclude|keep drop|collect discard|gather scatter|keep discard|keep lose|remember forget|once twice|all none|every single
any all|free occupy|buffered unbuffered|longest shortest|long short|fast slow|positive negative|ok error
read write|lock unlock|enable disable|visible hidden|push pop|append prepend|encode decode|front back|head tail
первый последний|меньше больше|меньший больший|минимум максимум|до после|левый правый|возрастание убывание
всегда никогда|нечетный четный|пустой полный|увеличить уменьшить|добавить удалить|сумма произведение
сумма разность|открыть закрыть|новый старый|одинаковый разный|начало конец|строчный заглавный|включая исключая
можно нельзя|нижний верхний|допустимый запрещенный|конечный бесконечный
最小 最大|大于 小于|升序 降序|之前 之后|第一 最后|左侧 右侧|左边 右边|奇数 偶数|增加 减少|添加 删除|总和 乘积|打开 关闭
为空 非空|成功 失败|相同 不同|开始 结束
exclusive shared|breadth depth|linear binary|free busy|cheap dear|cheap expensive|row column|horizontal vertical
lossy lossless|recoverable fatal|required optional|client server|source target|import export|input output
первый второй|занятый свободный|дешевый дорогой|строка столбец|вход выход|обязательный необязательный
行 列|输入 输出|客户端 服务器
"""
# The words of a group are mutually exclusive: units, ordinals, numbers in words.
_GROUPS = """
nanosecond microsecond millisecond second minute hour day week month year
bit byte kilobyte megabyte gigabyte character
pixel point percent degree radian
meter metre kilometer centimeter millimeter mile inch
zero one two three four five six seven eight nine ten hundred thousand million
first second third fourth last
once twice thrice
наносекунда микросекунда миллисекунда секунда минута час день неделя месяц год
байт бит килобайт мегабайт гигабайт символ
ноль один два три четыре пять шесть семь восемь девять десять сто тысяча
毫秒 微秒 纳秒 分钟 小时
字节 字符
"""


def _opposites() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for pair in _PAIRS.replace("\n", "|").strip("|").split("|"):
        one, other = (stem(words(word)[0]) for word in pair.split())
        if one != other:
            found.setdefault(one, set()).add(other)
            found.setdefault(other, set()).add(one)
    for line in _GROUPS.strip().splitlines():
        group = {stem(words(word)[0]) for word in line.split()}
        for each in group:
            found.setdefault(each, set()).update(group - {each})
    return {word: frozenset(others) for word, others in found.items()}


_OPPOSITES = _opposites()


def is_negated(text: str) -> bool:
    """Return whether a sentence has an odd number of negations.

    >>> texts = ("The run does not end.", "It cannot be nothing.", "The run ends.")
    >>> tuple(map(is_negated, texts))
    (True, False, False)
    """
    plain = _AT_LEAST.sub(" ", text.replace("\u2019", "'"))
    return len(_DENIES.findall(plain)) % 2 == 1


def calls_false(text: str) -> bool:
    """Return whether a text has an odd number of words that call something false.

    In a Russian text the English word is a value of the code: "false, если список пуст".
    """
    found = [word for word in _FALSE.findall(text) if word != "false" or not _CYRILLIC.search(text)]
    return len(found) % 2 == 1


def exclude_each_other(one: str, other: str) -> bool:
    """Return whether two stems are opposites, or different members of an exclusive group."""
    return other in _OPPOSITES.get(one, ())


def has_opposite(wanted: Collection[str], found: Collection[str]) -> bool:
    """Return whether `found` has the opposite of a stem of `wanted` that `wanted` lacks."""
    return any(
        other in found and other not in wanted
        for word in wanted
        if word not in found
        for other in _OPPOSITES.get(word, ())
    )


_CONVERSE_PAIRS = """
before after|earlier later|above below|over under|larger smaller|bigger smaller|greater smaller|greater less|more less|more fewer
higher lower|longer shorter|older newer|older younger|faster slower|inside outside
до после|раньше позже|прежде после|выше ниже|больше меньше|длиннее короче|старше младше|старше новее|быстрее медленнее
之前 之后|以前 以后|大于 小于|高于 低于|早于 晚于|多于 少于
"""


class _RelationSides(NamedTuple):
    """Stems on both sides of a relation."""

    left: frozenset[str]
    right: frozenset[str]


def _converses() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for pair in _CONVERSE_PAIRS.replace("\n", "|").strip("|").split("|"):
        one, other = (stem(words(word)[0]) for word in pair.split())
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in found.items()}


_CONVERSES = _converses()


def converse_words(wanted: str, found: str) -> frozenset[str]:
    """Return stems of converse relations with exchanged sides, so that both texts mean the same.

    >>> sorted(converse_words("A header comes before its rows.", "The rows come after the header."))
    ['aft', 'befor']
    """
    ours, theirs = stems(words(wanted)), stems(words(found))
    crossed: set[str] = set()
    for word in _CONVERSES.keys() & set(ours) - set(theirs):
        for other in _CONVERSES[word] & set(theirs) - set(ours):
            if _sides_are_swapped(_sides(wanted, ours, word), _sides(found, theirs, other)):
                crossed |= {word, other}
    return frozenset(crossed)


def _sides(text: str, order: Sequence[str], relation: str) -> _RelationSides:
    """Return both sides of a relation. At the start of a sentence its right side comes first: "After A, B."."""
    at = order.index(relation)
    if at:
        return _RelationSides(frozenset(order[:at]), frozenset(order[at + 1 :]))
    first, comma, second = text.replace("，", ",").partition(",")
    if comma:
        return _RelationSides(frozenset(stems(words(second))), frozenset(stems(words(first))[1:]))
    middle = 1 + len(order[1:]) // 2
    return _RelationSides(frozenset(order[middle:]), frozenset(order[1:middle]))


def _sides_are_swapped(one: _RelationSides, other: _RelationSides) -> bool:
    """Return whether each side has more in common with the opposite side of the other relation."""
    straight = len(one.left & other.left) + len(one.right & other.right)
    return len(one.left & other.right) + len(one.right & other.left) > straight
