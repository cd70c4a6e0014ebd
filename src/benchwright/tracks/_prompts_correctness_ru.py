"""Eleven ways to ask in Russian whether a test passes. `_prompts_correctness_en` says the same in English."""

from __future__ import annotations

# Filled by `filling.fill`: {focal_code} and {test_code} are the files, {lang} the language as data sets write
# it, {tag} the same as a fence's tag, {fence} a fence that neither file can close.
CHAT = (
    # 01: short, focal file first
    """\
Файл на {lang}:

{fence}{tag}
{focal_code}
{fence}

Тест к нему:

{fence}{tag}
{test_code}
{fence}

Тест пройдёт? Ответьте одним словом: success, если пройдёт, или failed, если нет.""",
    # 02: polite, test first
    """\
Здравствуйте! Посмотрите, пожалуйста, на этот тест:

{fence}{tag}
{test_code}
{fence}

Он проверяет вот такой код на {lang}:

{fence}{tag}
{focal_code}
{fence}

Будьте добры, скажите, выполнится ли тест без ошибок. Хватит одного слова: success или failed. Спасибо!""",
    # 03: a role, request first
    """\
Вы проверяете изменения в проекте на {lang} и должны решить, можно ли доверять тесту. Прочитайте исходный \
файл и тест и предскажите, чем закончится запуск. Ваш вывод — ровно одно слово: success или failed.

Исходный файл:
{fence}{tag}
{focal_code}
{fence}

Тест:
{fence}{tag}
{test_code}
{fence}""",
    # 04: as short as people are
    "success или failed?\n\n{focal_code}\n\n{test_code}",
    # 05: long and explicit
    """\
Ниже приведены два файла на {lang}: тот, который проверяют, и тот, который проверяет. Определите, чем \
закончится запуск второго вместе с первым.

1. Результат «success» означает, что оба файла собираются и загружаются и что каждая проверка выполняется.
2. Результат «failed» означает всё остальное: ошибку синтаксиса или сборки, отсутствующее имя, \
необработанное исключение, несовпадение хотя бы в одной проверке.
3. Исключение, которого тест ожидает, ошибкой не считается.
4. Все сторонние библиотеки, которые упомянуты в файлах, установлены.
5. В ответе должно быть одно слово строчными буквами, без кавычек, знаков и пояснений: success или failed.

Проверяемый файл:
{fence}{tag}
{focal_code}
{fence}

Файл с тестом:
{fence}{tag}
{test_code}
{fence}""",
    # 06: informal, test first
    """\
{test_code}

Накидал тест на {lang}, но запустить сейчас негде. Проверяет он вот это:

{focal_code}

Глянь, а? Пройдёт — пиши success, не пройдёт — failed. Больше ничего не надо, одно слово.""",
    # 07: a form to fill in
    """\
## Задание
Предсказать результат теста.

## Язык
{lang}

## Тест
{fence}{tag}
{test_code}
{fence}

## Код
{fence}{tag}
{focal_code}
{fence}

## Формат ответа
Одно слово: failed или success.

## Результат""",
    # 08: how it will be judged
    """\
Тест запустили вместе с файлом в чистом окружении и записали итог: success, если он прошёл, и failed, если \
нет. Назовите этот итог. Ответ сверит программа, поэтому пришлите только само слово: success или failed.

{focal_code}

{test_code}""",
    # 09: looks for the fault, the bad label first
    """\
Найдите в этой паре файлов на {lang} причину, по которой тест мог бы не пройти. Если такая причина есть, \
ответьте словом failed, а если её нет — словом success. Саму причину писать не нужно.

{fence}{tag}
{focal_code}
{fence}

{fence}{tag}
{test_code}
{fence}""",
    # 10: a question, test first
    """\
Соответствует ли поведение кода тому, чего от него ждёт тест?

Тест на {lang}:

{fence}{tag}
{test_code}
{fence}

Код:

{fence}{tag}
{focal_code}
{fence}

Одно слово в ответ: success — соответствует, failed — нет.""",
    # 11: to trace it in one's head
    """\
Мысленно выполните тест строка за строкой и проследите, что вернёт каждый вызов. Код на {lang}:

{focal_code}

А вот сам тест:

{test_code}

Ход выполнения не приводите. Напечатайте только итог, одно слово: success или failed.""",
)

# A base model goes on from the last character, so each ends where one of the two words is due.
BASE = (
    """\
Файл на {lang}:

{fence}{tag}
{focal_code}
{fence}

Тест к нему:

{fence}{tag}
{test_code}
{fence}

Пройдёт ли тест (success или failed):""",
    """\
Посмотрим на этот тест:

{fence}{tag}
{test_code}
{fence}

Он проверяет вот такой код на {lang}:

{fence}{tag}
{focal_code}
{fence}

Если тест выполняется без ошибок, пишут success, а если нет — failed. Для этого теста пишут:""",
    """\
Рецензия на изменения в проекте на {lang}. Рецензент читает файл и тест и одним словом, success или failed, \
предсказывает, чем закончится запуск.

Исходный файл:
{fence}{tag}
{focal_code}
{fence}

Тест:
{fence}{tag}
{test_code}
{fence}

Вывод рецензента:""",
    "{focal_code}\n\n{test_code}\n\nsuccess или failed? Ответ:",
    """\
Даны два файла на {lang}: тот, который проверяют, и тот, который проверяет.

1. Результат «success» означает, что оба файла собираются и загружаются и что каждая проверка выполняется.
2. Результат «failed» означает всё остальное: ошибку синтаксиса или сборки, отсутствующее имя, \
необработанное исключение, несовпадение хотя бы в одной проверке.
3. Исключение, которого тест ожидает, ошибкой не считается.
4. Все сторонние библиотеки, которые упомянуты в файлах, установлены.
5. Результат записан одним словом строчными буквами.

Проверяемый файл:
{fence}{tag}
{focal_code}
{fence}

Файл с тестом:
{fence}{tag}
{test_code}
{fence}

Результат:""",
    """\
{test_code}

Накидал тест на {lang}, а проверяет он вот это:

{focal_code}

Запустил, и вышло (success, если прошёл, failed, если не прошёл):""",
    """\
## Задание
Предсказать результат теста: failed или success.

## Язык
{lang}

## Тест
{fence}{tag}
{test_code}
{fence}

## Код
{fence}{tag}
{focal_code}
{fence}

## Результат
""",
    """\
Тест запустили вместе с файлом в чистом окружении и записали итог: success, если он прошёл, и failed, если \
нет.

{focal_code}

{test_code}

Записанный итог:""",
    """\
В паре файлов на {lang} ищут причину, по которой тест мог бы не пройти. Если она есть, пишут failed, а если \
её нет — success.

{fence}{tag}
{focal_code}
{fence}

{fence}{tag}
{test_code}
{fence}

Ответ:""",
    """\
Вопрос: соответствует ли поведение кода тому, чего от него ждёт тест? Варианты ответа: success и failed.

Тест на {lang}:

{fence}{tag}
{test_code}
{fence}

Код:

{fence}{tag}
{focal_code}
{fence}

Ответ:""",
    """\
Код на {lang}:

{focal_code}

Тест:

{test_code}

Если выполнить тест строка за строкой, итог одним словом, success или failed, будет таким:""",
)
