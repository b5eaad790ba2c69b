"""The filter of system calls: what is not allowed here fails, whatever code makes the call."""

import ctypes
import errno
import functools
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tasks.sandbox.inside.kernel import prctl
from tasks.sandbox.inside.syscalls import PROCESSORS

_PR_SET_SECCOMP = 22
_MODE_FILTER = 2

_KILL_PROCESS = 0x80000000
_ALLOW = 0x7FFF0000
_ERRNO = 0x00050000

_LOAD = 0x20
_AND = 0x54
_JUMP_IF_EQUAL = 0x15
_JUMP_IF_AT_LEAST = 0x35
_RETURN = 0x06

_NUMBER_AT, _ARCH_AT, _ARGUMENTS_AT = 0, 4, 16
_WHOLE_WORD = 0xFFFFFFFF


class Instruction(NamedTuple):
    """One instruction of a classic BPF program."""

    code: int
    if_true: int
    """Instructions to skip when a comparison holds."""
    if_false: int
    operand: int


@dataclass(frozen=True, slots=True)
class _Word:
    """Holds when one 32-bit half of an argument, masked, is one of the values.

    The lower half is all that the kernel reads of an `int`; of a pointer it reads both.
    """

    argument: int
    values: tuple[int, ...]
    mask: int = _WHOLE_WORD
    upper: bool = False


_Alternatives = tuple[tuple[_Word, ...], ...]
"""A call is allowed when every word of any of them holds. One without words always holds."""


def _null(argument: int) -> tuple[_Word, _Word]:
    return _Word(argument, (0,)), _Word(argument, (0,), upper=True)


_ALWAYS: _Alternatives = ((),)
_FILES = (0, 1, 2, 3)
"""The three standard streams and the connection to the host."""
_F_GETFD, _F_GETFL = 1, 3
_PROT_EXEC = 4
_MAP_ANONYMOUS = 0x20
_MADV_DONTNEED, _MADV_FREE = 4, 8
_ITIMER_PROF = 2
_SIGPROF = 27
_RLIMIT_CPU = 0
_FUTEX_WAIT, _FUTEX_WAKE, _FUTEX_WAIT_BITSET, _FUTEX_WAKE_BITSET = 0, 1, 9, 10
_FUTEX_FLAGS = 128 | 256

_ALLOWED: tuple[tuple[str, _Alternatives], ...] = (
    # A file that was left open by mistake can't be used.
    ("read", ((_Word(0, _FILES),),)),
    ("write", ((_Word(0, _FILES),),)),
    ("recvfrom", ((_Word(0, _FILES),),)),
    ("sendto", ((_Word(0, _FILES), *_null(4)),)),  # to the other end only, never to an address
    ("close", _ALWAYS),
    ("fcntl", ((_Word(1, (_F_GETFD, _F_GETFL)),),)),
    ("mmap", ((_Word(2, (0,), _PROT_EXEC), _Word(3, (_MAP_ANONYMOUS,), _MAP_ANONYMOUS)),)),
    ("mprotect", ((_Word(2, (0,), _PROT_EXEC),),)),
    ("munmap", _ALWAYS),
    ("mremap", _ALWAYS),
    ("brk", _ALWAYS),
    ("madvise", ((_Word(2, (_MADV_DONTNEED, _MADV_FREE)),),)),
    # Handlers for the timer of the checks, nothing else: the signal that ends a process which used up its CPU time
    # can be neither ignored nor (there is no rt_sigprocmask) blocked.
    ("rt_sigaction", ((_Word(0, (_SIGPROF,)),),)),
    ("rt_sigreturn", _ALWAYS),
    ("setitimer", ((_Word(0, (_ITIMER_PROF,)),),)),
    ("restart_syscall", _ALWAYS),
    ("futex", ((_Word(1, (_FUTEX_WAIT, _FUTEX_WAKE, _FUTEX_WAIT_BITSET, _FUTEX_WAKE_BITSET), ~_FUTEX_FLAGS),),)),
    ("clock_gettime", _ALWAYS),
    ("getrusage", _ALWAYS),
    ("getrlimit", _ALWAYS),
    ("setrlimit", ((_Word(0, (_RLIMIT_CPU,)),),)),
    ("prlimit64", ((_Word(0, (0,)), _Word(1, (_RLIMIT_CPU,))), (_Word(0, (0,)), *_null(2)))),
    ("exit", _ALWAYS),
    ("exit_group", _ALWAYS),
)

