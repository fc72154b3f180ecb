PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# pip cannot check the hash of a folder: what we depend on comes first, then ourselves.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: demo test clean

$(BIN)/python:
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

# A stamp per extra, so that a second run installs nothing again.
$(VENV)/.installed: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) --require-hashes --no-deps -r constraints.txt
	$(PIP) --no-deps -e .
	touch $@

$(VENV)/.installed-test: pyproject.toml constraints-test.txt | $(BIN)/python
	$(PIP) --require-hashes --no-deps -r constraints-test.txt
	$(PIP) --no-deps -e .
	touch $@ $(VENV)/.installed

demo: $(VENV)/.installed
	$(BIN)/python -m examples.demo

test: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache
