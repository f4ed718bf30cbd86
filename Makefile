# Short names for what is done often; CMakeLists.txt and CMakePresets.json do the work.
PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
SCENE ?= scenes/rod.yaml
SECONDS ?= 60
PYTHON ?= /usr/bin/python3
# the thread sanitizer's preset runs these alone
TARGETS_tsan = limber $(addprefix test_,base fem fit full memory parallel threads)
C_FILES = $(shell git ls-files --cached --others --exclude-standard '*.c' '*.h')

.NOTPARALLEL: # a build waits for its packages

.PHONY: build
build: build-release ## build the program, build/limber (this is what plain `make` does)
	@ln -sfn release/limber build/limber

.PHONY: setup
setup: setup-build-node-python-test ## install the Debian packages that are missing

.PHONY: demo
demo: setup-build-node build ## install what is missing, build, and take the shaking out of a motion
	build/limber retarget $(SCENE) --out out/demo --baseline --threads $(JOBS)
	@echo
	@echo "Open out/demo/report.html in a browser to see what happened, or out/demo/scene.glb in Blender."
	@echo "Next: copy $(SCENE), change it, and run build/limber simulate or retarget on it."

.PHONY: test
test: setup-build-node-python-test build ## install what is missing, build, and run all tests
	@ctest --preset release -j $(JOBS)

.PHONY: test-long
test-long: setup-build-node-python-test build ## run the tests that take long, too
	@ctest --test-dir build/release -j $(JOBS) --output-on-failure

.PHONY: sanitize
sanitize: setup-build-node-test build-sanitize build-tsan ## run the tests under the sanitizers (address, undefined, thread)
	@ctest --preset sanitize -j $(JOBS)
	@ctest --preset tsan -j $(JOBS)

.PHONY: sanitize-long
sanitize-long: setup-build-node-test build-sanitize ## run those that take minutes under the sanitizers
	@ctest --preset sanitize-long -j $(JOBS)

.PHONY: coverage
coverage: setup-build-node-test-coverage build-coverage ## which lines the tests run: build/coverage/report
	@find build/coverage -name '*.gcda' -delete
	@ctest --preset coverage -j $(JOBS)
	@mkdir -p build/coverage/report
	@gcovr --root . --filter src/ --print-summary --exclude-unreachable-branches \
	  --html-details build/coverage/report/index.html build/coverage

.PHONY: fuzz
fuzz: setup-build-node-test ## fuzz the file readers, SECONDS=60 each
	@mkdir -p build
	@tests/fuzz/run $(SECONDS)

.PHONY: cuda
cuda: setup-build-node build ## build the module that trains networks on a GPU, where a CUDA toolkit is
	@cmake --build build/release --target limber_cuda

.PHONY: bench
bench: setup-build-node build-bench ## time the algorithms, in five minutes; writes build/bench.json
	@bench/run.sh build/release build/bench.json

.PHONY: bench-all
bench-all: setup-build-node build-bench ## time everything: twenty minutes
	@bench/run.sh build/release build/bench.json all

.PHONY: bench-peers
bench-peers: setup-build-node-peers build-bench ## install other engines and build their drivers for `make bench`

.PHONY: build-bench
build-bench: build
	@cmake --build build/release --parallel $(JOBS) --target bench

.PHONY: format
format: setup-lint ## put all C in the project's format
	@clang-format -i $(C_FILES)

.PHONY: lint
lint: setup-build-node-test-lint build-debug ## look for mistakes that compilers do not see
	@scripts/lint build/debug $(JOBS)

.PHONY: install
install: TARGETS_release = product
install: setup-build-node-python build-release ## install program, library, Python package under PREFIX (/usr/local)
	@cmake --install build/release --prefix $(PREFIX)
	@[ -n "$(DESTDIR)" ] || ldconfig 2>/dev/null || true # who is not root has LD_LIBRARY_PATH

.PHONY: python
python: setup-build-node-python ## make a wheel of the Python package, build/wheel/*.whl
	@$(PYTHON) -m pip wheel --quiet --no-deps --no-build-isolation --no-index -w build/wheel .
	@ls build/wheel/*.whl

.PHONY: package
package: OPTIONS = -DLIMBER_PYTHON=$(PYTHON)
package: TARGETS_package = product
package: setup-build-node-python-package build-package ## make a Debian package of everything, build/*.deb
	@cd build/package && cpack -G DEB -B .. >cpack.log || { cat cpack.log; exit 1; }
	@ls build/*.deb

.PHONY: clean
clean: ## remove all that was built
	@rm -rf build

.PHONY: help
help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 22

# Debian packages, group by group (see scripts/setup)
setup-%:
	@scripts/setup $(subst -, ,$*)

# A build in build/PRESET. In CI a warning is an error, but not of the sanitizers' builds: with them
# gcc warns of what cannot happen.
build-release: OPTIONS = -DCMAKE_COMPILE_WARNING_AS_ERROR=$(if $(CI),ON,OFF)
build-%:
	@command -v cmake >/dev/null || { echo "cmake is missing: 'make setup' installs all that the build needs"; exit 1; }
	@cmake --preset $* $(OPTIONS) --log-level=WARNING >/dev/null
	@cmake --build build/$* --parallel $(JOBS) $(addprefix --target ,$(TARGETS_$*))
