"""What the author costs above the bare calls: the same questions, asked in three ways, side by side.

    python -m tests.benchmarks.llm_author [--calls 512] [--latency 1] [--slots 64] [--rounds 1]

Against an endpoint of this machine, in a process of its own, which takes a second for each reply and writes 64 at a
time: (1) the async client alone, under a semaphore; (2) the author, from as many threads, with its cache, accounts,
budget and limiter; (3) a Prefect flow with one task per question, against a real server. The CPU is that of this
process alone. In each round the cache is empty and nothing is known of the endpoint.
"""

import argparse
import asyncio
import logging
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import openai
from prefect import flow, task
from prefect.settings import PREFECT_API_URL, PREFECT_HOME, temporary_settings
from pydantic import TypeAdapter

from flows.items import Item, kept, work_through
from flows.running import hush_prefect, prefect_settings
from flows.server import Server, await_server, start_server, stop_server
from prompts.library import load
from schemas.ids import digest
from schemas.llm_calls import LlmCall
from tasks.authors.base import DescribeTopic, EnvironmentIdea
from tasks.authors.llm.author import LlmAuthor
from tasks.authors.llm.budget import Budget, Price
from tasks.authors.llm.cache import ReplyCache
from tasks.authors.llm.limiter import Limiter
from tasks.authors.llm.settings import EndpointSettings
from tasks.policies import ITEM
from tests.unit.prompts.examples import example_of

IDEA = TypeAdapter(EnvironmentIdea)
MODEL = "slow"


@dataclass(frozen=True, slots=True)
class Measured:
    """One way to ask, in one round."""

    wall_s: float
    cpu_s: float


@dataclass(frozen=True, slots=True)
class Setting:
    """What all ways have in common."""

    base_url: str
    themes: tuple[str, ...]
    prompts: tuple[str, ...]
    """Of the themes, for who can't fill them in."""
    at_a_time: int
    folder: Path
    """Empty at first."""


def ask_bare(setting: Setting) -> None:
    """The async client alone: `asyncio.gather` under a semaphore, of prompts that are rendered already."""
    schema = {"name": "EnvironmentIdea", "schema": EnvironmentIdea.model_json_schema(), "strict": False}

    async def all_at_once() -> None:
        slots = asyncio.Semaphore(setting.at_a_time)
        async with openai.AsyncOpenAI(base_url=setting.base_url, api_key="none", max_retries=0) as client:

            async def one(text: str) -> EnvironmentIdea:
                async with slots:
                    answer = await client.chat.completions.create(
                        model=MODEL,
                        messages=[{"role": "user", "content": text}],
                        response_format={"type": "json_schema", "json_schema": schema},  # type: ignore[typeddict-item]
                        temperature=0.7,
                        seed=1,
                    )
                return EnvironmentIdea.model_validate_json(answer.choices[0].message.content or "")

            await asyncio.gather(*(one(text) for text in setting.prompts))

    asyncio.run(all_at_once())


def ask_from_threads(setting: Setting) -> None:
    """The author alone."""
    author, calls = _author(setting)
    with ThreadPoolExecutor(setting.at_a_time) as pool:
        list(pool.map(lambda theme: author.ask(DescribeTopic(theme), seed=1), setting.themes))
    _require_one_call_each(calls, setting)


def ask_in_a_flow(setting: Setting) -> None:
    """One Prefect task per question."""
    author, calls = _author(setting)

    @task(name="describe topic", **ITEM)
    def describe(key: str, label: str, theme: str) -> str:
        return kept(IDEA, author.ask(DescribeTopic(theme), seed=1))

    @flow(name="describe topics")
    def describe_all() -> None:
        items = [Item(theme, theme, digest(theme, str(setting.folder)), {"theme": theme}) for theme in setting.themes]
        for done in work_through(describe, items, read=IDEA.validate_json, at_a_time=setting.at_a_time):
            if done.outcome is None:
                raise RuntimeError(done.error)

    describe_all()
    _require_one_call_each(calls, setting)


