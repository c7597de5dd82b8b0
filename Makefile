# One command each: `make run` starts the app, `make test` checks everything.

PYTHON ?= python3
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
BIN := .venv/bin
INSTALLED := .venv/installed
NODE := tests/node/node_modules/installed

.DELETE_ON_ERROR:
.PHONY: run test lint types contracts check bench fuzz lock chromium clean

## start the app on http://127.0.0.1:8080 with the local engine and the worked example
run: $(INSTALLED)
	$(BIN)/lockwright serve $(ARGS)

## every check: style, types, import rules, tests (browser and engine tests among them)
test: $(INSTALLED) $(NODE) chromium lint types contracts
	$(BIN)/pytest --numprocesses auto --dist worksteal $(ARGS)

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(INSTALLED)
	$(BIN)/mypy

contracts: $(INSTALLED)
	$(BIN)/lint-imports

## medians and ratios of building plans and serving pages
bench: $(INSTALLED)
	$(BIN)/python -m tests.benchmarks $(ARGS)

## the properties of the core and the API's description, with ten times the generated input
fuzz: $(INSTALLED)
	HYPOTHESIS_PROFILE=long $(BIN)/pytest tests/core tests/fuzz \
		tests/engine/test_lint_differential.py tests/engine/test_sequences.py $(ARGS)

## write the locked versions anew from pyproject.toml
lock: pyproject.toml
	$(PYTHON) -m venv .venv-lock
	.venv-lock/bin/pip install --quiet pip-tools
	.venv-lock/bin/pip-compile --quiet --extra local --extra dev --strip-extras --generate-hashes \
		--no-header --no-emit-index-url --no-emit-find-links --no-emit-trusted-host \
		--output-file requirements.lock pyproject.toml
	rm -rf .venv-lock

# The browser for the page tests is the system's: Debian's package when there is none yet.
chromium:
	@command -v chromium >/dev/null || { \
		$(SUDO) apt-get update && $(SUDO) apt-get install --yes --no-install-recommends chromium; }

# The JavaScript SDK, for the example programs; node from Debian when there is none yet.
$(NODE): tests/node/package-lock.json
	command -v npm >/dev/null || { \
		$(SUDO) apt-get update && $(SUDO) apt-get install --yes --no-install-recommends nodejs npm; }
	npm ci --prefix tests/node --no-audit --no-fund --loglevel error
	touch $@

$(INSTALLED): requirements.lock pyproject.toml
	[ -x $(BIN)/python ] || $(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --require-hashes --requirement requirements.lock
	$(BIN)/pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

clean:
	rm -rf .venv tests/node/node_modules .local build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
