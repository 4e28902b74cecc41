# Each target does everything it needs, on a machine with Swift 6.2 and nothing else.

.DEFAULT_GOAL := help
.PHONY: help demo test faults trials simulate fuzz matrix bench lint setup docs docs-serve install clean

SWIFT ?= swift
PREFIX ?= /usr/local
PORT ?= 8080
TRIALS ?= 1000000
RUNS ?= 10000000
TARGET ?= all
# With libedit-dev, LineEditing gives the shell history and completion; with libmicrohttpd-dev, Browse
# gives `coffer browse` its server.
TRAITS ?= $(subst $(space),$(comma),$(strip \
	$(shell pkg-config --exists libedit 2>/dev/null && echo LineEditing) \
	$(shell pkg-config --exists libmicrohttpd 2>/dev/null && echo Browse)))
tests = $(SWIFT) test --skip-build
# The tests that take the number of their trials from COFFER_TRIALS, beside those named below: each of
# the first kind starts a process or more in a trial.
killing = ArchiveKillTests ArchiveProgramTests ArchiveTests ArchiveWriterTests ArchiveGapTests \
	ChangeKeyTests ConcurrentFetchTests ConversionTests CreationTests ExternalChangesTests FolderDestinationTests \
	FreshnessKillTests KeySlotsKillTests LogIntegrityTests
drawing = AccessTests ArchiveManipulationTests ArrayArgumentSemanticsTests AssociationSeamTests ChangedRowsTests \
	ChartTests FreshnessManipulationTests FullTextSynchronizationTests HTMLTests KeptListTests KeySlotsFileTests \
	LayeredLayoutTests ObservedFetchTests ReplacedFileTests SalvageTrialTests SchemaDiagramTests TypedValueTests
space = $(subst ,, )
comma = ,
man = share/man/man1
units = lib/systemd/system
completions = share/bash-completion/completions share/zsh/site-functions share/fish/vendor_completions.d

help: ## List the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s  %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: setup ## Build an encrypted inventory of this machine's packages, and query it (ARGS="--db FILE")
	$(SWIFT) run Inventory $(ARGS)

test: setup ## Run all tests (FLAGS="options of swift test")
	Scripts/test $(FLAGS)

faults: setup ## Cut the power, and let each call fail (ARGS="--every N --scenario TEXT" TRIALS=N)
	$(SWIFT) run CofferFaults $(ARGS)
	COFFER_TRIALS=$(TRIALS) $(SWIFT) test --filter FaultTests

trials: setup ## Kill processes, damage files, cancel tasks and draw inputs, by the thousand
	$(SWIFT) build --build-tests
	COFFER_TRIALS=614 $(tests) --filter 'CrashTests|KilledWriterTests'
	COFFER_TRIALS=20000 $(tests) --filter CofferCoreTests.DamageTests
	COFFER_TRIALS=16800 $(tests) --filter RandomCancellationTests
	COFFER_TRIALS=200 $(tests) --filter '$(subst $(space),|,$(killing))'
	COFFER_TRIALS=2000 $(tests) --filter '$(subst $(space),|,$(drawing))'
	COFFER_TRIALS=200000 $(tests) --filter SecretArenaTests
	COFFER_ARCHIVE_SECONDS=600 $(tests) --filter ArchiveTrials
	COFFER_PROCESSES_SECONDS=60 COFFER_CHECKPOINTS_SECONDS=7200 $(tests) --filter SeveralProcessesTests

fuzz: setup ## Give changed inputs to the parsers (RUNS=10000000 TARGET=all ARGS="--seed N")
	Scripts/with-fuzzer $(TARGET) --runs $(RUNS) $(ARGS)

matrix: setup ## Run the tests with other SQLCiphers, and exchange files of all settings (ARGS="--every N --faults N")
	Scripts/check-engines $(ENGINES)
	Scripts/check-matrix $(ARGS)

simulate: setup ## Run random programs with a model, and processes with histories (ARGS="--seeds N --from N")
	$(SWIFT) run CofferSimulator --seeds 1000 $(ARGS)
	$(SWIFT) run --skip-build CofferSimulator histories --seconds 20

bench: setup ## Measure against compiled C (ARGS="--filter NAME --rows N --json FILE")
	$(SWIFT) run -c release Benchmarks $(ARGS)

lint: ## Check the format, and who imports what
	$(SWIFT) format lint --strict --recursive Sources Tests Benchmarks Examples Scripts Package.swift
	Scripts/check-imports

setup: ## Install SQLCipher and pkg-config where they are missing
	@Scripts/setup

docs: setup ## Write the documentation's site to Docs/api
	Scripts/make-docs

docs-serve: setup ## Show the site at http://localhost:8080/documentation/coffer (PORT=8080)
	Scripts/make-docs --serve $(PORT)

install: setup ## Install the tool, its manual, completions and systemd units (PREFIX=/usr/local DESTDIR=)
	$(SWIFT) build -c release --product coffer $(if $(TRAITS),--traits $(TRAITS))
	install -d $(addprefix $(DESTDIR)$(PREFIX)/,bin $(man) $(completions) $(units))
	install -m 755 "$$($(SWIFT) build -c release --show-bin-path)/coffer" $(DESTDIR)$(PREFIX)/bin/coffer
	$(DESTDIR)$(PREFIX)/bin/coffer man >$(DESTDIR)$(PREFIX)/$(man)/coffer.1
	$(DESTDIR)$(PREFIX)/bin/coffer completions bash >$(DESTDIR)$(PREFIX)/share/bash-completion/completions/coffer
	$(DESTDIR)$(PREFIX)/bin/coffer completions zsh >$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_coffer
	$(DESTDIR)$(PREFIX)/bin/coffer completions fish >$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/coffer.fish
	for unit in coffer-archive@ coffer-archives; do \
	  sed 's|@PREFIX@|$(PREFIX)|' "Scripts/systemd/$$unit.service" \
	    >"$(DESTDIR)$(PREFIX)/$(units)/$$unit.service"; \
	done

clean: ## Remove what was built
	rm -rf .build .build-* Docs/api
