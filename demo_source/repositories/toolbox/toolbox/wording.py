"""Helpers for text."""

import re


def slug(title):
    """Return a title in lower case, its words joined by hyphens."""
    words = re.findall(r"[a-z0-9]+", title.lower())
    return "-".join(words)


def initials(name):
    """Return the first letters of a name, each followed by a dot."""
    return "".join(f"{part[0].upper()}." for part in name.split())


def shorten(text, width, mark="..."):
    """Return a text of at most `width` characters; `mark` replaces what is cut."""
    if len(text) <= width:
        return text
    if width <= len(mark):
        return mark[:width]
    return text[: width - len(mark)].rstrip() + mark


def count_words(text):
    """Return how often each word occurs, without regard to case."""
    counts = {}
    for word in re.findall(r"\w+", text.lower()):
        counts[word] = counts.get(word, 0) + 1
    return counts


def wrap(text, width):
    """Return the words of a text in lines of at most `width` characters."""
    lines = []
    for word in text.split():
        if lines and len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += " " + word
        else:
            lines.append(word)
    return lines


def is_palindrome(text):
    """Return whether the letters of a text read the same in both directions."""
    letters = [char for char in text.lower() if char.isalnum()]
    return letters == letters[::-1]


def common_prefix(texts):
    """Return the longest text that all of `texts` begin with."""
    if not texts:
        return ""
    first, last = min(texts), max(texts)
    for at, char in enumerate(first):
        if last[at] != char:
            return first[:at]
    return first


def parse_pairs(text):
    """Return `a=1;b=2` as a dictionary. Raises ValueError for a part without an equals sign."""
    pairs = {}
    for part in filter(None, text.split(";")):
        name, equals, value = part.partition("=")
        if not equals:
            raise ValueError(f"no equals sign in {part!r}")
        pairs[name.strip()] = value.strip()
    return pairs


def title_case(text):
    """Return a text whose words begin with a capital letter, apart from short ones inside it."""
    small = {"a", "an", "and", "in", "of", "the"}
    words = text.lower().split()
    return " ".join(word if at and word in small else word.capitalize() for at, word in enumerate(words))


def expand(text, values):
    """Return a text with each `$name` replaced by its value; unknown names stay."""
    return re.sub(r"\$(\w+)", lambda found: str(values.get(found[1], found[0])), text)
