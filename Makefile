# make demo      rewrite an example, look at the diff, verify the result
# make test      the test suite, with one of every kind of what takes seconds to verify
# make test-all  the same with all of them: half an hour more
# make test-unit, test-cases, test-verification, test-commands    the layers of `make test`
# make test-gpu  tests that need a GPU, and every rewritten case verified on it: RECORD=FILE.json keeps the verdicts
# make check     ruff and mypy
# make docs      the site of all pages, in build/site/html; needs no network once mkdocs is installed
# make record-cases    verify in the interpreter the rewritten cases that no record has, and keep the verdicts
# make test-default-torch    demo and test with the torch that pip installs where nothing is configured
# make test-triton VERSION=3.9.0    optimize() with that Triton, compiled and interpreted, without torch
# make test-triton-verify VERSION=3.9.0    verify and capture with that Triton, and torch

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e
DEMO := examples/router_softmax.py
REWRITTEN := build/demo/router_softmax.py

.PHONY: all demo docs test test-unit test-cases test-verification test-commands test-all test-gpu record-cases test-default-torch test-triton test-triton-verify check clean
.DEFAULT_GOAL := test
.DELETE_ON_ERROR:

all: check test demo

$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "tritonopt needs Python 3.10 or later; set PYTHON=...")'
	@echo "Setting up $(VENV) (torch and triton are large: the first time takes minutes)"
	@$(PYTHON) -m venv $(VENV)
	@$(INSTALL) '.[verify,ray,dev]' || { echo "without ray, which has no wheel for every Python: its test is skipped"; $(INSTALL) '.[verify,dev]'; }
	@touch $@

demo: $(INSTALLED)
	@echo "== tritonopt rewrite $(DEMO)"
	@$(BIN)/tritonopt rewrite $(DEMO)
	@mkdir -p $(dir $(REWRITTEN))
	@cp $(DEMO) $(REWRITTEN)
	@echo "== tritonopt rewrite $(REWRITTEN) --write"
	@$(BIN)/tritonopt rewrite $(REWRITTEN) --write
	@echo "== tritonopt verify $(DEMO) $(REWRITTEN)"
	@$(BIN)/tritonopt verify $(DEMO) $(REWRITTEN)

docs: $(INSTALLED) $(VENV)/.docs-installed
	@PYTHONPATH=. $(BIN)/python docs/site.py build/site
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict -f build/site/mkdocs.yml
	@echo "to read it: python3 -m http.server -d build/site/html (its search needs a server)"

$(VENV)/.docs-installed: $(INSTALLED)
	@$(INSTALL) '.[docs]'
	@touch $@

PYTEST := $(BIN)/python -m pytest -n 2 --dist worksteal -q --color=no
LAYER_unit := $(patsubst %,tests/%,checks emit facts launches measurement reporting rewriting source) \
	tests/test_architecture.py tests/test_layers.py
LAYER_cases := tests/passes tests/test_examples.py tests/test_references.py
LAYER_verification := tests/verification tests/test_mutations.py
LAYER_commands := $(patsubst %,tests/%,cli docs engines packaging runtime tuning) \
	tests/test_figures.py tests/test_rows.py tests/test_tuning_benchmark.py

test: $(INSTALLED)
	@$(PYTEST) -m 'not thorough'

test-unit test-cases test-verification test-commands: test-%: $(INSTALLED)
	@$(PYTEST) -m 'not thorough' $(LAYER_$*)

test-all: $(INSTALLED)
	@$(PYTEST)

RECORD ?= build/verified_cases.json

test-gpu: $(INSTALLED)
	@$(BIN)/python -m pytest -q --color=no -m gpu
	@mkdir -p $(dir $(RECORD))
	@PYTHONPATH=. $(BIN)/python benchmarks/verified_cases.py --out $(RECORD)

RESULTS := benchmarks/results/verified_cases

record-cases: $(INSTALLED)
	@PYTHONPATH=. $(BIN)/python benchmarks/verified_cases.py --backend interpreter \
		--beside $(RESULTS)-nvidia-h200.json --out $(RESULTS)-interpreter.json

# An environment as empty as it can be: on Linux that torch is the CUDA build, several GB of it.
KEPT := HOME PATH MAKEFLAGS PIP_CERT HTTPS_PROXY https_proxy
EMPTY := env -i PIP_CONFIG_FILE=/dev/null $(foreach name,$(KEPT),$(if $($(name)),$(name)='$($(name))'))

test-default-torch:
	@$(EMPTY) $(MAKE) --no-print-directory PYTHON='$(PYTHON)' VENV=.venv-default-torch demo
	@.venv-default-torch/bin/python -c 'import torch; print("== make test with torch", torch.__version__)'
	@$(EMPTY) $(MAKE) --no-print-directory PYTHON='$(PYTHON)' VENV=.venv-default-torch test

test-triton:
	@test -n "$(VERSION)" || { echo "say which Triton: make test-triton VERSION=3.9.0"; exit 2; }
	@$(MAKE) --no-print-directory .venv-triton-$(VERSION)/.installed
	@.venv-triton-$(VERSION)/bin/python -m pytest -q --color=no tests/runtime

test-triton-verify:
	@test -n "$(VERSION)" || { echo "say which Triton: make test-triton-verify VERSION=3.9.0"; exit 2; }
	@$(MAKE) --no-print-directory .venv-triton-$(VERSION)/.installed
	@.venv-triton-$(VERSION)/bin/python -m pip install --quiet --disable-pip-version-check \
		-c .venv-triton-$(VERSION)/constraints.txt 'torch>=2.11' triton==$(VERSION) 'numpy<2.4'
	@.venv-triton-$(VERSION)/bin/python -m pytest -q --color=no -m 'not thorough' \
		tests/verification/test_verdicts.py tests/verification/test_right_rewrites.py \
		tests/verification/capture/test_captured.py

# The interpreter of Triton 3.2 to 3.6 fails with numpy 2.4 and later.
.venv-triton-%/.installed: pyproject.toml constraints.txt
	@$(PYTHON) -m venv .venv-triton-$*
	@grep -v '^triton=\|^torch=\|^numpy=' constraints.txt > .venv-triton-$*/constraints.txt
	@.venv-triton-$*/bin/python -m pip install --quiet --disable-pip-version-check \
		-c .venv-triton-$*/constraints.txt -e . triton==$* 'numpy<2.4' pytest hypothesis setuptools
	@touch $@

check: $(INSTALLED)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy --strict -p tritonopt

clean:
	rm -rf build dist .mypy_cache .pytest_cache .ruff_cache *.egg-info
