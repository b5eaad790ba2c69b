"""Commands that make a release, or say what making one would take: run, estimate."""

from pathlib import Path
from typing import Annotated

import typer

from flows.commands.app import (
    Concurrency,
    Corpora,
    Home,
    MaxCalls,
    MaxTokens,
    MaxUsd,
    Record,
    Replay,
    Unsafe,
    app,
    chosen_home,
    reported,
)
from flows.interruption import GOODBYE
from flows.probing import USUAL_PROBES, Probes
from schemas.lengths import LONGEST
from schemas.settings import PROFILES


@app.command()
def run(
    profile: Annotated[str, typer.Option(help=f"How much to make: {', '.join(PROFILES)}.")] = "default",
    corpus: Corpora = None,
    task_column: Annotated[str | None, typer.Option(help="Column that holds the task text. Default: guessed.")] = None,
    topic: Annotated[list[str] | None, typer.Option(help="A theme you want; may be repeated.")] = None,
    no_corpus: Annotated[bool, typer.Option("--no-corpus", help="Work on the --topic themes alone.")] = False,
    holdout: Annotated[
        list[Path] | None, typer.Option(help="File of benchmark texts to keep away from; may be repeated.")
    ] = None,
    holdout_column: Annotated[
        str | None, typer.Option(help="Column that holds the text in a hold-out. Default: guessed.")
    ] = None,
    author: Annotated[str, typer.Option(help="Who writes.")] = "rules",
    seed: Annotated[int, typer.Option(help="Decides every choice; same seed and inputs, same release.")] = 0,
    home: Home = None,
    concurrency: Concurrency = None,
    max_usd: MaxUsd = None,
    max_tokens: MaxTokens = None,
    max_calls: MaxCalls = None,
    record: Record = None,
    replay: Replay = None,
    lengths: Annotated[
        str | None,
        typer.Option(help=f'Calls (1 to {LONGEST}) that solutions should have, weighted: "3-5:2,6-10:5".'),
    ] = None,
    probes: Annotated[
        int, typer.Option(help="Episodes of each probe agent at each scenario; 0: none play.")
    ] = USUAL_PROBES.attempts,
    probe_attempts: Annotated[
        int, typer.Option(help="Episodes of the language model at each scenario, with --author llm.")
    ] = 0,
    unsafe_no_sandbox: Unsafe = False,
) -> None:
    """Make a release: mine topics, build environments, generate, prove and play scenarios, publish.

    Where a budget runs out, what is finished by then is published, and what is left is told.

    Exit codes: 0 published, 1 failed, 2 wrong usage, 3 a gate refused publication, 130 stopped by Ctrl-C.
    """
    with reported(GOODBYE):
        from flows.composition import items_at_a_time
        from flows.holdouts import Holdouts
        from flows.limits import Limits
        from flows.order import Order, check_order
        from flows.taping import Taping

        order = Order(
            home=chosen_home(home),
            profile=profile,
            corpora=corpus or [],
            task_column=task_column,
            topics=topic or [],
            uses_corpus=not no_corpus,
            author=author,
            seed=seed,
            at_a_time=items_at_a_time(author, concurrency),
            limits=Limits(max_usd=max_usd, max_tokens=max_tokens, max_calls=max_calls),
            taping=Taping(record=record, replay=replay),
            holdouts=Holdouts(files=tuple(holdout or ()), column=holdout_column),
            lengths=lengths,
            probes=Probes(attempts=probes, model_attempts=probe_attempts),
            unsafe_no_sandbox=unsafe_no_sandbox,
        )
        check_order(order)
        from rich.console import Console

        from flows.running import run_factory

        console = Console()
        release = run_factory(order, console)
        from flows.reports import tell_release

        tell_release(release, order.home, console)


@app.command()
def estimate(
    profile: Annotated[str, typer.Option(help=f"How much to make: {', '.join(PROFILES)}.")] = "default",
    corpus: Corpora = None,
    task_column: Annotated[str | None, typer.Option(help="Column that holds the task text. Default: guessed.")] = None,
    topic: Annotated[list[str] | None, typer.Option(help="A theme you want; may be repeated.")] = None,
    no_corpus: Annotated[bool, typer.Option("--no-corpus", help="Work on the --topic themes alone.")] = False,
    home: Home = None,
    concurrency: Concurrency = None,
    max_usd: MaxUsd = None,
    max_tokens: MaxTokens = None,
    max_calls: MaxCalls = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object, for programs.")] = False,
) -> None:
    """Say what `envmill run --author llm` would take: calls, tokens, time, and money where the price is known.

    Takes the options that decide how much is made. Hold-outs and lengths are left out: they change what is made, and a
    hold-out makes it less. The episodes of --probe-attempts come on top and are not counted.
    """
    with reported():
        from rich.console import Console

        from flows.composition import items_at_a_time
        from flows.estimate import estimate as foresee
        from flows.estimate import tell, to_json
        from flows.limits import Limits
        from flows.order import Order, check_request

        order = Order(
            home=chosen_home(home),
            profile=profile,
            corpora=corpus or [],
            task_column=task_column,
            topics=topic or [],
            uses_corpus=not no_corpus,
            author="llm",
            seed=0,
            at_a_time=items_at_a_time("llm", concurrency),
            limits=Limits(max_usd=max_usd, max_tokens=max_tokens, max_calls=max_calls),
        )
        check_request(order)
        found = foresee(order)
        if as_json:
            typer.echo(to_json(found))
        else:
            tell(found, Console())
