"""Attacks on the connection to the host: replies that the code writes itself."""

from functools import partial

from tests.contract.attacks.attack import Goal, attack, from_selftest

_TOOLS = """
def own_id():
    frame = sys._getframe()
    while frame is not None:
        if "request_id" in frame.f_locals:
            return frame.f_locals["request_id"]
        frame = frame.f_back
    raise PermissionError("no id in any frame")


real_write = os.write


def write(data):
    for number in range(3, 64):
        try:
            real_write(number, data)
        except OSError:
            pass


def reply(request_id, value='[{"result":{"forged":true},"error":null,"digest":null}]'):
    data = f'{{"id":"{request_id}","ok":true,"value":{value}}}'.encode()
    write(len(data).to_bytes(4, "big") + data)


def refuse(kind, message):
    data = f'{{"id":"{own_id()}","ok":false,"kind":"{kind}","message":"{message}"}}'.encode()
    write(len(data).to_bytes(4, "big") + data)


def silence():
    os.write = lambda number, data: len(data)


def let_send(function):
    frame = sys._getframe()
    while "_send" not in frame.f_globals:
        frame = frame.f_back
    frame.f_globals["_send"] = function
"""
_attack = partial(attack, "forgery", goal=Goal.ANSWERS, around=_TOOLS, may_end=("protocol",))
_ONLY_THIS = 'silence()\nreply(own_id(), """{}""")'

ATTACKS = (
    from_selftest("forgery", "reply_with_a_guess", goal=Goal.ANSWERS, may_end=("protocol",)),
    _attack(
        "reply_before_itself",
        "replies under its own id, so that its reply becomes the next one's",
        "reply(own_id())\nreturn reached()",
    ),
    _attack(
        "reply_twice",
        "makes the harness send every reply twice",
        """
        def twice(connection, text):
            data = text.encode()
            for _ in range(2):
                write(len(data).to_bytes(4, "big") + data)

        let_send(twice)
        return reached()
        """,
    ),
    _attack(
        "reply_late",
        "replies under its own id again, after the host has had its reply",
        """
        used = own_id()

        def late(connection, text):
            data = text.encode()
            write(len(data).to_bytes(4, "big") + data)
            for _ in range(100_000):
                pass
            reply(used)

        let_send(late)
        return reached()
        """,
    ),
    _attack(
        "reply_with_garbage",
        "writes bytes that are no reply",
        'write(b"\\xff" * 4096)\nreturn reached()',
        may_end=("output", "protocol"),
    ),
    _attack(
        "announce_too_much",
        "announces a reply of two gigabytes",
        'write(b"\\x7f\\xff\\xff\\xff")\nreturn reached()',
        may_end=("output",),
    ),
    _attack(
        "announce_and_hang",
        "announces a reply and never finishes it",
        'write(bytes([0, 0, 4, 0]) + b"{")\nwhile True:\n    pass',
        may_end=("wall", "cpu"),
    ),
    _attack(
        "drip",
        "writes its reply a byte at a time, to be given time again and again",
        """
        write(bytes([0, 15, 0, 0]))
        while True:
            write(b" ")
            for _ in range(20_000):
                pass
        """,
        may_end=("wall", "cpu", "protocol"),
    ),
    _attack("say_nothing", "makes the harness send nothing", "silence()", may_end=("wall",)),
    _attack(
        "hang_up",
        "closes the connection and goes on",
        "os.closerange(3, 64)\nwhile True:\n    pass",
        may_end=("protocol", "cpu"),
    ),
    _attack(
        "close_the_connection",
        "closes the connection and returns",
        "os.close(3)\nreturn reached()",
        may_end=("exit", "protocol", "crash"),
    ),
    _attack(
        "pass_a_file",
        "sends an open file along, for the host to keep open",
        """
        socket = module("_socket")
        connection = socket.socket(fileno=3)
        try:
            connection.sendmsg([b""], [(1, 1, (0).to_bytes(4, "little"))])
        finally:
            connection.detach()
        return reached()
        """,
        goal=Goal.SAYS,
    ),
    _attack("reply_not_a_number", "replies with NaN", _ONLY_THIS.format('[{"result":NaN,"error":null,"digest":null}]')),
    _attack(
        "reply_infinity",
        "replies with a number that becomes infinity",
        _ONLY_THIS.format('[{"result":1e999,"error":null,"digest":null}]'),
    ),
    _attack(
        "reply_a_surrogate",
        "replies with a text that has no encoding",
        _ONLY_THIS.format('[{"result":"\\\\ud800","error":null,"digest":null}]'),
    ),
    _attack(
        "reply_a_deep_list",
        "replies with a list in a list in a list",
        'silence()\nreply(own_id(), "[" * 100_000 + "]" * 100_000)',
    ),
    _attack(
        "reply_a_long_number",
        "replies with a number of many digits",
        """
        silence()
        reply(own_id(), '[{"result":' + "9" * 100_000 + ',"error":null,"digest":null}]')
        """,
    ),
    _attack(
        "refuse_a_call",
        "refuses a call as the harness refuses code that does not load",
        'silence()\nrefuse("load_error", "mine now")',
    ),
    _attack(
        "refuse_with_a_kind_of_its_own",
        "refuses a call for a reason that no one knows",
        'silence()\nrefuse("mine", "x" * 900_000)',
    ),
    _attack("reply_no_result", "replies with no result at all", _ONLY_THIS.format("[]")),
    _attack("reply_another_shape", "replies with something else than results", _ONLY_THIS.format('{"result":1}')),
    _attack(
        "reply_with_false_fields",
        "replies with an error that is no text",
        _ONLY_THIS.format('[{"result":null,"error":{"a":NaN},"digest":7}]'),
    ),
)
