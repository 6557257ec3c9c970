# Needs Python (3.11 or newer), make and git; everything else goes into .venv.
PYTHON ?= python3
BIN := .venv/bin
# Modules are compiled once, not by each of the hundred processes that the tests start.
unexport PYTHONDONTWRITEBYTECODE
FIGURES := gong_parulkar gong_parulkar.receive_buffers gong_parulkar.sstp loss_load loss_load.shaping cadpc cadpc.further \
	blt blt.today blt.priorities blt.further kkm network_simulator network_simulator.credits today today.courses \
	today.curves scoreboard field
PACKAGES := setup.py conftest.py models derivations docs figures notebooks tests

.PHONY: help venv wheel hooks guard test tests plain-tests compiled-tests test-long mutations lint types docs handbook explore notebooks outputs browser figures redraw benchmark peers testbed size lock clean

help:  ## List the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "%-16s%s\n", $$1, $$2 }'

venv: .venv/compiled  ## Create .venv with every extra, from the lock file, and compile the simulators

.venv/installed: requirements.lock setup.cfg pyproject.toml
	$(PYTHON) -m venv .venv
	# uv installs the lock file in a tenth of pip's time; pip installs uv, by the same hashes.
	awk '/^uv==/ { on = 1 } on { print } on && !/\\$$/ { exit }' requirements.lock > .venv/uv.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --requirement .venv/uv.txt
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes --requirement requirements.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	touch $@

# For targets that simulate. What has not changed is found on disk: a second or two.
.venv/compiled: .venv/installed $(shell find models/longfat/base models/longfat/sim models/longfat/segments -name '*.py')
	$(BIN)/python -m longfat.cli.precompile
	touch $@

wheel: venv  ## Build a wheel with compiled code, for this platform and version of Python, in ./build/wheel
	rm -rf build/lib build/bdist*  # files of an earlier build would be part of it
	LONGFAT_COMPILED=1 $(BIN)/pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir build/wheel .

hooks: .venv/installed  ## Install the hooks of .pre-commit-config.yaml; needs pre-commit, which .venv does not have
	@command -v pre-commit > /dev/null || { echo "pre-commit is missing: install it with '$(BIN)/uv tool install pre-commit'"; exit 1; }
	pre-commit install

test: .venv/installed  ## Run linter, type checker and tests: what has to pass before a commit
	$(MAKE) --jobs=2 --keep-going lint types plain-tests compiled-tests

tests: .venv/installed  ## Run the tests that take seconds, and the examples of the documentation
	$(MAKE) --jobs=2 --keep-going plain-tests compiled-tests

plain-tests: .venv/installed  ## Run the tests marked plain, without compiling what takes longer to compile than to run
	# One process, beside what needs the other processor. Its output is printed at the end, and .pytest_cache is left to
	# the other run, so that the two do not mix.
	@said=$$(NUMBA_DISABLE_JIT=1 $(BIN)/pytest -q -p no:cacheprovider -m "plain and not long" tests/sim 2>&1); \
	status=$$?; printf '%s\n' "$$said"; exit $$status

compiled-tests: venv  ## Run the other tests that take seconds
	# The short doctests last, to fill up.
	$(BIN)/pytest -n auto --dist loadfile --no-loadscope-reorder -m "not plain and not long"

guard: venv  ## Check that nothing stored has changed, in two minutes; report speed beside the last report
	$(BIN)/pytest -q -n 2 tests/guard tests/figures/test_data.py tests/figures/test_scoreboard.py -k "not picture"
	$(BIN)/python -m tests.guard.speed

test-long: venv  ## Run all tests: also every claim of the papers, and a thousand examples of every law
	$(BIN)/pytest -n auto -m "long or not long" --hypothesis-profile=long

mutations: venv  ## Change single lines of the code and report which test fails
	$(BIN)/python -m tests.mutations
	-$(BIN)/python -m tests.mutations_by_rule  # some survive: those that change nothing

lint: .venv/installed  ## Check style, docstrings and formatting (ruff)
	$(BIN)/ruff check $(PACKAGES)
	$(BIN)/ruff format --check $(PACKAGES)

types: .venv/installed  ## Check the types of the package and the figures (mypy), with the stubs of the laws written anew
	$(BIN)/python -m docs.stubs
	$(BIN)/mypy

docs: venv  ## Generate docs/plug-ins.md and docs/architecture.svg from the code
	$(BIN)/python -m docs.pages

handbook: venv  ## Build the handbook, a static site, in ./build/handbook/html; warnings are errors
	$(BIN)/python -m docs.handbook

peers: venv  ## Compare with ns-3 anew; NS3_PYTHON names an interpreter with its wheel (a quarter of an hour)
	$(BIN)/python -m tests.benchmarks.today
	$(BIN)/python -m docs.peers

testbed: venv  ## Run Linux's own TCP: its tests, and the comparison with the simulator anew (needs rights; some hours)
	$(BIN)/pytest tests/testbed tests/test_cli_testbed.py -m "long or not long"
	$(BIN)/python -m tests.benchmarks.linux
	$(BIN)/python -m figures.linux
	$(BIN)/python -m docs.linux

explore: venv  ## Open every law with sliders in the browser
	$(BIN)/longfat explore

notebooks: venv  ## Open the notebooks in JupyterLab
	$(BIN)/jupyter lab --ServerApp.root_dir=notebooks

outputs: venv  ## Run the notebooks whose outputs in the handbook are stale (five minutes for all)
	$(BIN)/python -m docs.handbook.notebooks

browser:  ## Install Debian's Chromium for the tests of `explore`, which are skipped without it
	@if command -v chromium || command -v chromium-browser || command -v google-chrome; then :; \
	elif command -v apt-get > /dev/null && [ "$$(id -u)" = 0 ]; then \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium; \
	else echo "no apt-get, or not root: the tests of explore in a browser will be skipped"; fi

figures: venv  ## Simulate and draw the papers' figures and tables anew (an hour or two)
	for part in kkm.other_schemes kkm.topologies explore $(FIGURES) gallery; do $(BIN)/python -m figures.$$part || exit 1; done

redraw: venv  ## Draw the same figures from the numbers stored beside them, without simulating
	for part in $(FIGURES); do $(BIN)/python -m figures.$$part --redraw || exit 1; done
	$(BIN)/python -m figures.gallery

benchmark: venv  ## Measure speed, as ratios taken in one run
	$(BIN)/pytest tests/benchmarks -p benchmark --ignore-glob="*/ns3_*" --benchmark-columns=min,median,rounds -q

size: .venv/installed  ## Print lines by folder, and the layers of the package
	$(BIN)/python -m docs.size

lock: .venv/installed  ## Generate requirements.lock: exact versions and hashes for Python 3.11 and newer
	$(BIN)/uv pip compile --universal --python-version 3.11 --extra all --extra test --extra dev --extra docs --generate-hashes \
	    --no-header --no-annotate --quiet setup.cfg --output-file requirements.lock

clean:  ## Remove .venv, ./build and ./curves
	rm -rf .venv build curves
