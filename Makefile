# The two commands a newcomer needs: `make run`, `make test`. Everything they need is set up by them.
PYTHON ?= python3
BIN := .venv/bin

help:  ## list the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## */\t/'

.venv/ready: pyproject.toml cleanse/__init__.py
	$(PYTHON) -c 'import sys; sys.exit("cleanse needs Python 3.11 or later, this is " + sys.version.split()[0]) if sys.version_info < (3, 11) else 0'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test]'
	touch .venv/ready

run: .venv/ready  ## clean samples/ into out/
	$(BIN)/cleanse run -c configs/zh-news.yaml samples/ -o out

lint: .venv/ready  ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: lint  ## lint, then all tests
	$(BIN)/python -m pytest

docs: .venv/ready  ## write the pages of docs/ that are made from the code
	PYTHONPATH=tests $(BIN)/python tests/docs_tables.py

clean:  ## remove what the targets made
	rm -rf .venv out dist .mypy_cache .ruff_cache .pytest_cache

.PHONY: help run lint test docs clean
.DEFAULT_GOAL := help
