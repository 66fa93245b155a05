# Everything happens in .venv, which is made on first use.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: study test bench pictures reproduction example clean

study: .venv/ready  ## start studyapp
	@$(BIN)/studyapp run

test: .venv/ready-test  ## lint, types and tests
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/pytest -n auto

bench: .venv/ready-bench  ## measure; takes some minutes, run nothing beside it
	$(BIN)/python tests/benchmarks/import_core.py
	$(BIN)/python tests/benchmarks/tell.py
	$(BIN)/python tests/benchmarks/arms.py
	$(BIN)/python tests/benchmarks/thompson.py
	$(BIN)/python tests/benchmarks/words_build.py
	$(BIN)/python tests/benchmarks/first_screen.py
	$(BIN)/python tests/benchmarks/rehearse.py
	$(BIN)/python tests/benchmarks/blind.py
	$(BIN)/python tests/benchmarks/verify.py
	$(BIN)/python tests/benchmarks/analyse.py
	$(BIN)/python tests/benchmarks/simulate.py
	$(BIN)/python tests/benchmarks/active_example.py

pictures: .venv/ready  ## remake the pictures in the README: of the screens, and of the example's analysis
	$(BIN)/python -m studyapp.screens.pictures.make
	$(BIN)/studyapp analyse sessions/example --out .venv/example
	cp .venv/example/figures/*.svg studyapp/analysis/pictures/

reproduction: .venv/ready  ## rerun the simulated figures of the README, under both fits; half an hour of two cores
	$(BIN)/studyapp reproduce --fit converged published --out reproduction
	$(BIN)/studyapp reproduce main optimiser --fit converged published --replications 1000 --out reproduction
	$(BIN)/studyapp reproduce multi-step --fit converged published --replications 400 --out reproduction
	cd reproduction/figures && cp main.svg main-published.svg multi-step.svg multi-step-published.svg optimiser.svg \
		active-example.svg active-wine.svg teaching-example.svg ../../studyapp/experiments/pictures/

example: .venv/ready  ## remake the simulated sessions in sessions/example
	rm -f sessions/example/*.yaml
	$(BIN)/studyapp rehearse --study short --teacher planning --participants 4 --sessions sessions/example
	$(BIN)/studyapp rehearse --study short --teacher person --participants 4 --sessions sessions/example

clean:
	rm -rf .venv

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/ready: pyproject.toml | .venv/bin/python
	$(BIN)/pip install --quiet --editable .
	@touch $@

.venv/ready-test: pyproject.toml | .venv/bin/python
	$(BIN)/pip install --quiet --editable '.[test]'
	@touch $@ .venv/ready

.venv/ready-bench: pyproject.toml | .venv/bin/python
	$(BIN)/pip install --quiet --editable '.[bench,test]'
	@touch $@ .venv/ready
