set -e
make test        # everything that must pass, about as CI runs it
make lint        # format, clang-tidy, cppcheck: no findings
make sanitize    # all tests again under the address, undefined and thread sanitizers
make coverage    # which lines the tests run
make help        # the rest
