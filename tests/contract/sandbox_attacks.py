"""Hostile and broken environment code for the contract of sandboxes. Every text holds one class `Attack`.

The methods reach the operating system through the private names of allowed modules, as hostile code would.
"""

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

DOUBLE_REPLY = (
    OS
    + """
    def run(self) -> dict:
        os.sys.modules["tasks.sandbox.inside.loop"]._send = send_twice
        return {"success": True}


def send_twice(connection, text):
    data = text.encode()
    for _ in range(2):
        os.write(connection, len(data).to_bytes(4, "big") + data)
"""
)

DRIP = (
    OS
    + """
    def run(self) -> dict:
        for number in range(3, 64):
            try:
                os.write(number, (1 << 19).to_bytes(4, "big"))
                break
            except OSError:
                pass
        while True:
            os.write(number, b" ")
            for _ in range(20_000):
                pass
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

PROBE = (
    OS
    + """
    def environment(self) -> dict:
        return {"variables": sorted(os.environ), "values": sorted(os.environ.values())}

    def open_files(self) -> dict:
        found = []
        for number in range(3, 256):
            try:
                os.fstat(number)
            except OSError:
                continue
            found.append(number)
        return {"count": len(found)}

    def standard_files(self) -> dict:
        names = []
        for number in range(3):
            status, null = os.fstat(number), os.stat("/dev/null")
            names.append(status.st_rdev == null.st_rdev)
        return {"are_null": names}

    def write(self, path: str) -> dict:
        try:
            with open(path, "w") as file:
                file.write("x")
        except OSError as error:
            return {"error": type(error).__name__}
        return {"error": None}

    def read(self, path: str) -> dict:
        try:
            with open(path) as file:
                return {"text": file.read()}
        except OSError as error:
            return {"error": type(error).__name__}

    def fork(self) -> dict:
        try:
            child = os.fork()
        except OSError as error:
            return {"error": type(error).__name__}
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)
        return {"error": None}

    def user(self) -> dict:
        return {"uid": os.getuid(), "effective": os.geteuid(), "groups": os.getgroups()}
"""
)
