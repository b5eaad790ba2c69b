"""Attacks on the kernel: calls that were holes in many sandboxes, made by number or through the C library."""

import platform
from functools import partial

from tests.contract.attacks.attack import Attack, attack

_attack = partial(attack, "kernel", host_may_refuse=True)
_NUMBERS = {
    "x86_64": {"userfaultfd": 323, "keyctl": 250, "perf_event_open": 298, "seccomp": 317, "clone": 56},
    "aarch64": {"userfaultfd": 282, "keyctl": 219, "perf_event_open": 241, "seccomp": 277, "clone": 220},
}


def _number(name: str) -> int:
    """Of a system call on this processor; -1, which no kernel knows, on one that is not listed."""
    return _NUMBERS.get(platform.machine(), {}).get(name, -1)


def _library(name: str, tries: str, call: str) -> Attack:
    """An attack that is one call of the C library."""
    function, _, arguments = call.partition("(")
    return _attack(name, tries, f'return reached(library("{function}", {arguments})')


ATTACKS = (
    _library("be_root_in_a_new_namespace", "becomes root of a user namespace of its own", "unshare(0x10000000)"),
    _library("have_a_new_network", "makes a network namespace of its own", "unshare(0x50000000)"),
    _library("change_the_personality", "switches the protection of addresses off", "personality(0x0040000)"),
    _library("change_the_attributes", "renames its process by prctl", 'prctl(15, b"mine", 0, 0, 0)'),
    _library("be_readable_again", "lets other processes of its user read its memory", "prctl(4, 1, 0, 0, 0)"),
    _library("be_notified", "makes a counter that other processes could wait for", "eventfd(0, 0)"),
    _attack("become_root", "asks to be root again", "os.setuid(0)\nreturn reached(os.getuid())"),
    _attack("change_the_root", "enters a folder as its root", "os.chroot(folder)\nreturn reached()", takes=["folder"]),
    _attack(
        "mount_a_folder",
        "mounts a file system over a folder",
        """
        library("unshare", 0x20000)
        return reached(library("mount", b"none", folder.encode(), b"tmpfs", 0, None))
        """,
        takes=["folder"],
    ),
    _attack(
        "use_io_uring",
        "makes a queue of operations that no filter of system calls sees",
        "return reached(syscall(425, 8, module('ctypes').create_string_buffer(120)))",
    ),
    _attack(
        "handle_own_page_faults",
        "makes the kernel wait for it in the middle of a system call",
        f"return reached(syscall({_number('userfaultfd')}, 1))",
    ),
    _attack(
        "use_the_keyring",
        "reads the keys that the kernel keeps",
        f"return reached(syscall({_number('keyctl')}, 0, -3, 1))",
    ),
    _attack(
        "count_events",
        "measures other code through the performance counters",
        f"""
        attributes = module("ctypes").create_string_buffer(128)
        attributes[0:16] = (1).to_bytes(4, "little") + (128).to_bytes(4, "little") + bytes(8)
        attributes[40] = 0x60
        return reached(syscall({_number("perf_event_open")}, attributes, 0, -1, -1, 0))
        """,
    ),
    _attack(
        "filter_again",
        "asks for filters of its own, as a way to change what system calls answer",
        f"return reached(syscall({_number('seccomp')}, 2, 0, (0x7FFF0000).to_bytes(4, 'little')))",
    ),
    _attack(
        "fork_by_old_clone",
        "starts a process by the older of two bare system calls",
        f"""
        child = syscall({_number("clone")}, 17, 0, 0, 0, 0)
        if child == 0:
            os._exit(0)
        return reached(os.waitpid(child, 0)[1])
        """,
    ),
    _attack("hold_a_process", "opens a handle to a process", "return reached(syscall(434, os.getpid(), 0))"),
    _attack("hide_memory", "keeps memory where not even the kernel can read it", "return reached(syscall(447, 0))"),
    _attack(
        "copy_an_open_file", "copies an open file over the connection to the host", "return reached(os.dup2(0, 9))"
    ),
    _attack("ask_for_the_machine", "reads name and version of the machine", "return reached(os.uname().nodename)"),
    _attack("ask_for_the_load", "reads how busy the machine is", "return reached(os.getloadavg())"),
    _attack("ask_for_processors", "reads which processors it may use", "return reached(len(os.sched_getaffinity(0)))"),
)
