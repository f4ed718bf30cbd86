# Commands of the documents that take long.
. "$LIMBER_SOURCE_DIR/tests/project/run_pages.sh"
run_pages long
