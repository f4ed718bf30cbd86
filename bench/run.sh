#!/bin/sh
# Run the benchmark programs of a build folder on one thread: run.sh BUILD_DIR RESULT.json [all]
# Without `all` those that take seconds, and of mechanisms with loops what is quick.
set -eu
build=${1:?usage: run.sh BUILD_DIR RESULT.json [all]}/bench
result=${2:?usage: run.sh BUILD_DIR RESULT.json [all]}
scenes=$(dirname "$0")/../scenes
walk=${LIMBER_SHARED:-}/data/osim/opensim-core/OpenSim/Examples/Moco/example3DWalking
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
status=0
run() {
  "$@" || status=$?
  echo
}
run "$build/limber_bench" "$result"
if [ "${3:-}" != all ]; then
  run "$build/limber_bench_stiff" 1
  run "$build/limber_bench_muscle"
  run "$build/limber_bench_analyse" "$walk"
  run "$build/limber_bench_track" "$scenes"
  run "$build/limber_bench_constraints" --most 150 --slow 8
  run "$build/limber_bench_contact" 1000 12
  run "$build/limber_bench_beasts" "$scenes" 8 16
  run "$build/limber_bench_fork" "$scenes" 3
  echo "'make bench-all' also times energies, elastic characters, full runs, gradients and searches."
  exit $status
fi
run "$build/limber_bench_energy"
run "$build/limber_bench_muscle"
run "$build/limber_bench_analyse" "$walk"
run "$build/limber_bench_track" "$scenes"
run "$build/limber_bench_stiff"
run "$build/limber_bench_constraints"
run "$build/limber_bench_contact" 3000 90
run "$build/limber_bench_beasts" "$scenes" 8 24
run "$build/limber_bench_beasts" "$scenes" 1 60
run "$build/limber_bench_fork" "$scenes"
for part in elastic full gradient optimize retarget; do
  run "$build/limber_bench_$part" "$scenes"
done
exit $status
