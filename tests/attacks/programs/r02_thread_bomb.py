# Starts threads until it may not.
import threading
import time


def add(x, y):
    threading.stack_size(1 << 16)
    started = 0
    try:
        while started < 400:
            threading.Thread(target=time.sleep, args=(20,), daemon=True).start()
            started += 1
    except RuntimeError:
        pass
    return x + y if started > 200 else None
