# Uses the processor in threads while the first one sleeps.
import threading
import time


def burn():
    end = time.monotonic() + 20
    while time.monotonic() < end:
        pass


def add(x, y):
    for _ in range(4):
        threading.Thread(target=burn, daemon=True).start()
    time.sleep(20)
