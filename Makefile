# Everything happens in .venv, which is made on first use.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: study test prove bench pictures people reproduction example hooks constraints clean

study: .venv/ready  ## start the study
	@$(BIN)/studyapp run --study paper

test: .venv/ready-test  ## style, types, import contracts and tests: about 3 minutes on two cores
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/pytest -n auto --dist worksteal --durations=10

prove: .venv/ready-test  ## the long proofs: random kills, every write boundary, random keys, wide random tests: about 6 minutes
	$(BIN)/pytest -n auto --dist worksteal --durations=10 -m prove

bench: .venv/ready-bench  ## measure; takes some minutes, run nothing else meanwhile
	$(BIN)/python tests/benchmarks/import_core.py
	$(BIN)/python tests/benchmarks/tell.py
	$(BIN)/python tests/benchmarks/vocabulary_sizes.py
	$(BIN)/python tests/benchmarks/arms.py
	$(BIN)/python tests/benchmarks/thompson.py
	$(BIN)/python tests/benchmarks/words_build.py
	$(BIN)/python tests/benchmarks/first_screen.py
	$(BIN)/python tests/benchmarks/rehearse.py
	$(BIN)/python tests/benchmarks/blind.py
	$(BIN)/python tests/benchmarks/verify.py
	$(BIN)/python tests/benchmarks/analyse.py
	$(BIN)/python tests/benchmarks/office.py
	$(BIN)/python tests/benchmarks/simulate.py
	$(BIN)/python tests/benchmarks/active_example.py

pictures: .venv/ready  ## remake the pictures of the screens and of the example's analysis
	$(BIN)/python tests/pictures.py
	$(BIN)/studyapp analyse sessions/example --out .venv/example
	cp .venv/example/figures/*.svg studyapp/analysis/pictures/

PUBLISHED ?= ../shared/data/published/sessions.csv

people: .venv/ready-test  ## refit the default people to the published sessions (PUBLISHED=CSV)
	rm -rf .venv/people
	$(BIN)/studyapp import $(PUBLISHED) --sessions .venv/people/sessions
	$(BIN)/studyapp people fit .venv/people/sessions --out .venv/people/people.json
	cp .venv/people/people.json core/people.json
	cp .venv/people/people.svg core/pictures/

reproduction: .venv/ready  ## rerun the simulations behind the documentation, with both fits; some 20 minutes on two cores
	$(BIN)/studyapp reproduce --fit converged published --out reproduction
	$(BIN)/studyapp reproduce main --fit converged published --replications 1000 --out reproduction
	$(BIN)/studyapp reproduce multi-step --fit converged published --replications 400 --out reproduction
	cd reproduction/figures && cp main.svg main-published.svg multi-step.svg multi-step-published.svg \
		active-example.svg active-wine.svg teaching-example.svg user-study.svg ../../studyapp/experiments/pictures/

example: .venv/ready  ## remake the simulated sessions in sessions/example
	rm -f sessions/example/*.yaml
	$(BIN)/studyapp rehearse --study short --teacher planning --participants 4 --sessions sessions/example
	$(BIN)/studyapp rehearse --study short --teacher person --participants 4 --sessions sessions/example

hooks: .venv/ready-test  ## check style and types before every commit
	$(call install,pre-commit,20 MB,[hooks])
	$(BIN)/pre-commit install

constraints: .venv/bin/python  ## pin the newest versions that pyproject.toml allows; then test them
	rm -rf .venv/newest
	$(PYTHON) -m venv .venv/newest
	.venv/newest/bin/pip install --disable-pip-version-check --quiet --editable '.[bench,dask,hooks,people,test]'
	@echo '# The versions that studyapp was tested with. make study, make test, make hooks and make bench install these.' > .venv/newest.txt
	@echo '# Made by: make constraints' >> .venv/newest.txt
	.venv/newest/bin/pip freeze --all --exclude-editable --exclude pip >> .venv/newest.txt
	sed 's/+.*//' .venv/newest.txt > constraints.txt  # without the name of a build, such as torch's +cpu
	rm -rf .venv/newest .venv/newest.txt

clean:
	rm -rf .venv

# Setting up.  The Python version is checked before anything else.

# A .venv of an older Python, or one that was moved and no longer works, would spoil everything: start afresh.
# (Not with make -n, which only shows what would be done.)
$(if $(findstring n,$(firstword -$(MAKEFLAGS))),,$(shell \
	[ ! -e .venv ] || .venv/bin/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null || rm -rf .venv))

NEEDS := import sys; v = sys.version_info; ok = v >= (3, 11); \
	ok or sys.stderr.write("studyapp needs Python 3.11 or newer, but $(PYTHON) is Python %d.%d. " % v[:2] + \
	"Install a newer Python and run, for example: make study PYTHON=python3.12\n"); sys.exit(not ok)

.venv/bin/python:
	@command -v $(PYTHON) > /dev/null || { echo "studyapp needs Python 3.11 or newer; there is no '$(PYTHON)' here" >&2; exit 1; }
	@$(PYTHON) -c '$(NEEDS)'
	@$(PYTHON) -m venv .venv || { rm -rf .venv; echo "a virtual environment could not be made; on Debian and Ubuntu, install python3-venv" >&2; exit 1; }

.venv/ready: pyproject.toml constraints.txt | .venv/bin/python
	$(call install,studyapp,400 MB; takes 1 to 3 minutes; only once,)
	@touch $@

.venv/ready-test: pyproject.toml constraints.txt | .venv/bin/python
	$(call install,studyapp with test tools,1.4 GB; takes 1 to 5 minutes; once,[test$(,)dask$(,)people])
	@touch $@ .venv/ready

.venv/ready-bench: pyproject.toml constraints.txt | .venv/bin/python
	$(call install,studyapp with its rivals,1.6 GB; takes some minutes; once,[bench$(,)test$(,)dask$(,)people])
	@touch $@ .venv/ready

, := ,

# The tested versions, also of the tools that build studyapp: newer pips take those from PIP_BUILD_CONSTRAINT,
# older ones from PIP_CONSTRAINT.
TESTED := PIP_CONSTRAINT=constraints.txt PIP_BUILD_CONSTRAINT=constraints.txt

# What, how large, which extra.  On a terminal one line shows how far it is; pip's own output appears if it fails.
define install
@echo "Installing $(1) into .venv ($(2))"
@touch .venv/install.log; $(TESTED) $(BIN)/pip install --disable-pip-version-check --editable '.$(3)' > .venv/install.log 2>&1 & pid=$$!; \
trap 'kill $$pid 2> /dev/null; exit 130' INT TERM; \
while kill -0 $$pid 2> /dev/null; do \
	if [ -t 1 ]; then \
		step=$$(grep -oE '^ *(Collecting|Downloading|Installing|Building|Preparing)[^(<>=;[]*' .venv/install.log | tail -n 1 | sed 's|Downloading.*/|Downloading |'); \
		printf '\r\033[K  %5s MB  %.60s' "$$(du -sm .venv | cut -f 1)" "$$step"; \
	fi; \
	sleep 1; \
done; \
if [ -t 1 ]; then printf '\r\033[K'; fi; \
wait $$pid || { cat .venv/install.log >&2; echo "The installation failed: see above. Is there a connection to a package index?" >&2; exit 1; }
endef
