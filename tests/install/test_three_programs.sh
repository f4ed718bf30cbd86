# README's three programs, YAML by the command line, C and Python, give the same numbers. They use what
# `make install` leaves, which builds no tests.
prefix=$PWD/prefix
run make -n -C "$LIMBER_SOURCE_DIR" install
claim "make install builds what is installed, and no tests" prints "--target product"
run cmake --install "$LIMBER_BUILD_DIR" --prefix "$prefix"
claim "it installs" exits 0
block() {
  sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$LIMBER_SOURCE_DIR/README.md" | grep -v '^```'
}
block yaml >pendulum.yaml
block c >pendulum.c
block python >pendulum.py

export PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib
# shellcheck disable=SC2046
cc pendulum.c -o pendulum $(pkg-config --cflags --libs limber)
claim "the C program runs" eval "./pendulum pendulum.yaml >c.txt"
claim "it prints ten places" test "$(grep -c ' m$' c.txt)" = 10

"$prefix/bin/limber" simulate pendulum.yaml --duration 1 --out out >/dev/null
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; x = at["lower.x"] }
         NR > 1 && (n = int($1 * 10 + 0.5)) > told && $1 > n / 10 - 1e-9 { told = n
           printf "%.1f s: lower at (%.3f, %.3f, %.3f) m\n", $1, $x, $(x + 1), $(x + 2) }' \
  out/trajectory.csv | sed 's/-0\.000/0.000/g' >yaml.txt
claim "the program has the numbers of C" diff yaml.txt <(sed 's/-0\.000/0.000/g' c.txt)

python=$(sed -n 's/^LIMBER_PYTHON:FILEPATH=//p' "$LIMBER_BUILD_DIR/CMakeCache.txt")
package=$(echo "$prefix"/lib/python3*/dist-packages)
if [ -e "$package/limber/_limber.abi3.so" ]; then
  run env PYTHONPATH="$package" "$python" pendulum.py
  claim "the Python program runs" exits 0
  claim "Python has the numbers of C" diff stdout c.txt
fi
