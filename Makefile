# Each target does everything it needs, on a machine with Swift 6.2 and nothing else.

.DEFAULT_GOAL := help
.PHONY: help demo test bench lint setup docs clean

SWIFT ?= swift

help: ## List the targets
	@awk -F':.*## ' '/^[a-z]+:.*## / { printf "  make %-6s  %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: setup ## Build an encrypted inventory of this machine's packages, and query it
	$(SWIFT) build --product coffer
	$(SWIFT) run --skip-build coffer demo

test: setup ## Run all tests
	$(SWIFT) test

bench: setup ## Measure against compiled C (ARGS="--filter NAME --rows N --json FILE")
	$(SWIFT) run -c release Benchmarks $(ARGS)

lint: ## Check the format, and who imports what
	$(SWIFT) format lint --strict --recursive Sources Tests Benchmarks Package.swift
	Scripts/check-imports

setup: ## Install SQLCipher and pkg-config where they are missing
	@Scripts/setup

docs: setup ## Write the API reference to Docs/api
	Scripts/make-docs

clean: ## Remove what was built
	rm -rf .build .build-* Docs/api
