"""Helpers for schedules: spans are pairs of a start and an end, in minutes."""


class Calendar:
    """Spans that do not overlap."""

    def __init__(self, spans=()):
        self.spans = []
        for span in spans:
            self.book(*span)

    def is_free(self, start, end):
        """Return whether no span overlaps the time from `start` to `end`."""
        return all(end <= first or last <= start for first, last in self.spans)

    def book(self, start, end):
        """Add a span. Raises ValueError for an empty one and for one that overlaps another."""
        if end <= start:
            raise ValueError("the span is empty")
        if not self.is_free(start, end):
            raise ValueError("the time is taken")
        self.spans.append((start, end))
        self.spans.sort()

    def gaps(self, start, end):
        """Return the free spans from `start` to `end`."""
        free = []
        for first, last in self.spans:
            if start < min(first, end):
                free.append((start, min(first, end)))
            start = max(start, last)
        if start < end:
            free.append((start, end))
        return free

    def note(self, text):
        """Remember a note. Nothing reads it yet."""
        self.text = text.strip()


def clock(minutes):
    """Return minutes since midnight as `hh:mm`."""
    hours, rest = divmod(minutes % 1440, 60)
    return f"{hours:02}:{rest:02}"


def minutes_of(text):
    """Return `hh:mm` as minutes since midnight."""
    hours, _, rest = text.partition(":")
    return int(hours) * 60 + int(rest)


def merge_spans(spans):
    """Return spans that cover the same time and do not touch each other."""
    merged = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def total_time(spans):
    """Return the length of the time that at least one span covers."""
    return sum(end - start for start, end in merge_spans(spans))


def order_steps(needs):
    """Return steps so that each comes after those it needs, names in order among equals.

    Raises ValueError for a circle.
    """
    left = {step: set(others) for step, others in needs.items()}
    ordered = []
    while left:
        ready = sorted(step for step, others in left.items() if not others & left.keys())
        if not ready:
            raise ValueError("the steps need each other")
        ordered.append(ready[0])
        del left[ready[0]]
    return ordered
