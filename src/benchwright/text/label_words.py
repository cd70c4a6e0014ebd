"""Words that say that a test passes or fails, in English and Russian, and marks that set a final answer off."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from benchwright.parser_limits import long_run_of_marks

SUCCESS, FAILED = "success", "failed"


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Words that say it wherever they stand.
_STRONG = {
    SUCCESS: re.compile(
        r"succ?ess?e?s?|succeed(?:s|ed|ing)?|successful(?:ly)?|pass(?:es|ed|ing)?"
        r"|успе(?:х|хом|шн[а-я]+|шен)|удачн[а-я]+|пройд[её][тн][а-я]*|пройдут|пройти|проход(?:ит|ят|ил|ила|или)"
        r"|прош[её]?л[аои]?|пройден[а-я]*"
    ),
    FAILED: re.compile(
        r"fail(?:s|ed|ing|ure|ures)?|faild|unsuccess(?:ful|fully)?|crash(?:es|ed)?"
        r"|провал(?:а|ом|ен[а-я]*|ит|ится|ятся|ился|илась|ились|ивается|иваются)?|неуспе(?:х|хом|шн[а-я]+|шен)"
        r"|неудач[а-я]+|упад[её]т|упадут|упал[аои]?|пада[ею]т|сломается|сломан"
    ),
}
# Words that are labels only alone or after "answer:", since many tests expect errors.
_WEAK = {
    SUCCESS: re.compile(
        r"correct(?:ly)?|works?|valid|ok|okay|fine"
        r"|корректн[а-я]+|корректен|верн[а-я]+|верен|правильн[а-я]+|правилен|работа[ею]т|сработает|сработают"
        r"|удастся|удалось|удался"
    ),
    FAILED: re.compile(
        r"errors?|exceptions?|incorrect(?:ly)?|wrong|invalid|broken"
        r"|ошибк[а-я]+|ошибок|ошибочн[а-я]+|исключени[а-я]+|сбо[йяеи]|сбоем|неправильн[а-я]+|неправилен"
        r"|некорректн[а-я]+|некорректен|неверн[а-я]+|неверен"
    ),
}

# Spellings that are made into one another before words are looked up, in this order.
SAME = {
    "ё": "е",
    "’": "'",
    "non-": "non ",
    "вряд ли": "вряд",
    "не выполнится": "не пройдет",
    "не скомпилируется": "не пройдет",
}
NEGATORS = _set(
    "not no non never cannot cant can't without neither nor unlikely 0 zero than instead чем не ни нет без "
    "вряд ноль невозможно нельзя"
)
# Words other than fillers that a "not" reaches over: "no reason for the test to fail".
REACHED_OVER = _set(
    "reason way chance see how why could may able possible possibly likely manage even really also "
    "может могут сможет сможешь должен должно должны никак причин"
)
# Words that end the reach of a "not" before them.
BOUNDARIES = _set(
    "and or nor but because since so as if when while then also yet , ; : ( ) / | = — – - → -> => и или либо "
    "а но так когда пока то поэтому значит"
)
# Words that name a possibility and not a finding.
CONDITIONS = _set(
    "if unless whether unsure unclear unknown depends might если ли неясно неизвестно зависит "
    "мог могла могло могли"
)
OTHERWISE = _set("otherwise else иначе противном")
CONTRASTS = _set("but however yet но однако зато")
CONCESSIONS = _set("although though while whereas хотя")
REASONS = _set("because since as due so and where , ; ( — – - / поскольку потому так ибо и")
DEFINES = _set("= means означает")
EXPLAINS = _set("— – - = : if when means если когда означает значит")
EITHER = _set("or or/and and/or / | или либо")
# Before a label they make it a value that code gives: "returns 'failed'".
RETURNS = _set(
    "= return returns returned returning equals equal print prints printed raise raises assert asserts "
    "expects string value status вернет возвращает возвращается равно печатает строка строку значение"
)
CORRECTIONS = _set(
    "wait actually correction final finally overall conclusion summary rather sorry no стоп исправление "
    "точнее нет итог итого итоговый окончательный окончательно деле ошибся ошиблась"
)
CONCLUSIONS = _set(
    "therefore thus hence so consequently conclusion overall actually finally wait итак следовательно "
    "поэтому значит итого образом вывод деле"
)
SUBJECTS = _set("test tests suite тест тесты теста тестов")
# Words for an answer: these anywhere, the soft ones only at the beginning of a statement.
CUES = _set("answer verdict label prediction ответ вердикт метка предсказание")
SOFT_CUES = _set("result output outcome conclusion status исход результат итог вывод статус заключение")
LINKS = _set(": = — – - -> => → is are be will would should must это будет такой таков the my")
# "pass" followed by one of these says something else: "passes a list", "проходит по списку".
_PASS = re.compile("pass|пройд|проход|прош")
_ALONG = _set(
    "a an in to into as none null nil empty through by it them data value values argument arguments "
    "по через список массив цикл"
)
_TARGETS = _set("test tests suite check checks assertion assertions тест тесты проверку проверки")

FILLER = _set(
    "the this that these it its it's a an my i i'd i'm we you one word single say think believe predict "
    "expect guess would will should is are be been was were does do did has have had can to of on in for at "
    "by with from here so thus therefore hence then indeed definitely probably likely certainly clearly "
    "actually overall finally test tests test's case cases code program suite file focal given unit all "
    "both each every any and also execution executed execute executes run runs running ran compile compiles "
    "complete completes completed finish finishes finished raise raises raised throw throws result results "
    "end ends lead leads cause causes produce produces status final expected runtime compilation more "
    "less still just simply up out этот эта это эти данный данная тест тесты теста тестов тестом тестовый "
    "тестовые код кода коде программа файл фокальный фокальным фокального модуль одним словом слово будет "
    "будут был была были все всех и я мы бы думаю считаю полагаю предполагаю что по мой моему мнению итак "
    "значит поэтому следовательно скорее всего вероятно наверное точно очевидно уверен при запуске "
    "выполнении выполнится выполнятся выполняется завершится завершатся завершился завершается завершен "
    "закончится закончился окончится запустится выполнен данном случае с со на для к в этого этом вызовет "
    "вызывает вызовут выдаст возникнет возникает приведет произойдет проверка проверки времени выполнения "
    "компиляции итог таким образом"
)
_NUMBER = re.compile(r"\d+[%.)]?")


def polarity(word: str, *, weak: bool) -> str | None:
    """The label that a word says by itself, or None. `weak` also counts words that need a bare statement."""
    for label, pattern in _STRONG.items():
        if pattern.fullmatch(word):
            return label
    if weak:
        for label, pattern in _WEAK.items():
            if pattern.fullmatch(word):
                return label
    return None


def is_negator(word: str) -> bool:
    """Whether a word turns what follows into its opposite: not, never, don't, не, без."""
    return word in NEGATORS or word.endswith("n't")


