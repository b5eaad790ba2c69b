"""A chat-completions endpoint that takes its time: so many seconds for each reply, so many replies at a time.

    python -m tests.benchmarks.slow_endpoint --latency 1 --slots 64 --reply FILE

Prints its base URL when it listens. A request beyond its slots waits for one. It speaks just enough HTTP for the
clients that are measured against it.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path


class SlowEndpoint:
    """Says the same to everybody."""

    def __init__(self, text: str, *, latency_s: float, slots: int) -> None:
        message = {"role": "assistant", "content": text}
        usage = {"prompt_tokens": 700, "completion_tokens": 150, "total_tokens": 850}
        completion = {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 0,
            "model": "slow",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": usage,
        }
        body = json.dumps(completion).encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        self._reply = head.encode() + body
        self._latency_s = latency_s
        self._slots = asyncio.Semaphore(slots)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection after another request until it is closed."""
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                lines = head.decode("latin-1").lower().split("\r\n")
                length = next(int(line.partition(":")[2]) for line in lines if line.startswith("content-length:"))
                await reader.readexactly(length)
                async with self._slots:
                    await asyncio.sleep(self._latency_s)
                writer.write(self._reply)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            writer.close()


async def run(text: str, *, latency_s: float, slots: int) -> None:
    """Listen on a free port of this machine until the process is ended."""
    endpoint = SlowEndpoint(text, latency_s=latency_s, slots=slots)
    server = await asyncio.start_server(endpoint.serve, "127.0.0.1", 0, backlog=1024, limit=2**20)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    async with server:
        await server.serve_forever()


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve."""
    parser = argparse.ArgumentParser(description="A chat-completions endpoint that takes its time.")
    parser.add_argument("--latency", type=float, default=1.0, help="Seconds for one reply.")
    parser.add_argument("--slots", type=int, default=64, help="Replies at a time.")
    parser.add_argument("--reply", type=Path, required=True, help="File with what it says.")
    options = parser.parse_args(arguments)
    text = options.reply.read_text(encoding="utf-8")
    try:
        asyncio.run(run(text, latency_s=options.latency, slots=options.slots))
    except KeyboardInterrupt:
        return 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
