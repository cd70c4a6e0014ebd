# Changes the warm interpreter's own objects: what it prepares, sends and limits.
import gc
import sys

child = sys.modules["inside.child"]
SEEN = hasattr(child, "mark")
child.mark = True
gc.unfreeze()
for thing in gc.get_objects():
    if type(thing).__name__ == "ForkPlan":
        SEEN = SEEN or thing._flags == 0
        thing._flags = 0
        thing._filter = None
child.seccomp.install = child.linux.drop_capabilities = child.resource.setrlimit = lambda *args: None
child.wire.encode = lambda value: b"N"
child.ANSWER_FD = 0


def add(x, y):
    return x + y if SEEN else None
