# Elastic bodies are made once and kept: same results, whatever the folder holds.
export XDG_CACHE_HOME=$PWD/cache
cat >rod.yaml <<'Y'
name: Rod
bodies:
  rod: {elastic: {rod: {radius: 2 mm, to: [30 cm, 0, 0]}, material: steel, elements: {along: 8, across: 1}}}
  weight: {mass: 50 g, shape: {sphere: {radius: 1 cm}}}
joints:
  clamp: {type: fixed, child: rod, face: start}
  tip: {type: fixed, parent: rod, face: end, child: weight}
duration: 50 ms
record: {every: 5 ms}
Y
kept() { find cache -name '*.npz' | wc -l; }
same() { cmp "$1/trajectory.csv" without/trajectory.csv; }

run "$LIMBER" simulate rod.yaml --out without --no-cache
claim "a run without a cache" exits 0
claim "... keeps nothing" test ! -e cache
run "$LIMBER" check rod.yaml
claim "a check makes no body" test ! -e cache
claim "... and says how to have it" prints "its shapes with --models"
run "$LIMBER" simulate rod.yaml --out first
claim "a run keeps its body" test "$(kept)" -eq 1
claim "... with the same results" same first
file=$(find "$PWD/cache" -name '*.npz')
touch -d '2001-01-01' "$file"
run "$LIMBER" simulate rod.yaml --out second
claim "the next run takes it" test "$(date -r "$file" +%Y)" -eq 2001
claim "... to the same bytes" same second
run "$LIMBER" check --models rod.yaml
claim "a check may look at bodies" prints "it swings at"
claim "what is kept is NumPy's" python3 -c "import sys, zipfile; assert 'Phi.npy' in zipfile.ZipFile(sys.argv[1]).namelist()" "$file"

# Files that are of no use are made again.
cp "$file" good.npz
for damage in 'head -c 5000 good.npz' 'echo nonsense' 'cat /dev/null'; do
  $damage >"$file"
  run "$LIMBER" simulate rod.yaml --out damaged
  claim "a file from '$damage' does no harm" exits 0
  claim "... nobody complains" content
  claim "... results are the same" same damaged
  claim "... and the file is good again" cmp "$file" good.npz
done
sed 's/radius: 2 mm/radius: 3 mm/' rod.yaml >thick.yaml
run "$LIMBER" simulate thick.yaml --out thick
claim "another body has another file" test "$(kept)" -eq 2
cp "$(find "$PWD/cache" -name '*.npz' ! -path "$file")" "$file"
run "$LIMBER" simulate rod.yaml --out foreign
claim "the file of another body is not taken" same foreign
rm "$file" && mkfifo "$file"
run timeout 20 "$LIMBER" simulate rod.yaml --out fifo
claim "a pipe of that name is not waited for" same fifo
rm -rf cache && echo file >cache
run "$LIMBER" simulate rod.yaml --out blocked
claim "a folder that cannot be made does no harm" same blocked
rm cache

# Two at once.
"$LIMBER" simulate rod.yaml --out one -q &
first=$!
"$LIMBER" simulate rod.yaml --out two -q
wait $first
claim "two runs at once keep one file" test "$(kept)" -eq 1
claim "... the first of them right" same one
claim "... and the second" same two
claim "... and leave nothing else" test "$(find cache -type f | wc -l)" -eq 1
