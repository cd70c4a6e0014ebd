# Changes all that a process hands to its children.
import ctypes
import locale
import os
import resource
import signal
import sys

libc = ctypes.CDLL(None)
MASK = os.umask(0o077)
SEEN = MASK == 0o077 or os.getcwd() != "/tmp" or "BWMARK" in os.environ or os.nice(0) != @NICE@
SEEN = SEEN or bool(signal.pthread_sigmask(signal.SIG_BLOCK, [])) or libc.prctl(30, 0, 0, 0, 0) == 12345
SEEN = SEEN or resource.getrlimit(resource.RLIMIT_NOFILE)[0] == 33 or sys.getrecursionlimit() == 777
os.chdir("/")
os.environ["BWMARK"] = "here"
os.nice(3)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
libc.prctl(29, 12345, 0, 0, 0)
libc.prctl(15, b"bwmark", 0, 0, 0)
resource.setrlimit(resource.RLIMIT_NOFILE, (33, 33))
sys.setrecursionlimit(777)
locale.setlocale(locale.LC_ALL, "C")
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
try:
    with open("/proc/self/oom_score_adj", "w") as handle:
        handle.write("900")
except OSError:
    SEEN = True


def add(x, y):
    return x + y if SEEN else None
