# What is packaged: the Debian package, unpacked, has a program and a Python package that run with the
# library made for this processor; so has the wheel.
run make -C "$LIMBER_SOURCE_DIR" package python
claim "both are built" exits 0
deb=$(ls "$LIMBER_SOURCE_DIR"/build/limber_*.deb)
dpkg-deb -x "$deb" deb
/usr/bin/python3 -m pip install -q --no-index --no-deps --target wheel \
  "$LIMBER_SOURCE_DIR"/build/wheel/limber-*.whl

usr=$PWD/deb/usr libraries=$PWD/deb/usr/lib/x86_64-linux-gnu scene=$PWD/deb/usr/share/limber/scenes/rod.yaml
run env LD_LIBRARY_PATH="$libraries" "$usr/bin/limber" simulate "$scene" --duration 0.1 --out out
claim "the program runs from the Debian package" exits 0
claim "the program has none of the library's work inside" eval "! nm -D '$usr/bin/limber' | grep -q ' T lb_'"
claim "Debian's checker finds no error" eval "! command -v lintian >/dev/null || ! lintian '$deb' 2>/dev/null | grep '^E:'"

# the library of the highest level that this processor has
best=$(/lib64/ld-linux-x86-64.so.2 --help | awk '/x86-64-v[34] .supported/ { print $1; exit }')
XDG_CACHE_HOME=$PWD "$LIMBER" simulate "$scene" --duration 0.01 --out native >/dev/null
cat >loaded.py <<'P'
import sys
import limber
def state(cache):
    world = limber.World.open(sys.argv[1], cache=cache)
    world.step(1e-3, count=20)
    return world.q.tobytes()
assert state("limber") == state(False), "another build's cache counts"
print({line.split()[-1] for line in open("/proc/self/maps") if "liblimber" in line})
P
for from in "$usr/lib/python3/dist-packages" "$PWD/wheel"; do
  run env LD_LIBRARY_PATH="$([ "$from" = "$PWD/wheel" ] || echo "$libraries")" PYTHONPATH="$from" \
    /usr/bin/python3 loaded.py "$scene"
  claim "the Python package in $from runs, as without the cache of another build" exits 0
  claim "it has the best library for this processor" prints "${best:-limber}/liblimber.so"
done
