# The only list of commands. Each makes .venv by itself, once; it needs Python >= 3.11 and make.
PYTHON ?= python3
OLDEST_PYTHON ?= python3.11
BIN := .venv/bin
USABLE := .venv/.usable
INSTALLED := .venv/.installed
BIOME := npx --yes --loglevel=error @biomejs/biome@2.6.6

.PHONY: help demo test test-slow test-oldest lint fuzz bench docs pictures clean

help:  ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

demo: $(USABLE)  ## a first look, on a corpus that the package generates
	@$(BIN)/quantext demo

# One thread for BLAS and OpenMP: there is a process for each core, and threads would wait in turns.
# Work is stolen, not dealt out: most tests of a file meet in one process, with what they share.
test: lint  ## lint, types, import contract, tests
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/pytest -n auto --dist worksteal

test-slow: $(INSTALLED)  ## the slow tests
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/pytest -n auto --dist worksteal -m slow

# Old versions with new ones of their own dependencies: what is deprecated between them is not ours.
test-oldest: .venv-oldest/.installed  ## the tests with the oldest Python and dependencies that are allowed
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 .venv-oldest/bin/pytest -n auto --dist worksteal \
		-W ignore::DeprecationWarning

lint: $(INSTALLED)  ## style, types, the import contract and the scripts of the pages
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	@if command -v npx >/dev/null; then $(BIOME) lint --error-on-warnings; \
	elif [ -n "$$CI" ]; then echo "Error: no npx to lint the scripts of the pages; install node" >&2; exit 1; \
	else echo "The scripts of the pages were not linted: that needs npx, which comes with node"; fi

fuzz: $(INSTALLED)  ## thousands of damaged and forged files of all kinds
	$(BIN)/python -m tests.support.fuzz_modelfile 2000
	$(BIN)/python -m tests.support.fuzz_csv 2000
	$(BIN)/python -m tests.support.fuzz_attacks 2000

bench: $(INSTALLED)  ## one table of speed against peers; fails where a ratio has fallen
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[bench]'
	$(BIN)/python -m benchmarks

# The variable is Material's own way to leave out its notice on the future of MkDocs and of itself.
docs: $(INSTALLED)  ## the documentation as a site in site/
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
	@echo "The documentation is in site/: open site/index.html in a browser; its search works there too."
	@echo "To serve it to others: $(BIN)/python -m http.server --directory site"

pictures: $(INSTALLED)  ## the pictures of the README and the docs, and the notebook, made again
	$(BIN)/python docs/figure.py
	$(BIN)/python docs/app_picture.py
	$(BIN)/python docs/notebook.py

clean:  ## remove the environment and all caches
	rm -rf .venv .venv-oldest .venv-bench .venv-peers site .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +

# What quantext itself needs, for the demo; the tools of developers come on top of that.
$(USABLE): pyproject.toml
	@echo "Installing quantext in .venv, once..."
	@$(PYTHON) -m venv .venv
	@$(BIN)/pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(INSTALLED): pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $(USABLE) $@

.venv-oldest/.installed: pyproject.toml
	$(OLDEST_PYTHON) -m venv --clear .venv-oldest
	$(OLDEST_PYTHON) -m tests.support.oldest > .venv-oldest/constraints.txt
	.venv-oldest/bin/pip install --quiet --disable-pip-version-check --prefer-binary \
		--constraint .venv-oldest/constraints.txt -e '.[dev]'
	@touch $@
