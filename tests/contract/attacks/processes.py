"""Attacks that start processes and threads, or send signals to others."""

from functools import partial

from tests.contract.attacks.attack import Goal, attack, from_selftest

_attack = partial(attack, "processes")
_SHELL = '["sh", "-c", "echo x > " + folder + "/new"]'

ATTACKS = (
    from_selftest("processes", "fork"),
    _attack(
        "fork_with_a_terminal",
        "starts a second process by way of forkpty",
        """
        child, terminal = os.forkpty()
        if child == 0:
            os._exit(0)
        return reached(os.waitpid(child, 0)[1])
        """,
        host_may_refuse=True,
    ),
    _attack(
        "fork_again_and_again",
        "a small fork bomb: one process becomes eight",
        """
        first = os.getpid()
        for _ in range(3):
            os.fork()
        if os.getpid() != first:
            module("time").sleep(0.1)
            os._exit(0)
        return reached([os.wait()[1] for _ in range(3)])
        """,
    ),
    _attack(
        "fork_by_raw_clone",
        "starts a process by the bare system call",
        """
        child = clone3()
        if child == 0:
            os._exit(0)
        return reached(os.waitpid(child, 0)[1])
        """,
        around="""
        def clone3():
            arguments = bytearray(64)
            arguments[32] = 17  # SIGCHLD when it ends
            ctypes = module("ctypes")
            return syscall(435, (ctypes.c_char * 64).from_buffer(arguments), 64)
        """,
        host_may_refuse=True,
    ),
    _attack(
        "replace_the_process",
        "runs a program in its own place",
        f'os.execv("/bin/sh", {_SHELL})',
        goal=Goal.DAMAGES,
        takes=["folder"],
    ),
    _attack(
        "execute_from_memory",
        "runs a program that is no file",
        """
        script = os.memfd_create("script", 0)
        os.write(script, b"#!/bin/sh\\necho x > " + folder.encode() + b"/new\\n")
        os.execve(script, ["script"], {})
        """,
        goal=Goal.DAMAGES,
        takes=["folder"],
    ),
    from_selftest("processes", "spawn"),
    _attack(
        "use_the_shell",
        "runs a command with os.system",
        'os.system("echo x > " + folder + "/new")',
        goal=Goal.DAMAGES,
        takes=["folder"],
    ),
    _attack(
        "use_subprocess",
        "runs a program with the module made for it",
        f'module("subprocess").run({_SHELL})',
        goal=Goal.DAMAGES,
        takes=["folder"],
    ),
    from_selftest("processes", "start_a_thread"),
    _attack("kill_the_parent", "kills its parent process", "os.kill(os.getppid(), 9)\nreturn reached()"),
    _attack("stop_the_parent", "freezes its parent process", "os.kill(os.getppid(), 19)\nreturn reached()"),
    _attack(
        "kill_a_neighbour",
        "kills a process of the same user",
        "os.kill(victim, 9)",
        goal=Goal.DAMAGES,
        takes=["victim"],
    ),
    _attack(
        "stop_a_neighbour",
        "freezes a process of the same user",
        "os.kill(victim, 19)",
        goal=Goal.DAMAGES,
        takes=["victim"],
    ),
    _attack(
        "kill_by_handle",
        "kills a process of the same user by its pidfd",
        "module('_signal').pidfd_send_signal(syscall(434, victim, 0), 9)",
        goal=Goal.DAMAGES,
        takes=["victim"],
        host_may_refuse=True,
    ),
    _attack(
        "queue_a_signal",
        "kills a thread of a process of the same user",
        'library("sigqueue", victim, 9, None)',
        goal=Goal.DAMAGES,
        takes=["victim"],
    ),
    from_selftest("processes", "signal_the_host"),
    _attack(
        "signal_everyone",
        "may send signals to all processes (signal 0 asks only)",
        "os.kill(-1, 0)\nreturn reached()",
    ),
    _attack(
        "signal_the_group",
        "may send signals to its process group (signal 0 asks only)",
        "os.killpg(0, 0)\nreturn reached()",
    ),
    _attack("leave_the_session", "becomes a process group of its own", "os.setpgid(0, 0)\nreturn reached()"),
    _attack(
        "limit_a_neighbour",
        "takes the open files of a process of the same user away",
        """
        module("resource").prlimit(victim, 7, (3, 3))
        return reached()
        """,
        takes=["victim"],
        host_may_refuse=True,
    ),
    _attack(
        "slow_a_neighbour",
        "gives a process of the same user the lowest priority",
        "os.setpriority(os.PRIO_PROCESS, victim, 19)\nreturn reached()",
        takes=["victim"],
    ),
    _attack(
        "pin_a_neighbour",
        "decides which processor a process of the same user runs on",
        "os.sched_setaffinity(victim, [min(os.sched_getaffinity(0))])\nreturn reached()",
        takes=["victim"],
    ),
)
