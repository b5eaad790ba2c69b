"""Code that ends its session in one way each. Every text holds one class `Attack`; `attacks/` has what hosts fear."""

OS = """
import random
os = random._os


class Attack:
"""

LOOP = """
class Attack:
    def run(self) -> dict:
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass
"""

LOOP_ON_LOAD = """
while True:
    pass
"""

MEMORY = """
class Attack:
    def run(self) -> dict:
        held = []
        while True:
            held.append(bytearray(16 * 1024 * 1024))

    def fine(self) -> dict:
        return {"success": True}
"""

RECURSION = """
class Attack:
    def run(self) -> dict:
        return self.run()

    def fine(self) -> dict:
        return {"success": True}
"""

EXIT = (
    OS
    + """
    def run(self) -> dict:
        os._exit(3)
"""
)

SYSTEM_EXIT = """
class Attack:
    def run(self) -> dict:
        raise SystemExit(3)

    def evil_text(self) -> dict:
        class Evil(BaseException):
            def __str__(self):
                raise Evil
        raise Evil

    def fine(self) -> dict:
        return {"success": True}
"""

SEGFAULT = (
    OS
    + """
    def run(self) -> dict:
        ctypes = os.sys.modules["ctypes"]
        ctypes.string_at(1)
"""
)

FLOOD = """
class Attack:
    def run(self) -> dict:
        return {"success": True, "data": "x" * (64 * 1024 * 1024)}

    def chatter(self) -> dict:
        for _ in range(200):
            print("x" * 100_000)
        return {"success": True}
"""

FORGED_REPLY = (
    OS
    + """
    def run(self) -> dict:
        text = b'{"id":"0000000000000000","ok":true,"value":[{"result":{"forged":true},"error":null,"digest":null}]}'
        for number in range(3, 64):
            try:
                os.write(number, len(text).to_bytes(4, "big") + text)
            except OSError:
                pass
        return {"success": True}
"""
)

GARBAGE = (
    OS
    + """
    def run(self) -> dict:
        for number in range(3, 64):
            try:
                os.write(number, b"\\xff" * 4096)
            except OSError:
                pass
        return {"success": True}
"""
)

HANG_UP = (
    OS
    + """
    def run(self) -> dict:
        os.closerange(3, 64)
        while True:
            pass
"""
)
