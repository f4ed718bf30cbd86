#!/bin/sh
# Run the benchmark programs of a build folder on one thread: run.sh BUILD_DIR RESULT.json
set -eu
build=${1:?usage: run.sh BUILD_DIR RESULT.json}
result=${2:?usage: run.sh BUILD_DIR RESULT.json}
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
status=0
"$build/bench/limber_bench" "$result" || status=$?
echo
"$build/bench/limber_bench_energy" || status=$?
echo
"$build/bench/limber_bench_stiff" || status=$?
echo
"$build/bench/limber_bench_constraints" || status=$?
echo
"$build/bench/limber_bench_elastic" "$(dirname "$0")/../scenes" || status=$?
echo
"$build/bench/limber_bench_full" "$(dirname "$0")/../scenes" || status=$?
echo
"$build/bench/limber_bench_gradient" "$(dirname "$0")/../scenes" || status=$?
echo
"$build/bench/limber_bench_optimize" "$(dirname "$0")/../scenes" || status=$?
echo
"$build/bench/limber_bench_retarget" "$(dirname "$0")/../scenes" || status=$?
exit $status
