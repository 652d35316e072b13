# What can be done here, one command each. `make run` and `make test` do all the set-up themselves.
#
#   make run        the companion (ARGS="..." adds arguments)
#   make hall       a hall with a dozen tables that play by themselves (ARGS="..." adds arguments)
#   make setup      .venv with what a game needs, and the command .venv/bin/snake-eye
#   make check      format, lint, types, imports, sizes
#   make size       what each room weighs beside its budget (ARGS=--passed counts the files that a
#                   photo and a frame pass, ARGS=--lower lowers the budgets to what there is)
#   make test       check and every test: exactly what CI runs
#   make quick      what a change can break, in under a minute (FILES="engine/lattice.py"; without,
#                   what differs from the last commit)
#   make bench      speed, as ratios to a yardstick in the same run (ONLY="rules" for some)
#   make look       screenshots of every view, phone to television, into build/look (ONLY=foul for one)
#   make pictures   the pictures of README and guide, into docs/pictures (ONLY=foul for some)
#   make evaluate   how well the trained models read tables (PARTS="squares hexes", SCALE=0.1,
#                   RENDERS=folder of photoreal renders)
#   make golden     every answer of the reader, kept picture by picture and compared with an earlier
#                   one's (TABLES=2000 a game, PARTS="tables films", AGAINST=folder, RENDERS=folder)
#   make train      train the models anew
#   make soak       every fault in full count, taken up where it was left (PARTS="kill", FRESH=1)
#   make fuzz       changed inputs at every way in, half an hour each (TARGETS="records", MINUTES=5)
#   make mutate     whether the tests of referee, evidence, layout, store, access and intake can
#                   fail (NAMES="vision.intake*")
#   make audit      whether a weakness is known in a library that is installed; without the network
#                   only pins, hashes, files and a short list
#   make deb        into dist, of what is committed: the Debian package (ARCHITECTURE=arm64)
#   make release    into dist, of what is committed: archive, wheel and packages, the list of their
#                   parts, reports and checksums; KEY=your.key signs the sums with minisign
#   make test-deploy  install, update and remove it for real in throw-away Debian trees
#   make lock       write requirements/*.lock anew (UPGRADE=--upgrade takes the newest versions)
#   make clean      remove everything that was made here

.DELETE_ON_ERROR:
.PHONY: setup run hall hall-ready check size test quick suite bench look pictures evaluate golden train soak fuzz mutate audit deb card release test-deploy lock clean

# Compiled modules are kept, whatever the environment says: the tests start many processes, and each
# would compile all libraries anew.
unexport PYTHONDONTWRITEBYTECODE

PIP = .venv/bin/python -m pip --disable-pip-version-check --no-input
# One test process more than there are cores: with two more it takes no less, and waits run out.
WORKERS = $(shell expr $$(nproc) + 1)

run: setup
	.venv/bin/snake-eye run $(ARGS)

# In a folder of its own: what the demo tables play is no game of this home.
hall: hall-ready
	home=$$(mktemp -d) && trap 'rm -rf "$$home"' EXIT && \
	SNAKE_EYE_HOME=$$home .venv/bin/snake-eye hall --demo 12 $(ARGS)

hall-ready: .venv/hall-ready

setup: .venv/run-ready

check: .venv/dev-ready .venv/js-ready
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	@if [ -x node_modules/.bin/prettier ]; then $(PRETTIER); \
	else echo "Without Node.js and its tools the form of the JavaScript is not checked."; fi
	.venv/bin/mypy
	.venv/bin/python -m pytest --quiet tests/test_imports.py tests/test_size.py

size: .venv/dev-ready
	.venv/bin/python -m tests.size $(ARGS)

PRETTIER = node_modules/.bin/prettier --log-level warn --check $$(git ls-files '*.js')

# Types are checked beside the first tests: that takes a minute on one core.
test: .venv/dev-ready
	$(MAKE) --no-print-directory --jobs 2 check suite

quick: .venv/dev-ready
	@.venv/bin/python -m tests.quick $(FILES)

suite: .venv/dev-ready
	.venv/bin/python -m pytest --quiet --numprocesses $(WORKERS) --dist worksteal

bench: .venv/dev-ready
	.venv/bin/python -m tests.bench $(ONLY)

look: .venv/dev-ready
	.venv/bin/python -m tests.browser.screens build/look $(if $(ONLY),--only $(ONLY))

pictures: .venv/dev-ready
	.venv/bin/python -m tests.browser.pictures $(if $(ONLY),--only $(ONLY))

evaluate: setup
	.venv/bin/python -m models.lab.evaluate $(PARTS) $(if $(SCALE),--scale $(SCALE)) \
		$(if $(RENDERS),--renders $(RENDERS))

golden: setup
	.venv/bin/python -m models.lab.evaluate.golden $(PARTS) $(if $(TABLES),--tables $(TABLES)) \
		$(if $(AGAINST),--against $(AGAINST)) $(if $(RENDERS),--renders $(RENDERS)) \
		$(if $(OUT),--out $(OUT))

# What the repository ships, trained anew from what it contains. Detector, reader and hex networks
# need torch (the extra `train`) and, on a plain processor, patience.
train: setup
	.venv/bin/python -m models.lab.training.taught_evidence --out models/trained
	.venv/bin/python -m models.lab.training.candidates --out models/trained
	.venv/bin/python -m models.lab.training.fields --out models/trained
	.venv/bin/python -m models.lab.training.detector --out build/detector
	.venv/bin/python -m models.lab.training.reader --out build/reader
	.venv/bin/python -m models.lab.training.hex_boards --out build/hex

