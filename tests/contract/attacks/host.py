"""Attacks on what the host and other processes keep in memory: environment variables, and everything else."""

from functools import partial

from tests.contract.attacks.attack import attack, from_selftest

_attack = partial(attack, "host")

ATTACKS = (
    from_selftest("host", "read_own_variables", steals=True),
    _attack(
        "read_own_first_variables",
        "reads the variables that its process was started with",
        'return reached(open("/proc/self/environ").read())',
        steals=True,
    ),
    _attack(
        "read_the_variables_of_the_parent",
        "reads the environment variables of its parent process",
        'return reached(open(f"/proc/{os.getppid()}/environ").read())',
        steals=True,
    ),
    from_selftest("host", "read_the_variables_of_the_host"),
    _attack(
        "read_the_variables_of_a_neighbour",
        "reads the environment variables of a process of the same user",
        'return reached(open(f"/proc/{victim}/environ").read())',
        takes=["victim"],
        steals=True,
    ),
    _attack(
        "read_the_command_of_the_host",
        "reads the command line of the host process",
        'return reached(open(f"/proc/{host}/cmdline").read())',
        takes=["host"],
    ),
    _attack(
        "list_processes", "lists all processes", 'return reached([n for n in os.listdir("/proc") if n.isdigit()][:3])'
    ),
    _attack("read_own_maps", "reads the layout of its own memory", 'return reached(open("/proc/self/maps").read(20))'),
    _attack(
        "open_own_memory",
        "opens its own memory as a file, which ignores page protections",
        """
        text = b"own memory"
        with open("/proc/self/mem", "rb+", buffering=0) as memory:
            memory.seek(id(text))
            return reached(len(memory.read(8)))
        """,
    ),
    _attack(
        "read_the_memory_of_a_neighbour",
        "reads the memory of a process of the same user as a file",
        """
        with open(f"/proc/{victim}/mem", "rb", buffering=0) as memory:
            memory.seek(address)
            return reached(memory.read(32).decode())
        """,
        takes=["victim", "address"],
        steals=True,
        host_may_refuse=True,
    ),
    _attack(
        "copy_the_memory_of_a_neighbour",
        "copies the memory of a process of the same user with process_vm_readv",
        """
        ctypes = module("ctypes")
        held = ctypes.create_string_buffer(32)
        ours = (ctypes.c_size_t * 2)(ctypes.addressof(held), 32)
        theirs = (ctypes.c_size_t * 2)(address, 32)
        library("process_vm_readv", victim, ours, 1, theirs, 1, 0)
        return reached(held.raw.decode())
        """,
        takes=["victim", "address"],
        steals=True,
        host_may_refuse=True,
    ),
    _attack(
        "trace_a_neighbour",
        "takes control of a process of the same user with ptrace",
        """
        return reached(library("ptrace", 0x4206, victim, None, None))
        """,
        takes=["victim"],
        host_may_refuse=True,
    ),
    _attack(
        "take_a_file_of_a_neighbour",
        "copies an open file out of a process of the same user with pidfd_getfd",
        "return reached(os.pread(syscall(438, syscall(434, victim, 0), opened, 0), 1000, 0).decode())",
        takes=["victim", "opened"],
        steals=True,
        host_may_refuse=True,
    ),
    _attack(
        "walk_the_frames",
        "looks for a secret in the variables of its callers",
        """
        frame = sys._getframe()
        while frame is not None:
            for value in [*frame.f_locals.values(), *frame.f_globals.values()]:
                if type(value) is str and value.startswith("sk-"):
                    return reached(value)
            frame = frame.f_back
        raise PermissionError("no secret in any frame")
        """,
        steals=True,
    ),
    _attack(
        "walk_all_objects",
        "looks for a secret in all objects that are alive",
        """
        for held in module("gc").get_objects():
            if type(held) is dict:
                for value in list(held.values()):
                    if type(value) is str and value.startswith("sk-") and len(value) > 8:
                        return reached(value)
        raise PermissionError("no secret in any dict")
        """,
        steals=True,
    ),
    _attack(
        "find_popen_among_all_classes",
        "finds the operating system through the subclasses of object and runs a program",
        """
        for kind in ().__class__.__base__.__subclasses__():
            if kind.__name__ == "_wrap_close":
                names = kind.__init__.__globals__
                child = names["posix_spawn"]("/bin/true", ["true"], {})
                return reached(names["waitpid"](child, 0)[1])
        raise PermissionError("no way to the system")
        """,
    ),
)
