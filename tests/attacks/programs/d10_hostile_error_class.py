# An error whose class, name, line and trace all misbehave.
class Meta(type):
    def __getattribute__(cls, name):
        raise RuntimeError("no " + name)


class Hostile(SyntaxError, metaclass=Meta):
    @property
    def lineno(self):
        raise SystemExit(0)

    @property
    def __traceback__(self):
        raise KeyboardInterrupt

    @property
    def __class__(self):
        return int


def add(x, y):
    raise Hostile("text")
