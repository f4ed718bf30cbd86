# What README.md shows is what happens. (The C program in it is built by tests/install.)
readme=$LIMBER_SOURCE_DIR/README.md
sed -n '/^```yaml$/,/^```$/p' "$readme" | grep -v '^```' >pendulum.yaml
run "$LIMBER" simulate pendulum.yaml
claim "the first scene runs" exits 0
for file in report.html scene.glb trajectory.csv summary.json; do
  claim "README lists $file" grep -qF "| \`$file\` |" "$readme"
  claim "it leaves $file" test -s "out/pendulum/$file"
done
sed -i 's/child: lower/child: lowr/' pendulum.yaml
run "$LIMBER" check pendulum.yaml
claim "the mistake is bad input" exits 2
claim "the message is the one README shows" grep -qxF "$(cat stderr)" "$readme"

# Links lead somewhere.
for link in $(grep -ohE '\]\([^)#]+\)' "$readme" "$LIMBER_SOURCE_DIR"/docs/*.md | grep -vE '://' | tr -d '()]'); do
  claim "there is a $link" test -e "$LIMBER_SOURCE_DIR/$link" -o -e "$LIMBER_SOURCE_DIR/docs/$link"
done