soak: .venv/dev-ready
	.venv/bin/python -m tests.faults $(PARTS) $(if $(FRESH),--fresh)

fuzz: .venv/dev-ready
	@.venv/bin/python -c 'import atheris' 2>/dev/null \
	    || .venv/bin/python -m pip install --quiet atheris==3.0.0 \
	    || echo "Atheris does not install here: inputs are drawn by Hypothesis, without coverage."
	.venv/bin/python -m tests.fuzz $(TARGETS) $(if $(MINUTES),--minutes $(MINUTES)) $(if $(FRESH),--fresh)

mutate: .venv/dev-ready
	@.venv/bin/python -c 'import mutmut' 2>/dev/null || .venv/bin/python -m pip install --quiet mutmut==3.8.0
	.venv/bin/python -m mutmut run $(NAMES)
	.venv/bin/python -m tests.mutate

audit:
	deploy/audit.sh

deb: .venv/dev-ready
	deploy/make-deb.sh dist $(ARCHITECTURE)

card: .venv/dev-ready
	deploy/make-deb.sh dist/card arm64
	@.venv/bin/python deploy/make_card.py dist/card

release: .venv/dev-ready
	deploy/make-release.sh dist $(KEY)

test-deploy: setup
	deploy/test-deploy.sh

clean:
	rm -rf .venv node_modules .cache build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A .venv holds its own address. One that was copied or moved along with the tree would run the code
# of the old place, so it is made anew.
ifneq ($(shell cat .venv/place 2>/dev/null),$(CURDIR))
.PHONY: .venv/place
endif

.venv/place:
	@deploy/make-venv.sh .venv
	@echo "$(CURDIR)" > $@

# Wheels only: a Pi would compile for hours, and fetch unlocked tools to do so. The locks are
# complete; without --no-deps pip asks for the newest release of a package that another one wants
# with an extra, and refuses it, since only the locked one is pinned.
.venv/run-ready: .venv/place requirements/run.lock pyproject.toml
	@echo "Setting up .venv; the first time takes a few minutes ..."
	@$(PIP) install --quiet --require-hashes --no-deps --only-binary :all: -r requirements/run.lock
	@$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

# python-chess comes as source only; it is built by the setuptools that was just installed.
.venv/dev-ready: .venv/run-ready requirements/dev.lock requirements/hall.lock
	@echo "Adding the tools for checks and tests ..."
	@$(PIP) install --quiet --require-hashes --no-deps --use-pep517 --no-build-isolation \
	    -r requirements/dev.lock
	@deploy/system-packages.sh 'command -v chromium-headless-shell' chromium-headless-shell \
	    2>/dev/null || deploy/system-packages.sh 'command -v chromium || command -v chromium-browser' chromium \
	    || echo "Without Chromium the browser tests are skipped."
	@deploy/system-packages.sh 'test -x /usr/sbin/mosquitto || command -v mosquitto' mosquitto \
	    || echo "Without Mosquitto the tests of MQTT are skipped."
	@$(PIP) install --quiet --require-hashes --no-deps --only-binary :all: -r requirements/hall.lock \
	    || echo "Without the extra hall its tests are skipped."
	@deploy/system-packages.sh 'ls /usr/lib/postgresql/*/bin/initdb' postgresql \
	    || echo "Without PostgreSQL its tests are skipped."
	@touch $@

# What checks the page's JavaScript; the page itself is served as it stands. Where Node.js or the
# download of its tools is missing, the checks say so and are left out.
.venv/js-ready: .venv/place package.json package-lock.json
	@deploy/system-packages.sh 'command -v node && command -v npm' nodejs npm \
	    && npm ci --silent --ignore-scripts \
	    || echo "Without Node.js and its tools the JavaScript is not checked."
	@touch $@

# What a hall needs beyond a table; tests of the hall are skipped where it does not install.
.venv/hall-ready: .venv/run-ready requirements/hall.lock
	@echo "Adding what a hall needs ..."
	@$(PIP) install --quiet --require-hashes --no-deps --only-binary :all: -r requirements/hall.lock
	@touch $@

# One list for every Python and processor: `--universal` writes markers, `fewest` keeps to one
# version of a library where one will do.
COMPILE = pip compile pyproject.toml --group build --quiet --universal --python-version 3.11 \
    --fork-strategy fewest --generate-hashes --custom-compile-command "make lock" $(UPGRADE)
# What only the tools or a hall need, beside what a game needs: no lock repeats another.
BEYOND = --constraint requirements/run.lock \
    $$(sed -n 's/^\([a-z0-9-]*\)==.*/--no-emit-package \1/p' requirements/run.lock)

lock:
	tools=$$(mktemp -d) && trap 'rm -rf "$$tools"' EXIT && \
	deploy/make-venv.sh "$$tools" && \
	"$$tools/bin/pip" install --quiet --disable-pip-version-check uv && \
	"$$tools/bin/uv" $(COMPILE) --output-file requirements/run.lock && \
	"$$tools/bin/uv" $(COMPILE) --extra dev $(BEYOND) --output-file requirements/dev.lock && \
	"$$tools/bin/uv" $(COMPILE) --extra hall $(BEYOND) --constraint requirements/dev.lock \
	    --output-file requirements/hall.lock
