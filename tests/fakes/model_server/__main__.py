"""The server as a process of its own.

    python -m tests.fakes.model_server --port 8123 --fault-rate 0.3 --latency 1

The first line that it prints is the base URL; `/journal` says what it has seen. It ends with its standard input, or
with Ctrl-C.
"""

import argparse
import sys

from tasks.sandbox.zygote import ZygoteSandbox
from tests.fakes.model_server.completions import Skills
from tests.fakes.model_server.faults import FaultRates
from tests.fakes.model_server.server import MODEL, ModelServer
from tests.fakes.model_server.transport import Weather


def main() -> None:
    """Serve until the standard input ends."""
    options = _options()
    with ModelServer(
        ZygoteSandbox(),
        faults=FaultRates.everywhere(options.fault_rate),
        weather=Weather(rate=options.trouble_rate, vanishes_after=options.vanishes_after),
        skills=Skills(
            schema=not options.no_schema, tools=not options.no_tools, usage=not options.no_usage, thinks=options.thinks
        ),
        latency_s=options.latency,
        slots=options.slots,
        port=options.port,
    ) as server:
        print(server.base_url, f"(model: {MODEL})", flush=True)
        try:
            sys.stdin.read()
        except KeyboardInterrupt:
            return


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fakes.model_server", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 for any")
    parser.add_argument("--fault-rate", type=float, default=0.0, help="share of classes and scenarios with a fault")
    parser.add_argument("--trouble-rate", type=float, default=0.0, help="share of requests that meet a trouble")
    parser.add_argument("--vanishes-after", type=int, default=None, help="requests until the model is gone")
    parser.add_argument("--latency", type=float, default=0.0, help="least seconds until an answer")
    parser.add_argument("--slots", type=int, default=64, help="requests answered at a time")
    parser.add_argument("--no-schema", action="store_true", help="refuses response_format")
    parser.add_argument("--no-tools", action="store_true", help="refuses tools")
    parser.add_argument("--no-usage", action="store_true", help="tells no tokens")
    parser.add_argument("--thinks", action="store_true", help="thinks aloud")
    return parser.parse_args()


if __name__ == "__main__":
    main()