WAYS: dict[str, Callable[[Setting], None]] = {
    "asyncio.gather": ask_bare,
    "author, threads": ask_from_threads,
    "author, Prefect flow": ask_in_a_flow,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 1 when a way costs more than it may."""
    parser = argparse.ArgumentParser(description="What the language-model author costs above the bare calls.")
    parser.add_argument("--calls", type=int, default=512, help="Questions, each another one.")
    parser.add_argument("--latency", type=float, default=1.0, help="Seconds that the endpoint takes for a reply.")
    parser.add_argument("--slots", type=int, default=64, help="Replies that the endpoint writes at a time.")
    parser.add_argument("--rounds", type=int, default=1, help="The median of these counts.")
    parser.add_argument("--way", choices=WAYS, action="append", help="Only this way, beside the first.")
    options = parser.parse_args(arguments)
    ways = [name for name in WAYS if options.way is None or name in options.way or name == next(iter(WAYS))]
    themes = tuple(f"bicycle workshop number {number}" for number in range(options.calls))

    prompt = load("describe_topic")
    prompts = tuple(prompt.render(theme=theme) for theme in themes)
    measured: dict[str, list[Measured]] = {name: [] for name in ways}
    with (
        tempfile.TemporaryDirectory() as folder,
        endpoint(Path(folder), latency_s=options.latency, slots=options.slots) as base_url,
        prefect(Path(folder)),
    ):
        for number in range(-1, options.rounds):  # the first, a short one, warms up
            for name in ways:
                place = Path(folder) / f"{number} {name}"
                count = options.calls if number >= 0 else options.slots // 4
                taken = measure(WAYS[name], Setting(base_url, themes[:count], prompts[:count], options.slots, place))
                if number >= 0:
                    measured[name].append(taken)
    return report(measured, options.calls)


def measure(way: Callable[[Setting], None], setting: Setting) -> Measured:
    """Ask all questions in this way."""
    setting.folder.mkdir()
    wall, cpu = time.perf_counter(), time.process_time()
    way(setting)
    return Measured(time.perf_counter() - wall, time.process_time() - cpu)


def report(measured: dict[str, list[Measured]], calls: int) -> int:
    """Print the ways side by side; 1 when one costs more than it may."""
    allowed = {"author, threads": 1.1, "author, Prefect flow": 1.4}
    most_cpu_ms = 20.0
    medians = {
        name: Measured(statistics.median(m.wall_s for m in each), statistics.median(m.cpu_s for m in each))
        for name, each in measured.items()
    }
    bare = next(iter(medians.values()))
    is_too_much = False
    print(f"{'way':<22} {'wall s':>8} {'ratio':>6} {'allowed':>8} {'CPU ms/call':>12} {'above gather':>13}")
    for name, each in medians.items():
        ratio, above = each.wall_s / bare.wall_s, 1000 * (each.cpu_s - bare.cpu_s) / calls
        is_too_much |= ratio > allowed.get(name, 1.0) or above > most_cpu_ms
        limit = f"{allowed[name]:.1f}" if name in allowed else ""
        cpu_ms = 1000 * each.cpu_s / calls
        print(f"{name:<22} {each.wall_s:>8.2f} {ratio:>6.3f} {limit:>8} {cpu_ms:>12.1f} {above:>13.1f}")
    return int(is_too_much)


@contextmanager
def endpoint(folder: Path, *, latency_s: float, slots: int) -> Iterator[str]:
    """The base URL of an endpoint in a process of its own."""
    reply = folder / "reply.json"
    reply.write_text(example_of("describe_topic"), encoding="utf-8")
    command = [sys.executable, "-m", "tests.benchmarks.slow_endpoint", "--reply", str(reply)]
    command += ["--latency", str(latency_s), "--slots", str(slots)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        if process.stdout is None:
            raise RuntimeError("the endpoint has no output")
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()


@contextmanager
def prefect(folder: Path) -> Iterator[Server]:
    """A Prefect server as `envmill run` starts one, and this process as its client."""
    home = folder / "home"
    server = start_server(home)
    try:
        await_server(server, home)
        settings = {**prefect_settings(server, home), PREFECT_API_URL: server.api_url, PREFECT_HOME: home}
        with temporary_settings(settings):
            hush_prefect()
            yield server
            for handler in logging.getLogger("prefect.flow_runs").handlers:
                handler.flush()  # the log goes to the server from a thread of its own
    finally:
        stop_server(server, home)


def _author(setting: Setting) -> tuple[LlmAuthor, list[LlmCall]]:
    """An author with everything that a run gives it, and its accounts."""
    calls: list[LlmCall] = []
    writing = threading.Lock()

    def log(call: LlmCall) -> None:
        with writing:
            calls.append(call)

    price = Price(input_usd=1.0, output_usd=2.0)
    author = LlmAuthor(
        EndpointSettings(base_url=setting.base_url, model=MODEL),
        run_id="run_benchmark",
        log=log,
        cache=ReplyCache(setting.folder / "replies.sqlite"),
        budget=Budget(max_usd=1000.0, price=price),
        limiter=Limiter(setting.at_a_time),
        price=price,
    )
    return author, calls


def _require_one_call_each(calls: Sequence[LlmCall], setting: Setting) -> None:
    answered = [call for call in calls if call.outcome == "answered" and call.attempts == 1]
    if len(answered) != len(calls) or len(calls) != len(setting.themes):
        raise RuntimeError(f"{len(setting.themes)} questions made {len(calls)} calls, {len(answered)} answered at once")


if __name__ == "__main__":
    sys.exit(main())
