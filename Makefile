# The whole developer interface: demo, check, test, bench-smoke. CI runs the same targets.
VENV ?= .venv
PYTHON ?= python3
BIN := $(VENV)/bin
RUNS ?= runs

.PHONY: demo check test bench-smoke proof clean

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "agentkernel needs Python 3.11 or newer; set PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@

demo: $(VENV)/.installed  ## solve a task drawn from the shipped ones and show the verdict
	$(BIN)/agentkernel solve "$$($(BIN)/agentkernel bench draw)" --runs $(RUNS)

check: $(VENV)/.installed  ## lint and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: $(VENV)/.installed  ## the tests of the gate
	$(BIN)/pytest -m "not slow"

bench-smoke: $(VENV)/.installed  ## validate the suite and time text to verdict
	$(BIN)/agentkernel bench validate
	$(BIN)/python -m agentkernel.bench.text_to_verdict

proof: $(VENV)/.installed  ## long proofs: composer x tasks x 8 style seeds
	$(BIN)/python -m agentkernel.composer.proof --seeds 8
	$(BIN)/pytest -m slow

clean:
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache
