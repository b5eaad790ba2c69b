"""Attacks that talk: over the network, to other processes, to the kernel."""

from functools import partial

from tests.contract.attacks.attack import Goal, attack, from_selftest

_attack = partial(attack, "network")
_SOCKET = "socket = module('_socket')\n"

ATTACKS = (
    from_selftest("network", "connect", goal=Goal.DAMAGES),
    _attack(
        "listen",
        "waits for connections",
        _SOCKET
        + """
server = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
server.bind(("127.0.0.1", 0))
server.listen(1)
return reached(server.getsockname()[1])
        """,
    ),
    _attack(
        "send_a_datagram",
        "sends over UDP, as a name look-up does",
        _SOCKET + 'socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", udp))',
        goal=Goal.DAMAGES,
        takes=["udp"],
    ),
    _attack(
        "connect_to_a_path",
        "connects to a server that listens on a file, as Docker does",
        _SOCKET + "socket.socket(socket.AF_UNIX, socket.SOCK_STREAM).connect(unix)",
        goal=Goal.DAMAGES,
        takes=["unix"],
    ),
    _attack(
        "connect_to_a_name",
        "connects to a server that listens on an abstract name",
        _SOCKET + 'socket.socket(socket.AF_UNIX, socket.SOCK_STREAM).connect(b"\\0" + abstract.encode())',
        goal=Goal.DAMAGES,
        takes=["abstract"],
    ),
    _attack(
        "make_a_pair",
        "makes a pair of connected sockets",
        _SOCKET + "return reached(socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)[0].fileno())",
    ),
    _attack(
        "ask_the_kernel_for_routes",
        "opens a netlink socket",
        _SOCKET + "return reached(socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).fileno())",
    ),
    _attack(
        "look_up_a_name",
        "asks for the address of a host name",
        _SOCKET + 'return reached(socket.getaddrinfo("localhost", 80)[0][4][0])',
    ),
    _attack(
        "read_the_connections",
        "reads the open connections of the host",
        'return reached(open("/proc/net/tcp").readline())',
    ),
)
