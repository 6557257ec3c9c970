# Needs Python (3.11 or newer), make and git; everything else goes into .venv.
PYTHON ?= python3
BIN := .venv/bin
# Modules are compiled once, not by each of the hundred processes that the tests start.
unexport PYTHONDONTWRITEBYTECODE
REDRAWN := gong_parulkar receive_buffers loss_load cadpc blt kkm network_simulator scoreboard
PACKAGES := models derivations docs figures notebooks tests

.PHONY: help venv test tests test-long simulator mutations lint types docs curves explore notebooks notebooks-html browser figures redraw benchmark lock clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/'

venv: .venv/installed  ## make .venv with every extra, from the lock file

.venv/installed: requirements.lock setup.cfg pyproject.toml
	$(PYTHON) -m venv .venv
	# uv installs the lock file in a tenth of pip's time; pip installs uv, by the same hashes.
	awk '/^uv==/ { on = 1 } on { print } on && !/\\$$/ { exit }' requirements.lock > .venv/uv.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --requirement .venv/uv.txt
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes --requirement requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

test: venv  ## linter, type checker, tests
	$(MAKE) --jobs=2 lint types tests  # the first two beside the compiling that the third begins with

tests: simulator
	$(BIN)/pytest -n auto --dist loadfile --no-loadscope-reorder -p no:benchmark  # the short doctests last, to fill up

test-long: venv  ## what takes minutes: every claim of the papers, a thousand examples of every law
	$(BIN)/pytest -n auto -p no:benchmark -m "long or not long" --hypothesis-profile=long

simulator: venv  ## compile the simulator and all that ships with it, before the first run would
	$(BIN)/python -m longfat.sim.precompile

mutations: venv  ## break the code a line at a time, and see which test notices
	$(BIN)/python -m tests.mutations

lint: venv
	$(BIN)/ruff check $(PACKAGES)
	$(BIN)/ruff format --check $(PACKAGES)

types: venv
	$(BIN)/mypy

docs: venv  ## docs/plug-ins.md and docs/engine.svg, as the code has them
	$(BIN)/python -m docs.pages

curves: venv  ## the window of the paper's example: table, CSV, NetCDF, pictures in ./curves
	$(BIN)/longfat window --rate 1Gbit/s --rtt 100ms --packet 1024B --segment 16KiB \
	    --loss 1e-4,1e-3,1e-2 --output curves

explore: venv  ## every law with sliders, in the browser
	$(BIN)/longfat explore

notebooks: venv  ## the notebooks, in JupyterLab
	$(BIN)/jupyter lab --ServerApp.root_dir=notebooks

notebooks-html: venv  ## the notebooks and their solutions with all results, as pages in ./build/notebooks
	$(BIN)/python -m notebooks.pages

browser:  ## Debian's Chromium, for the tests of the page; without it they are skipped
	@if command -v chromium || command -v chromium-browser || command -v google-chrome; then :; \
	elif command -v apt-get > /dev/null && [ "$$(id -u)" = 0 ]; then \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium; \
	else echo "no apt-get, or not root: the tests of the page will be skipped"; fi

figures: venv  ## the papers' figures from runs of ours, printed numbers beside them, the simulator beside its laws
	$(BIN)/python -m figures.gong_parulkar
	$(BIN)/python -m figures.receive_buffers
	$(BIN)/python -m figures.loss_load
	$(BIN)/python -m figures.cadpc
	$(BIN)/python -m figures.blt
	$(BIN)/python -m figures.kkm
	$(BIN)/python -m figures.network_simulator
	$(BIN)/python -m figures.explore
	$(BIN)/python -m figures.scoreboard
	$(BIN)/python -m figures.gallery

redraw: venv  ## the same pictures again from the numbers stored beside them, without simulating
	for part in $(REDRAWN); do $(BIN)/python -m figures.$$part --redraw || exit 1; done
	$(BIN)/python -m figures.gallery

benchmark: venv  ## speed, as ratios taken in one run
	$(BIN)/pytest tests/benchmarks --benchmark-only --benchmark-columns=min,median,rounds -q

lock: venv  ## write requirements.lock anew: exact versions and hashes for Python 3.11 and newer
	$(BIN)/uv pip compile --universal --python-version 3.11 --extra all --extra test --extra dev --generate-hashes \
	    --no-header --no-annotate --quiet setup.cfg --output-file requirements.lock

clean:
	rm -rf .venv build curves
