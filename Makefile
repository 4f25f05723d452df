# `make` sets up the environment and runs the quick study, `make test` the tests; `make help` lists the rest.
PYTHON ?= python3
CORES ?= 2
TESTS ?= tests
SELECTED := -m "not long"

VENV := .venv
BIN := $(VENV)/bin
# All commands, and the rules and tests that they start, find the programs of .venv first: nothing to activate. Each job
# is a process and should reuse compiled modules, even if Python is told to write none.
RUN := PYTHONDONTWRITEBYTECODE= PATH="$(CURDIR)/$(BIN):$$PATH"
# Only errors, no warnings about a site's configuration of pip. Modules are compiled at their first import: most are never
# imported, and compiling all takes as long as installing them.
PIP := $(BIN)/python -m pip install --disable-pip-version-check --quiet --quiet --no-compile

# One command at a time sets up the environment, which others would find half made.
LOCK = mkdir -p "$(dir $(VENV))"; mkdir $(VENV).lock || { [ ! -d $(VENV).lock ] || \
    echo "Another make sets up $(VENV): wait for its end. If there is none, remove the folder $(VENV).lock." >&2; exit 1; }; \
    trap 'rmdir $(VENV).lock' EXIT; trap 'exit 1' HUP INT TERM;

.DEFAULT_GOAL := quick
.PHONY: quick full data report again env test test-all mutants check-method architecture docs lint lock clean help

quick: env ## set up, then run the quick study on embedded data (no download)
	@$(RUN) snakemake --cores $(CORES) --configfile config/quick.yaml

full: env ## every study of config.yaml (downloads data; TOPRANK_MIRROR names a mirror)
	@$(RUN) snakemake --cores all

data: env ## obtain and check every data set; writes results/data.csv
	@$(RUN) snakemake data --cores $(CORES)

report: env ## the snapshot's tables, figures and page, made again from its fits (no new fit)
	@$(RUN) snakemake --cores $(CORES) --configfile reports/snapshot/config.yaml
	@$(RUN) python -m reproduction.snapshot compare reports/snapshot results/snapshot

again: env ## a sample of the snapshot's fits, made again and compared
	@$(RUN) python workflow/lib/spot_check.py reports/snapshot

env: $(VENV)/ready ## only set up: .venv from the lock file, with toprank in it

# Three processes for two cores, since the tests of SLURM mostly wait. A file is a unit (tests/conftest.py), in the order
# of the folders: the longest, a study computed by Snakemake, begins first.
test: env ## the tests except the long ones, three processes
	@$(RUN) OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 pytest -n 3 --dist loadgroup --no-loadscope-reorder $(TESTS) $(SELECTED)

test-all: SELECTED :=
test-all: test ## all tests

mutants: env ## every wrong change of tests/mutants_of; each must be caught by its test (minutes)
	@$(RUN) OMP_NUM_THREADS=1 python tests/mutants.py

check-method: env ## try the method NAME=... on small data and report errors
	@$(RUN) python workflow/lib/check_method.py $(NAME)

architecture: env ## ARCHITECTURE.md, from the docstrings and imports of the code
	@$(RUN) python workflow/lib/architecture.py

docs: $(VENV)/documented ## the documentation as a site, docs/_build/html/index.html; warnings are errors
	@$(RUN) sphinx-build -q -W --keep-going -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

lint: env ## ruff, snakefmt and snakemake --lint
	@$(RUN) ruff check .
	@$(RUN) ruff format --check .
	@$(RUN) snakefmt --check workflow
	@$(RUN) snakemake --lint

lock: ## resolve envs/requirements.in and envs/docs.in into new lock files
	@tools=$$(mktemp -d) && trap 'rm -rf "$$tools"' EXIT && \
	$(PYTHON) -m venv "$$tools" && "$$tools/bin/pip" install --quiet uv && \
	"$$tools/bin/uv" pip compile --quiet --upgrade --universal --fork-strategy fewest --generate-hashes \
	    --python-version 3.11 --no-annotate --no-header --no-emit-index-url \
	    --output-file envs/requirements.txt envs/requirements.in && \
	"$$tools/bin/uv" pip compile --quiet --upgrade --universal --fork-strategy fewest --generate-hashes \
	    --python-version 3.11 --no-annotate --no-header --no-emit-index-url \
	    --constraint envs/requirements.txt --output-file envs/docs.txt envs/docs.in
	@echo "envs/requirements.txt is new; give envs/environment.yaml the same versions (a test compares them)."

clean: ## remove the results (results/), keep data and environment
	rm -rf results

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' Makefile

# A new lock file makes a new environment; a new pyproject.toml only installs toprank again, without network.
$(VENV)/locked: envs/requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' || { \
	    echo "toprank needs Python 3.11, 3.12 or 3.13, but $(PYTHON) is '$$($(PYTHON) --version 2>&1)': name another one, as in 'make PYTHON=python3.12'." >&2; exit 1; }
	@$(LOCK) if [ ! $@ -nt $< ]; then \
	    echo "Setting up $(VENV) from $<; this takes a minute or two." && $(PYTHON) -m venv --clear $(VENV) && \
	    $(PIP) --require-hashes --requirement envs/requirements.txt && touch $@; fi

# Packages for the documentation, in the versions that envs/docs.txt adds to the first lock.
$(VENV)/documented: $(VENV)/ready envs/docs.txt
	@$(PIP) --require-hashes --requirement envs/docs.txt
	@touch $@

$(VENV)/ready: $(VENV)/locked pyproject.toml
	@$(LOCK) $(PIP) --no-deps --no-build-isolation --editable . && touch $@