def is_filler(word: str) -> bool:
    """Whether a word adds nothing to a label: "I think the test will", punctuation, a list's number."""
    return word in FILLER or not word[0].isalnum() or bool(_NUMBER.fullmatch(word))


def is_movement(word: str, after: list[str]) -> bool:
    """Whether a word for passing is about a value or a loop: "passes a list", "проходит по списку"."""
    if not after or not _PASS.match(word):
        return False
    if after[0] in ("the", "all", "весь"):
        return len(after) > 1 and after[1] not in _TARGETS and after[1].isalpha() and after[0] != "all"
    return after[0] in _ALONG


TAIL = 32 << 10  # characters at the end that are read: the last clear statement decides

FENCED = re.compile(r"```[^\n`]*\n(.*?)(?:```|\Z)|```([^`\n]+)```", re.DOTALL)
CODE = re.compile(r"`([^`\n]*)`")
BOXED = re.compile(r"\\(?:boxed|fbox)\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
TAGGED = re.compile(r"<(answer|final_answer|label|verdict|result|ответ)>([^<]*)</\1>", re.IGNORECASE)
OBJECT = re.compile(r"^[ \t]*\{[^{}]*\}", re.MULTILINE)
_GLUED = re.compile(r"(?<=[a-zа-яё])([.!?])(?=[A-ZА-ЯЁ])")
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\s*_\"'»”)]*\s+|;\s+")


def readable_end(text: str) -> str:
    """Return the last part of a text in normal form, without invisible characters."""
    text = text[-TAIL:]
    if long_run_of_marks(text) < 0:  # otherwise normalising takes quadratic time
        text = unicodedata.normalize("NFKC", text)[-TAIL:]  # one character may become eighteen
    return "".join(char for char in text if unicodedata.category(char) != "Cf")


def sentences_by_line(prose: str) -> Iterator[list[str]]:
    """Yield the sentences of each line, without blank ones."""
    for line in _GLUED.sub(r"\1 ", prose).split("\n"):
        yield [part for part in _SENTENCE_END.split(line) if part.strip()]
