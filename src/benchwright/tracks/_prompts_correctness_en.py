"""Eleven ways to ask in English whether a test passes. `_prompts_correctness_ru` says the same in Russian."""

from __future__ import annotations

CHAT = (
    """\
A file in {lang}:

{fence}{tag}
{focal_code}
{fence}

A test for it:

{fence}{tag}
{test_code}
{fence}

Does the test pass? Answer with one word: success if it does, or failed if it does not.""",
    """\
Hello! Please have a look at this test:

{fence}{tag}
{test_code}
{fence}

It checks the following code in {lang}:

{fence}{tag}
{focal_code}
{fence}

Would you kindly say whether the test runs without errors? One word is enough: success or failed. Thanks!""",
    """\
You review changes to a {lang} project and have to decide whether a test can be trusted. Read the source \
file and the test, and predict how a run ends. Your verdict is exactly one word: success or failed.

Source file:
{fence}{tag}
{focal_code}
{fence}

Test:
{fence}{tag}
{test_code}
{fence}""",
    "success or failed?\n\n{focal_code}\n\n{test_code}",
    """\
Below are two files in {lang}: the one that is tested, and the one that tests it. Determine how a run of the \
second together with the first ends.

1. The result "success" means that both files compile and load and that every check holds.
2. The result "failed" means anything else: an error of syntax or of the build, a missing name, an exception \
that nothing handles, a mismatch in at least one check.
3. An exception that the test expects does not count as an error.
4. All third-party libraries that the files mention are installed.
5. The answer must be one word in lower case, without quotes, punctuation or explanations: success or failed.

The file under test:
{fence}{tag}
{focal_code}
{fence}

The file with the test:
{fence}{tag}
{test_code}
{fence}""",
    """\
{test_code}

Threw this {lang} test together, but I've got nowhere to run it right now. Here's what it checks:

{focal_code}

Take a look, will you? If it passes, write success, if it doesn't, failed. That's all I need, one word.""",
    """\
## Task
Predict the result of a test.

## Language
{lang}

## Test
{fence}{tag}
{test_code}
{fence}

## Code
{fence}{tag}
{focal_code}
{fence}

## Answer format
One word: failed or success.

## Result""",
    """\
The test was run together with the file in a clean environment, and the outcome was recorded: success if it \
passed, and failed if it did not. Name that outcome. A program will compare the answer, so send the word \
alone: success or failed.

{focal_code}

{test_code}""",
    """\
Find a reason in this pair of {lang} files for which the test might not pass. If there is such a reason, \
answer with the word failed, and if there is none, with the word success. Do not write the reason itself.

{fence}{tag}
{focal_code}
{fence}

{fence}{tag}
{test_code}
{fence}""",
    """\
Does the code behave as the test expects of it?

The test, in {lang}:

{fence}{tag}
{test_code}
{fence}

The code:

{fence}{tag}
{focal_code}
{fence}

One word in reply: success if it does, failed if not.""",
    """\
Execute the test in your head, line by line, and follow what each call returns. The code, in {lang}:

{focal_code}

And this is the test itself:

{test_code}

Do not show the execution. Print only its outcome, one word: success or failed.""",
)

BASE = (
    """\
A file in {lang}:

{fence}{tag}
{focal_code}
{fence}

A test for it:

{fence}{tag}
{test_code}
{fence}

Does the test pass (success or failed):""",
    """\
Let us look at this test:

{fence}{tag}
{test_code}
{fence}

It checks the following code in {lang}:

{fence}{tag}
{focal_code}
{fence}

If a test runs without errors, one writes success, and if not, failed. For this test one writes:""",
    """\
A review of changes to a {lang} project. The reviewer reads the file and the test, and predicts in one word, \
success or failed, how a run ends.

Source file:
{fence}{tag}
{focal_code}
{fence}

Test:
{fence}{tag}
{test_code}
{fence}

The reviewer's verdict:""",
    "{focal_code}\n\n{test_code}\n\nsuccess or failed? Answer:",
    """\
There are two files in {lang}: the one that is tested, and the one that tests it.

1. The result "success" means that both files compile and load and that every check holds.
2. The result "failed" means anything else: an error of syntax or of the build, a missing name, an exception \
that nothing handles, a mismatch in at least one check.
3. An exception that the test expects does not count as an error.
4. All third-party libraries that the files mention are installed.
5. The result is written as one word in lower case.

The file under test:
{fence}{tag}
{focal_code}
{fence}

The file with the test:
{fence}{tag}
{test_code}
{fence}

Result:""",
    """\
{test_code}

Threw this {lang} test together, and here's what it checks:

{focal_code}

Ran it, and got (success if it passed, failed if it did not):""",
    """\
## Task
Predict the result of a test: failed or success.

## Language
{lang}

## Test
{fence}{tag}
{test_code}
{fence}

## Code
{fence}{tag}
{focal_code}
{fence}

## Result
""",
    """\
The test was run together with the file in a clean environment, and the outcome was recorded: success if it \
passed, and failed if it did not.

{focal_code}

{test_code}

The recorded outcome:""",
    """\
In a pair of {lang} files one looks for a reason why the test might not pass. If there is one, one writes \
failed, and if there is none, success.

{fence}{tag}
{focal_code}
{fence}

{fence}{tag}
{test_code}
{fence}

Answer:""",
    """\
Question: does the code behave as the test expects of it? The possible answers: success and failed.

The test, in {lang}:

{fence}{tag}
{test_code}
{fence}

The code:

{fence}{tag}
{focal_code}
{fence}

Answer:""",
    """\
The code, in {lang}:

{focal_code}

The test:

{test_code}

If the test is executed line by line, the outcome in one word, success or failed, is:""",
)
