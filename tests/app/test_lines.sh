# What the program prints: nothing that steers a terminal, and JSON for programs.
printf 'gravity: [0, 0, 0]\nname: "A\\e[31mred\\aB"\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n' >odd.yaml
steers() { LC_ALL=C grep -q "[$(printf '\001-\010\013-\037\177')]" "$@"; }

run "$LIMBER" simulate odd.yaml --duration 0.1 --out out
claim "the title has what it may have" prints "A?[31mred?B: 100 ms"
run "$LIMBER" check odd.yaml $'no\e[31m.yaml'
claim "a file's name, too" complains "error: no?[31m.yaml: there is no such file"
run "$LIMBER" $'che\e[2Jck'
claim "... and the command line" complains "there is no verb 'che?[2Jck'"
claim "nothing steers the terminal" eval '! steers stdout stderr'

# every line of stdout and stderr is an object, and together they are of these kinds
objects() {
  cat stdout stderr | python3 -c 'import json, sys
kinds = {json.loads(line)["kind"] for line in sys.stdin}
assert kinds == set(sys.argv[1].split()), kinds' "$1"
}
echo "bodies: {a: {mass: -1, mas: 3}}" >bad.yaml
run "$LIMBER" check --json bad.yaml
claim "mistakes are objects" objects "error"
claim "... with their place" eval 'complains "\"file\": \"bad.yaml\", \"line\": 1, \"column\": 20, \"text\": "'
claim "... and the exit status is the same" exits 2
echo "bodies: {a: {shape: {sphere: {radius: 100}}}}" >heavy.yaml
run "$LIMBER" check --json heavy.yaml
claim "warnings have their place, too" complains '{"kind": "warning", "file": "heavy.yaml", "line": 1, "column": 10, "text": "body'
run "$LIMBER" check --jso --json bad.yaml
claim "mistakes of the command line are objects" objects "error"
run "$LIMBER" simulate odd.yaml --json --duration 0.1 --out out
claim "results are objects" objects "title figure file"
claim "... and files are named by their paths" prints '{"kind": "file", "name": "out/report.html", '
run "$LIMBER" simulate odd.yaml --json --verbose --duration 0.1 --out out
claim "so are notes" objects "title figure file note"

run "$LIMBER" simulate odd.yaml --verbose --duration 0.1 --out out
claim "--verbose tells how long it took" complains "note: the run: "
run "$LIMBER" -V
claim "-V is --version" prints "limber "
run "$LIMBER" help help
claim "'help help' is help" prints "Usage: limber VERB"
