# Everything works from a fresh clone: each target makes .venv first when it is missing or out of date.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: help setup run test lint bench-llm ui deploy worker bench-sandbox

help:
	@echo "make setup   create .venv with everything in it"
	@echo "make run     make a release from the bundled corpus (ARGS=... is passed on)"
	@echo "make test    run the tests"
	@echo "make lint    check style, types and import directions"
	@echo "make bench-llm  what the language-model author costs above the bare calls"
	@echo "make ui      start the Prefect UI"
	@echo "make deploy  register the deployments of prefect.yaml"
	@echo "make worker  run deployments as they become due"
	@echo "make bench-sandbox  measure what isolation costs, and search for leaks (ARGS=... is passed on)"

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

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

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