_REFUSED: tuple[tuple[int, tuple[str, ...]], ...] = (
    # The C library then tries clone, which gets the usual answer.
    (errno.ENOSYS, ("clone3",)),
    # An import of something that was not loaded in time fails as if its file could not be read.
    (
        errno.EACCES,
        (
            "open",
            "openat",
            "openat2",
            "creat",
            "stat",
            "lstat",
            "newfstatat",
            "statx",
            "access",
            "faccessat",
            "faccessat2",
            "readlink",
            "readlinkat",
        ),
    ),
)


def program(machine: str) -> tuple[Instruction, ...]:
    """The filter for a processor, by the name that `os.uname().machine` gives it.

    It allows what a Python process needs that talks over one connection, and answers all other calls with EPERM (names
    of files: EACCES). A call of a foreign convention kills the process.

    Raises:
        OSError: the processor is not known.
    """
    processor = PROCESSORS.get(machine)
    if processor is None:
        raise OSError(errno.ENOSYS, f"there is no filter of system calls for the processor {machine!r}")
    lines = [_load(_ARCH_AT), *_unless(processor.audit_arch), _return(_KILL_PROCESS), _load(_NUMBER_AT)]
    if processor.foreign_from is not None:
        lines += [Instruction(_JUMP_IF_AT_LEAST, 0, 1, processor.foreign_from), _return(_KILL_PROCESS)]
    for name, alternatives in _ALLOWED:
        lines += _rule(processor.numbers[name], _answer(alternatives))
    for number, names in _REFUSED:
        for name in names:
            if name in processor.numbers:
                lines += _rule(processor.numbers[name], [_return(_ERRNO | number)])
    return (*lines, _return(_ERRNO | errno.EPERM))


def install(machine: str) -> None:
    """Filter all system calls of this process from now on. The process must have given up new privileges.

    Raises:
        OSError: the processor is not known or the kernel refused; nothing has changed.
    """
    prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.addressof(prepare(machine)))


class _Program(ctypes.Structure):
    """The program as the kernel reads it."""

    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


@functools.cache
def prepare(machine: str) -> ctypes.Structure:
    """What `install` hands to the kernel. Made once, before the processes that install it are forked.

    Raises:
        OSError: the processor is not known.
    """
    lines = program(machine)
    return _Program(len(lines), b"".join(struct.pack("<HBBI", *line) for line in lines))


def _rule(number: int, answer: Sequence[Instruction]) -> list[Instruction]:
    return [Instruction(_JUMP_IF_EQUAL, 0, len(answer), number), *answer]


def _answer(alternatives: _Alternatives) -> list[Instruction]:
    """Ends with a return in every case, so that what follows may assume that the number is still loaded."""
    if alternatives == _ALWAYS:
        return [_return(_ALLOW)]
    lines = [line for words in alternatives for line in _alternative(words)]
    return [*lines, _return(_ERRNO | errno.EPERM)]


def _alternative(words: tuple[_Word, ...]) -> list[Instruction]:
    """Allows when all words hold, else goes on behind itself."""
    lines = [_return(_ALLOW)]
    for word in reversed(words):
        lines = _word(word, len(lines)) + lines
    return lines


def _word(word: _Word, rest: int) -> list[Instruction]:
    """Goes on when the word holds, else skips the rest, so many instructions."""
    lines = [_load(_ARGUMENTS_AT + 8 * word.argument + 4 * word.upper)]
    if word.mask != _WHOLE_WORD:
        lines.append(Instruction(_AND, 0, 0, word.mask & _WHOLE_WORD))
    last = len(word.values) - 1
    for position, value in enumerate(word.values):
        missed = rest if position == last else 0
        lines.append(Instruction(_JUMP_IF_EQUAL, last - position, missed, value))
    return lines


def _unless(value: int) -> list[Instruction]:
    """Skips the next instruction when the loaded word has this value."""
    return [Instruction(_JUMP_IF_EQUAL, 1, 0, value)]


def _load(offset: int) -> Instruction:
    return Instruction(_LOAD, 0, 0, offset)


def _return(action: int) -> Instruction:
    return Instruction(_RETURN, 0, 0, action)
