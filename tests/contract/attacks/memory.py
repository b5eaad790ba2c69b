"""Attacks on the memory of the machine. They take 400 MiB where the sandbox gives 256, so that they are harmless."""

from functools import partial

from tests.contract.attacks.attack import attack, from_selftest

_attack = partial(attack, "memory")
_MAP = """
def mapped(length, protection, flags):
    ctypes = module("ctypes")
    function = ctypes.CDLL(None, use_errno=True).mmap
    function.restype = ctypes.c_void_p
    function.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    address = function(None, length, protection, flags, -1, 0)
    if address is None or address == ctypes.c_void_p(-1).value:
        raise OSError(ctypes.get_errno(), "mmap")
    return address
"""
_DEEPER = f"""
def deeper(n):
    {" = ".join(f"v{number}" for number in range(1000))} = n
    return deeper(n - 1) if n else 0
"""
"""A function whose calls take 8 KiB each, and no stack."""

ATTACKS = (
    _attack("take_memory_at_once", "takes 400 MiB in one gulp", "return reached(len(bytearray(400 << 20)))"),
    _attack(
        "take_memory_bit_by_bit",
        "takes 400 MiB in small pieces",
        "return reached(len([bytearray(1 << 16) for _ in range(400 << 4)]))",
    ),
    _attack(
        "grow_the_state",
        "keeps 400 MiB in its own attributes, call after call",
        """
        self.held = []
        for _ in range(400):
            self.held.append("x" * (1 << 20))
        return reached(len(self.held))
        """,
        may_end=("memory",),
    ),
    _attack(
        "map_shared_memory",
        "maps 400 MiB that a child would share",
        "return reached(mapped(400 << 20, 3, 0x21))",
        around=_MAP,
    ),
    _attack(
        "keep_memory_in_a_file",
        "keeps 8 MiB in a file that has no name",
        """
        file = os.memfd_create("held", 0)
        return reached(sum(os.write(file, bytes(1 << 20)) for _ in range(8)))
        """,
    ),
    _attack(
        "keep_memory_in_pipes",
        "keeps data in the buffers of the kernel",
        """
        pipes = [os.pipe() for _ in range(16)]
        for _, end in pipes:
            os.set_blocking(end, False)
            os.write(end, bytes(1 << 16))
        return reached(len(pipes))
        """,
    ),
    _attack(
        "keep_memory_in_segments",
        "makes a shared memory segment that outlives the process",
        """
        segment = library("shmget", 0, 1 << 20, 0o1600)
        return reached(library("shmctl", segment, 0, None))
        """,
        host_may_refuse=True,
    ),
    from_selftest("memory", "execute_own_code"),
    _attack(
        "make_memory_executable",
        "turns written memory into machine code",
        """
        address = mapped(4096, 3, 0x22)
        return reached(library("mprotect", module("ctypes").c_void_p(address), 4096, 5))
        """,
        around=_MAP,
    ),
    _attack(
        "raise_the_memory_limit",
        "lifts its own limit, then takes 400 MiB",
        """
        resource = module("resource")
        resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
        return reached(len(bytearray(400 << 20)))
        """,
    ),
    _attack(
        "recurse_in_python",
        "lifts the limit on recursion and fills the memory with frames",
        """
        sys.setrecursionlimit(10**9)
        return reached(deeper(50_000))
        """,
        around=_DEEPER,
        may_end=("memory", "crash", "cpu", "wall"),
    ),
    _attack(
        "lock_memory",
        "keeps its memory from being swapped out",
        """
        return reached(library("mlockall", 1))
        """,
        host_may_refuse=True,
    ),
)
