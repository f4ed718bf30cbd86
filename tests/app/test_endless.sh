# Inputs without an end, or of great size: each is refused or read soon.
source=$LIMBER_SOURCE_DIR/scenes
ulimit -t 120

# Files that a command names, and those that a scene does, may be links to anything.
ln -s /dev/zero zero.stl
ln -s /dev/zero zero.msh
ln -s /dev/zero profiles.yaml
echo "bodies: {a: {mass: 1, shape: {mesh: zero.stl}}}" >surface.yaml
echo "bodies: {a: {elastic: {mesh: zero.msh}}}" >solid.yaml

# refuses NAME VERB...: the command ends with a message that names the file
refuses() {
  local name=$1
  shift
  run "$LIMBER" "$@"
  claim "$*: bad input" exits 2
  claim "... because $name is no file" eval 'complains "$name" && complains "it is not a file"'
}
refuses zero.stl check surface.yaml
refuses zero.msh check solid.yaml
refuses /dev/zero inverse "$source/double-pendulum.yaml" /dev/zero --out out
refuses /dev/zero fit "$source/rod.yaml" /dev/zero --out out
refuses /dev/zero simulate "$source/reach.yaml" --parameters /dev/zero --out out
refuses profiles.yaml replay "$source/rod.yaml" --from .
refuses /dev/zero check /dev/zero

run "$LIMBER" inverse "$source/double-pendulum.yaml" <(yes) --out out
claim "a pipe without an end is not waited for" exits 2
claim "... and it says so" complains "it is endless, or has more than 256 MB"
mkfifo fifo
run "$LIMBER" inverse "$source/double-pendulum.yaml" fifo --out out
claim "nor is one that nobody writes to" complains "'fifo': nothing came through the pipe"

# Time grows as the number of bodies does: with its square, these would take a minute and more.
awk 'BEGIN { print "bodies:"
  for (i = 0; i < 140000; i++) print "  b" i ": {shape: {sphere: {radius: 1}}}" }' >many.yaml
run "$LIMBER" check many.yaml
claim "140000 bodies are read" prints "140000, together"

# Linear algebra waits for memory without end; it is not asked where there is none.
if [ -n "${LIMBER_SANITIZED:-}" ]; then return; fi # sanitizers need all the address space there is
for limit in 150000 180000 200000 300000 400000; do # libraries alone take 100000
  run timeout 60 bash -c 'ulimit -v "$0"; exec "$@"' $limit "$LIMBER" check "$source/rod.yaml"
  claim "$limit kB of address space are too few, or enough" test "$status" -le 1
  claim "... and what is wrong is told" eval '[ "$status" = 0 ] || complains "memory"'
done
