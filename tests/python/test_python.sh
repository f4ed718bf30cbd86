# The Python package beside C, and docs/python.md: every block of it runs.
export PYTHONPATH=$LIMBER_BUILD_DIR/python PYTHONDONTWRITEBYTECODE=1
python=$(sed -n 's/^LIMBER_PYTHON:FILEPATH=//p' "$LIMBER_BUILD_DIR/CMakeCache.txt")
if ! [ -e "$PYTHONPATH/limber/_limber.abi3.so" ] || ! "$python" -c "import numpy"; then
  echo "the Python package is not built, or there is no numpy"
  exit 77
fi
here=$LIMBER_SOURCE_DIR/tests/python

run "$python" "$here/check_package.py"
claim "the package does what it should" exits 0

run cc -std=c11 -Wall -Wextra -Werror -I"$LIMBER_SOURCE_DIR/include" "$here/beside.c" -o beside \
  -L"$LIMBER_BUILD_DIR" -llimber -Wl,-rpath,"$LIMBER_BUILD_DIR"
claim "the C program builds" exits 0
for scene in double-pendulum robot-arm four-bar rod; do
  claim "C steps $scene" eval "./beside '$LIMBER_SOURCE_DIR/scenes/$scene.yaml' >$scene.c"
  run "$python" "$here/beside.py" "$LIMBER_SOURCE_DIR/scenes/$scene.yaml"
  claim "Python steps $scene" exits 0
  # C's %a and Python's hex() spell numbers differently
  claim "$scene has the same bytes from both" "$python" - "$scene.c" stdout <<'P'
import sys
a, b = ([float.fromhex(x) for x in open(name)] for name in sys.argv[1:])
assert len(a) > 0 and repr(a) == repr(b), (a[:5], b[:5])
P
done

ln -s "$LIMBER_SOURCE_DIR/scenes" scenes
run "$python" "$here/notebook.py" "$LIMBER_SOURCE_DIR/docs/python.md"
claim "the blocks of docs/python.md print what it shows" exits 0
