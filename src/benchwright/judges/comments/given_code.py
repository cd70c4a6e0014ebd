"""The given code of a comments task, read once for all answers: its sentences, names and references.

Mentions of names are found by form: in backticks, called, snake_case, camelCase, UPPER_CASE, after `self.` or
`this.`, or with the ending of an exception. Plain words with dots or inner capitals, such as `example.com`
and GitHub, do not count.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from functools import cached_property, lru_cache
from typing import NamedTuple

from benchwright.contracts import CommentSpec
from benchwright.lang.comment_reading import anchors, read_comments
from benchwright.lang.comment_records import CodeToken
from benchwright.lang.docstyles.styles import parse_shown
from benchwright.lang.languages import commented_language
from benchwright.lang.vocabulary import is_exception
from benchwright.text.concepts import concepts
from benchwright.text.opposites import is_negated
from benchwright.text.words import clauses, natural_language, sentences, similarity, stems, words

_WORD = re.compile(r"\w+")
_FEW = 60  # sentences of references that every comment is compared with
_NEGATIONS = frozenset({"not", "!", "!=", "!==", "is not", "<>"})


class ComparedText(NamedTuple):
    """A text prepared for comparison."""

    text: str
    stems: Counter[str]
    language: str  # as `natural_language` returns it, without names of the code

    def differs(self, other: ComparedText) -> bool:
        """Return whether two texts are in different languages."""
        return bool(self.language and other.language) and self.language != other.language

    def likeness(self, other: ComparedText, names: Collection[str]) -> float:
        """Return the likeness of a reference and a comment, 0 to 1. Across languages only names of the code
        can match."""
        if not self.differs(other):
            return similarity(self.stems, other.stems)
        texts = (self.text, other.text)
        ours, theirs = (Counter(filter(names.__contains__, _WORD.findall(text))) for text in texts)
        return similarity(ours, theirs) if ours else 0.0


class Clause(NamedTuple):
    """A part of a sentence, and whether it denies."""

    stems: frozenset[str]
    denies: bool


class ReferenceSentence(NamedTuple):
    """A sentence of a reference, the line it is about (0: the whole), and its clauses."""

    line: int
    text: str
    order: tuple[str, ...]  # its stems, in order
    stems: frozenset[str]
    clauses: tuple[Clause, ...]


def read_clauses(sentence: str) -> tuple[Clause, ...]:
    """Return the clauses of a sentence that have content words."""
    found = (Clause(frozenset(stems(words(part))), is_negated(part)) for part in clauses(sentence))
    return tuple(each for each in found if each.stems)


def _reference(line: int, text: str) -> ReferenceSentence:
    order = tuple(stems(words(text)))
    return ReferenceSentence(line, text, order, frozenset(order), read_clauses(text))


class GivenCode:
    """The code of a task with the facts that scores need, each computed on first use."""

    def __init__(self, spec: CommentSpec) -> None:
        self.spec = spec
        self.language = commented_language(spec.lang)
        self.styles = (spec.style,) if spec.style else self.language.doc_styles
        self.code = read_comments(spec.code, spec.lang)

    @property
    def has_references(self) -> bool:
        """Return whether there is a reference comment to compare answers with."""
        return bool(self.spec.annotations or self.spec.comment)

    @cached_property
    def comments(self) -> Counter[tuple[int | None, str]]:
        """Return the line and the text of each comment in the given code."""
        places = anchors(self.code, self.code)
        return Counter((places.get(at), comment.text) for at, comment in enumerate(self.code.comments))

    @cached_property
    def names(self) -> frozenset[str]:
        """Return names, numbers and strings of the code, as a comment may mention them."""
        plain = [token.text for tokens in self.tokens_by_line.values() for token in tokens]
        return self.code.names | {text.strip("\"'`") for text in plain}

    def has(self, mention: str) -> bool:
        """Return whether a mentioned name is one of the code, of its language, or of the references.

        An exception of the language counts only if the code names it or does what raises it.
        """
        name = mention.strip("\"'+-")
        if name in self.code.names or name.rpartition(".")[2] in self.names_in_references:
            return True
        if is_exception(name):
            return any(name in names and token in self.names for token, names in self.language.raises.items())
        return exists(name, self.names, self.language.builtin_names)

    @cached_property
    def names_in_references(self) -> frozenset[str]:
        """Return the words of the references as written."""
        texts = [*(each.text for each in self.spec.annotations), self.spec.comment]
        return frozenset(word for text in texts for word in _WORD.findall(text))

    @cached_property
    def tokens_by_line(self) -> dict[int, list[CodeToken]]:
        """Return the tokens of the code by line, without structure."""
        found: dict[int, list[CodeToken]] = {}
        for token in self.code.tokens:
            if not token.text.startswith("\n"):
                found.setdefault(token.line, []).append(token)
        return found

    @cached_property
    def annotations(self) -> list[tuple[int, ComparedText]]:
        """Return the reference annotations in line order, those of one line joined."""
        texts: dict[int, list[str]] = {}
        for each in self.spec.annotations:
            texts.setdefault(each.line, []).append(each.text)
        return [(line, self.compared_text("\n".join(texts[line]))) for line in sorted(texts)]

    @cached_property
    def annotation_of(self) -> dict[int, ComparedText]:
        """Return the reference annotations by line."""
        return dict(self.annotations)

    @cached_property
    def reference_length(self) -> int:
        """Return the number of words in all references."""
        references = [prose for _, prose in self.annotations] + ([self.comment] if self.comment else [])
        return sum(prose.stems.total() for prose in references)

    @cached_property
    def comment(self) -> ComparedText | None:
        """Return the reference comment on the whole, if there is one."""
        text = self.spec.comment
        return self.compared_text(parse_shown(text, self.styles[0]).prose()) if text else None

    @cached_property
    def words_of_names(self) -> frozenset[str]:
        """Return the words that names of the code consist of."""
        return frozenset(words(" ".join(self.code.names)))

    @cached_property
    def words_of_code(self) -> frozenset[str]:
        """Return the words of all names, strings and keywords."""
        return frozenset(words(" ".join(self.names)))

    @cached_property
    def stems_of_code(self) -> frozenset[str]:
        """Return the stems of all names, strings and numbers of the code, and of its types."""
        return frozenset(stems(self.words_of_code))

    @cached_property
    def statements(self) -> list[ReferenceSentence]:
        """Return each sentence of the references."""
        references = [*self.annotations, *([(0, self.comment)] if self.comment else [])]
        found = [_reference(line, part) for line, prose in references for part in sentences(prose.text)]
        return [each for each in found if each.stems]

    def statements_near(self, line: int) -> list[ReferenceSentence]:
        """Return the sentences that a comment about a line is compared with: all, or of many those at most
        one line away."""
        if len(self.statements) <= _FEW:
            return self.statements
        return [each for at in (0, line - 1, line, line + 1) for each in self._statements_of.get(at, ())]

    @cached_property
    def _statements_of(self) -> dict[int, list[ReferenceSentence]]:
        found: dict[int, list[ReferenceSentence]] = {}
        for each in self.statements:
            of_line = found.setdefault(each.line, [])
            if len(of_line) < _FEW:
                of_line.append(each)
        return found

    @cached_property
    def topic(self) -> frozenset[str]:
        """Return stems; a comment on this code should have at least one of them."""
        return self.stems_of_code | self.stems_of_references

    @cached_property
    def concepts(self) -> frozenset[int]:
        """Return the concepts that the code and the references are about, in any wording."""
        return concepts(self.topic)

    @cached_property
    def stems_of_references(self) -> frozenset[str]:
        """Return the stems of all references."""
        return frozenset().union(*(each.stems for each in self.statements))

    def stems_of_line(self, line: int) -> frozenset[str]:
        """Return the stems of a line of the code, and of how it is read aloud."""
        return self._aloud.get(line, frozenset())

    def line_denies(self, line: int) -> bool:
        """Return whether a line of the code has a negation itself."""
        return any(token.text in _NEGATIONS for token in self.tokens_by_line.get(line, ()))

    @cached_property
    def _aloud(self) -> dict[int, frozenset[str]]:
        return {
            line: frozenset().union(*(read_aloud(token.text) for token in tokens))
            for line, tokens in self.tokens_by_line.items()
        }

    def compared_text(self, text: str) -> ComparedText:
        """Return a text about this code, prepared for comparison."""
        text_words = words(text)
        language = natural_language([word for word in text_words if word not in self.words_of_names])
        return ComparedText(text, Counter(stems(text_words)), language)


MOST = 1000  # maximum mentions of one answer
_NAME = r"[^\W\d]\w{0,100}(?:(?:\.|::|#)[^\W\d]\w{0,100}){0,5}"
_MENTION = re.compile(
    rf"``?(?P<quoted>[^`\n]{{1,100}})``?"
    rf"|(?<![\w.@/])(?P<called>{_NAME})\(\)"
    r"|(?<![\w.@/])(?P<own>(?:self|this|cls)(?:\.[^\W\d]\w{0,100})+)"
    r"|(?<![\w.@/-])(?P<formed>_?[^\W\d_]+\d*_\w{1,100}"  # snake_case, UPPER_CASE
    r"|[a-z]{2,40}\d{0,4}[A-Z]\w{0,100}"  # camelCase
    r"|[A-Z]\w{0,100}(?:Error|Exception))(?![\w/-])"
)
_LIKELY = re.compile(r"[`_]|\(\)|[a-z]\d{0,4}[A-Z]|(?:self|this|cls)\.")  # characters of every mention
_CALL = re.compile(rf"(?P<name>@?{_NAME})\(.*\)")
_WHOLE = re.compile(_NAME)
_LITERAL = re.compile(r"[-+]?\d[\w.]*|\"[^\"]*\"|'[^']*'")
_SEPARATOR = re.compile(r"\.|::|#")
_OWNERS = frozenset({"self", "this", "cls"})


def mentions(text: str) -> list[str]:
    """Return the names and quoted literals that a text mentions, each once, in order; at most `MOST`."""
    if not (_LIKELY.search(text) or "Error" in text or "Exception" in text):
        return []
    found: dict[str, None] = {}
    for match in _MENTION.finditer(text):
        name = _quoted(match["quoted"].strip()) if match["quoted"] else match[match.lastgroup or 0]
        if name:
            found[name] = None
        if len(found) >= MOST:
            break
    return list(found)


def _quoted(text: str) -> str:
    """Return the content of backticks if it is a name or a literal; "" for an expression or prose."""
    called = _CALL.fullmatch(text)
    if called:
        return called["name"].lstrip("@")
    return text if _WHOLE.fullmatch(text) or _LITERAL.fullmatch(text) else ""


def exists(mention: str, names: Collection[str], builtin: Collection[str]) -> bool:
    """Return whether a mention exists: as a name of the code or of the language.

    Of a dotted name each part does, or its first part belongs to the language, such as a module of its
    library. Names like `__init__` belong to the language.
    """
    if mention in names or mention in builtin or (mention.startswith("__") and mention.endswith("__")):
        return True
    first, *rest = _SEPARATOR.split(mention)
    if first in _OWNERS:
        return all(part in names for part in rest)
    return bool(rest) and (
        first in builtin or all(part in names or part in builtin for part in (first, *rest))
    )


_READ_ALOUD = {
    "=": "set assign store save put equal variable присвоить присваиваем записать сохранить равно переменная 赋值 设置 保存 等于 变量",
    ":=": "set assign declare store variable присвоить присваиваем объявить объявляем переменная 赋值 设置 声明 等于 变量",
    "+=": "increment increase add plus увеличить увеличиваем прибавить прибавляем добавить добавляем 增加 加上 加",
    "++": "increment increase add one увеличить увеличиваем единица 增加 加一",
    "-=": "decrement decrease subtract minus уменьшить уменьшаем вычесть вычитаем 减少 减去",
    "--": "decrement decrease subtract one уменьшить уменьшаем единица 减少 减一",
    "==": "equal compare check равен равно равны сравнить сравниваем 等于 相等 比较",
    "!=": "equal compare check differ равен равно сравнить отличается 不等于 比较",
    "<": "less smaller lower check меньше 小于",
    ">": "greater more larger bigger check больше 大于",
    "<=": "less equal most check меньше равно 小于等于",
    ">=": "greater equal least check больше равно 大于等于",
    "if": "check whether condition statement test проверить проверяем проверка условие если 如果 判断 检查 条件",
    "elif": "check whether otherwise condition else проверить проверяем иначе условие 否则 如果 条件",
    "else": "otherwise case иначе случай 否则 情况",
    "for": "loop iterate go through cycle цикл перебрать перебираем перебор пройти проходим каждый 循环 遍历 每个",
    "while": "loop repeat until cycle цикл пока повторять повторяем 循环 当 直到",
    "return": "return result value вернуть возвращаем возвращает возврат результат значение 返回 返回值 结果",
    "yield": "yield generate value выдать выдаем значение 产生 生成",
    "raise": "raise throw error exception выбросить бросаем исключение ошибка возбудить 抛出 异常 错误",
    "throw": "throw raise error exception new выбросить бросаем исключение ошибка 抛出 异常 错误",
    "import": "import module library package импорт импортируем модуль библиотека 导入 模块",
    "def": "define function method define declare определить определяем функция метод 定义 函数",
    "func": "define function method declare определить определяем функция метод 定义 函数",
    "function": "define function declare определить определяем функция 定义 函数",
    "class": "define class declare определить определяем класс 定义 类",
    "const": "constant variable declare константа объявить объявляем 常量 声明",
    "let": "variable declare переменная объявить объявляем 变量 声明",
    "var": "variable declare переменная объявить объявляем 变量 声明",
    "break": "break exit stop leave loop прервать прерываем выйти выходим цикл 跳出 循环",
    "continue": "continue skip next iteration loop продолжить пропустить пропускаем следующий 继续 下一次",
    "[": "empty list array index element create initialize пустой список массив элемент создать создаем 空 列表 数组 创建",
    "{": "empty dict dictionary map object create initialize пустой словарь объект создать создаем 空 字典 创建",
    "===": "equal compare check strictly равен равно сравнить 等于 相等 比较",
    "!==": "equal compare check differ равен сравнить 不等于 比较",
    "+": "add plus sum sums concatenate сложить складываем плюс сумма прибавить 加 加上 相加",
    "-": "subtract minus difference вычесть минус разность 减 减去",
    "*": "multiply times product умножить умножаем произведение 乘 乘以",
    "/": "divide divided quotient делить делим разделить 除 除以",
    "//": "divide divided floor integer quotient делить делим нацело 除 整除",
    "%": "modulo remainder mod divide остаток делить 取模 余数",
    "!": "not negate отрицание 取反",
    "&&": "both и оба 并且 同时",
    "||": "either или либо 或者",
    "null": "null nil none empty пусто 空 空值",
    "nil": "null nil none empty пусто 空 空值",
    "None": "null nil none empty пусто 空 空值",
    "try": "try attempt попытка попробовать 尝试",
    "except": "catch handle error exception поймать перехватить исключение ошибка 捕获 异常",
    "catch": "catch handle error exception поймать перехватить исключение ошибка 捕获 异常",
    "in": "within through в 遍历",
    "new": "new create instance создать новый 新建 创建 实例",
    "(": "call вызвать вызываем вызов 调用",
    "0": "zero initialize start ноль нуль нулю 零",
    "1": "one один единица единицу 一",
    "2": "two два двойка 二",
}
_STEMS = {token: frozenset(stems(words(said))) for token, said in _READ_ALOUD.items()}
_NONE: frozenset[str] = frozenset()


@lru_cache(maxsize=4096)
def read_aloud(token: str) -> frozenset[str]:
    """Return the stems of how a token is read aloud, its own words included."""
    return _STEMS.get(token, _NONE) | frozenset(stems(words(token)))
