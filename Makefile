PYTHON ?= python3
VENV = .venv
DEMO = .venv-demo
BIN = $(VENV)/bin
COMPILE = $(BIN)/uv pip compile --no-config --quiet --universal --python-version 3.11 \
	--fork-strategy fewest --generate-hashes --no-emit-index-url --no-annotate \
	--custom-compile-command 'make lock'
LOCK = $(COMPILE) pyproject.toml
RELEASES = src/rsjs/campaigns/locks

# The tests start hundreds of processes: each would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL = help
.PHONY: help demo quick test search docs submissions lint typecheck links bench asv canary expected \
	lock dist outside dataset clean

help: ## show the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' Makefile

demo: $(DEMO)/installed ## install into .venv-demo and run the demonstration
	$(DEMO)/bin/rsjs demo

PYTEST = $(BIN)/pytest -n 2 --dist worksteal

quick: $(VENV)/installed ## install into .venv, then style and the quick tests, a few minutes
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(PYTEST) -m 'not (slow or solver or process or browser)' tests

test: $(VENV)/installed ## install into .venv, then style, all tests, types, docs, micro-benchmarks once
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(PYTEST) tests benchmarks/micro --benchmark-disable

search: $(VENV)/installed ## property tests with new random examples; what fails is kept in .hypothesis
	$(PYTEST) -m hypothesis --hypothesis-profile=search tests

docs: $(VENV)/installed ## build the documentation into build/docs
	$(BIN)/sphinx-build -W --keep-going -b html -j auto docs build/docs

submissions: $(VENV)/installed ## check the submissions, as CI does on every change
	$(BIN)/rsjs submit check submissions

lint: $(VENV)/installed ## mend style where ruff can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

typecheck: $(VENV)/installed links ## mypy --strict on the tree (the tests do it on the wheel)
	MYPYPATH=src $(BIN)/mypy -p rsjs

links: ## symlinks in src/rsjs, so that editors and mypy find the code folders
	ln -sfn ../../instances ../../formulations ../../heuristics src/rsjs/

bench: $(VENV)/installed ## time the micro-benchmarks
	$(BIN)/pytest benchmarks/micro

asv: $(VENV)/installed ## measure HEAD^ and HEAD with asv, hours; ASV='--bench Kernels --quick'
	$(BIN)/asv machine --yes
	$(BIN)/asv continuous --interleave-rounds --show-stderr HEAD^ HEAD $(ASV)

canary: $(VENV)/installed ## prove that a kernel of half the speed is noticed
	$(BIN)/python -m benchmarks.canary

expected: $(VENV)/installed ## rewrite the costs and counts that the micro-benchmarks must find
	$(BIN)/python -m benchmarks.expected

lock: $(BIN)/pip ## rewrite the locks; delete those in requirements/ first to move to the newest versions
	$(BIN)/pip install --quiet uv
	$(LOCK) --extra solvers --extra report --group build -o requirements/run.txt
	$(LOCK) --extra solvers --extra parquet --extra report --extra dask --extra rl --extra docs --extra test -c requirements/run.txt -o requirements/test.txt
	for lock in $(RELEASES)/*.txt; do \
		sed -n 's/ *\\$$//; /^[^ #].*==/p' $$lock | $(COMPILE) --no-deps - -o $$lock || exit; done

dist: $(VENV)/installed ## build sdist and wheel into dist/
	rm -rf dist
	$(BIN)/python -m build --no-isolation

# In a folder of its own: nothing of this tree is found by chance.
outside: ## install the wheel of dist/, run the commands and the tests of the sdist, all outside the tree
	@set -eu; at=$$(mktemp -d); trap 'rm -rf "$$at"' EXIT; wheel=$$(echo $(CURDIR)/dist/*.whl); \
	$(PYTHON) -m venv "$$at/venv"; pip="$$at/venv/bin/python -m pip install --quiet --disable-pip-version-check"; \
	$$pip --require-hashes -r requirements/test.txt; $$pip --no-deps "$$wheel"; \
	tar -xzf dist/*.tar.gz -C "$$at"; mkdir "$$at/work"; cd "$$at/work"; PATH="$$at/venv/bin:$$PATH"; set -x; \
	rsjs demo; rsjs run smoke; rsjs bks list --set tiny; rsjs reproduce jahani-fig4-slots -o claims; \
	cd "$$at"/rsjs_bench-*/; pytest -n 2 --dist worksteal -m 'not (slow or solver or process or browser)' tests

dataset: $(VENV)/installed ## write library, best-known values, models and runs into build/, packed
	rm -rf build/dataset
	$(BIN)/rsjs export dataset -o build/dataset
	cd build && tar --sort=name --owner=0 --group=0 --numeric-owner --mode=a+rX,go-w -cf rsjs-bench-dataset.tar dataset

clean: ## remove environments, builds and caches
	rm -rf $(VENV) $(DEMO) build dist *.egg-info .asv .benchmarks .hypothesis .*_cache
	rm -f src/rsjs/instances src/rsjs/formulations src/rsjs/heuristics

$(VENV)/installed: requirements/test.txt
$(DEMO)/installed: requirements/run.txt
$(VENV)/installed $(DEMO)/installed: %/installed: pyproject.toml | %/bin/pip
	@echo 'Installing $(filter requirements/%,$^) into $* ...'
	@$*/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $(filter requirements/%,$^)
	@$*/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

# pip is the last thing that venv makes: a venv that was broken off is made again.
$(VENV)/bin/pip $(DEMO)/bin/pip: %/bin/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo 'Python 3.11 or newer is needed; name one: make PYTHON=python3.12 ...' >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2> /dev/null \
		|| { echo '$(PYTHON) has no venv; Debian and Ubuntu: apt install python3-venv' >&2; exit 1; }
	@$(PYTHON) -m venv $*
