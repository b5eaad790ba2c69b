"""Attacks on the files of the host."""

from functools import partial

from tests.contract.attacks.attack import Goal, attack, from_selftest

_attack = partial(attack, "files")

ATTACKS = (
    from_selftest("files", "read_a_file", steals=True),
    _attack(
        "read_with_system_calls",
        "reads a file without a file object",
        "return reached(os.read(os.open(canary, os.O_RDONLY), 1000).decode())",
        takes=["canary"],
        steals=True,
    ),
    _attack(
        "read_with_openat2",
        "reads a file by a newer system call than most filters know",
        """
        how = (0).to_bytes(24, "little")
        return reached(os.read(syscall(437, -100, canary.encode(), how, 24), 1000).decode())
        """,
        takes=["canary"],
        steals=True,
        host_may_refuse=True,
    ),
    _attack(
        "read_the_users",
        "reads /etc/passwd",
        'return reached(open("/etc/passwd").read(10))',
    ),
    _attack(
        "ask_for_a_user",
        "lets the C library read /etc/passwd",
        'return reached(module("pwd").getpwnam("root")[5])',
    ),
    _attack("stat_a_file", "looks whether a file exists", "return reached(os.stat(canary).st_size)", takes=["canary"]),
    from_selftest("files", "list_a_folder"),
    _attack("list_the_root", "lists the root folder", 'return reached([entry.name for entry in os.scandir("/")])'),
    from_selftest("files", "write_a_file", goal=Goal.DAMAGES),
    _attack(
        "create_an_empty_file",
        "creates a file without a byte in it, which no limit on sizes stops",
        'os.close(os.open(folder + "/new", os.O_CREAT | os.O_WRONLY))',
        goal=Goal.DAMAGES,
        takes=["folder"],
    ),
    _attack("truncate_a_file", "empties a file", "os.truncate(canary, 0)", goal=Goal.DAMAGES, takes=["canary"]),
    _attack("make_a_folder", "makes a folder", 'os.mkdir(folder + "/new")', goal=Goal.DAMAGES, takes=["folder"]),
    _attack(
        "make_a_link",
        "makes a symbolic link",
        'os.symlink("/etc/passwd", folder + "/new")',
        goal=Goal.DAMAGES,
        takes=["folder"],
    ),
    _attack(
        "make_a_hard_link",
        "gives a file a second name",
        'os.link(canary, folder + "/new")',
        goal=Goal.DAMAGES,
        takes=["canary", "folder"],
    ),
    _attack("make_a_pipe", "makes a named pipe", 'os.mkfifo(folder + "/new")', goal=Goal.DAMAGES, takes=["folder"]),
    _attack(
        "rename_a_file",
        "moves a file",
        'os.rename(canary, folder + "/new")',
        goal=Goal.DAMAGES,
        takes=["canary", "folder"],
    ),
    _attack("delete_a_file", "deletes a file", "os.unlink(canary)", goal=Goal.DAMAGES, takes=["canary"]),
    _attack(
        "change_the_mode", "makes a file executable", "os.chmod(canary, 0o777)", goal=Goal.DAMAGES, takes=["canary"]
    ),
    _attack(
        "change_the_times", "sets the times of a file", "os.utime(canary, (1, 1))", goal=Goal.DAMAGES, takes=["canary"]
    ),
    _attack(
        "change_folder",
        "enters a folder and reads a file there by its short name",
        """
        os.chdir(canary.rpartition("/")[0])
        return reached(open(canary.rpartition("/")[2]).read())
        """,
        takes=["canary"],
        steals=True,
    ),
    _attack(
        "read_a_device",
        "opens a device",
        'return reached(open("/dev/zero", "rb", buffering=0).read(4).hex())',
    ),
    _attack(
        "read_an_inherited_file",
        "reads whatever file the host had open",
        """
        for number in range(64):
            try:
                data = os.pread(number, 1000, 0)
            except OSError:
                continue
            if b"sk-" in data:
                return reached(data.decode())
        raise PermissionError("no file is open")
        """,
        steals=True,
    ),
    _attack(
        "see_new_files",
        "watches a folder",
        """
        return reached(library("inotify_add_watch", library("inotify_init"), folder.encode(), 0x100))
        """,
        takes=["folder"],
    ),
)
