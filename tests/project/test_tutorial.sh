# docs/tutorial.md from its first command to its last, with the edits that it asks for. LIMBER_ACCEPT=1 keeps the
# pictures as those of the page.
page=$LIMBER_SOURCE_DIR/docs/tutorial.md
final=$LIMBER_SOURCE_DIR/scenes/nodding-head.yaml
mkdir bin
ln -s "$LIMBER" bin/limber
printf '#!/bin/sh\n' | tee bin/xdg-open >bin/blender
chmod +x bin/xdg-open bin/blender
PATH=$PWD/bin:$PATH

# Blocks of one kind, as "NUMBER<tab>LINE".
blocks() {
  awk -v kind="$1" '/^```/ { inside = !inside && $0 == "```" kind; if (inside) number++; open = !open; next }
                    inside { print number "\t" $0 }' "$page"
}
commands() { blocks sh | sed -n "s/^$1\t//p"; }
follow() {
  while read -r line; do
    run bash -c "$line"
    claim "docs/tutorial.md: $line" exits 0
    cat stdout >>told
  done < <(commands "$1")
}
# What the page shows in a block is what was told, but for the numbers in it.
shapes() { sed -E 's/-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?/#/g; s/ +/ /g'; }
shows() {
  while read -r line; do
    claim "it was told: $line" grep -qxF -- "$(shapes <<<"$line")" <(sed 's/^ *//' told | shapes)
  done < <(blocks text | sed -n "s/^$1\t *//p")
}
neck() { blocks yaml | sed -n "s/^$1\t//p"; }

follow 1
shows 1
sed -i '/^  arm:/d; /^  shoulder:/d; /^  waving:/d' puppet.yaml
sed -i "s|^  neck: .*|$(neck 1)|" puppet.yaml
follow 2
follow 3
shows 2
follow 4
shows 3
sed -i "s|^  neck: .*|$(neck 2)|" puppet.yaml
scene() { grep -vE '^(#|name:|about:)' "$1"; }
claim "the scene is scenes/nodding-head.yaml" diff <(scene puppet.yaml) <(scene "$final")
follow 5
follow 6
shows 4
claim "the limits shown are the scene's" grep -qxF -- "$(neck 3)" puppet.yaml
claim "profiles.csv begins as shown" test "$(head -1 out/quiet/profiles.csv)" = "$(blocks text | sed -n 's/^5\t//p')"
follow 7
follow 8
claim "all commands were run" test -z "$(commands 9)"
sed -n '/^```python$/,/^```$/p' "$page" | grep -v '^```' >pulses.py
run python3 pulses.py
claim "pulses are made" exits 0

# 720 MPa, 50 mm before, and at least a hundred times less after.
figures() {
  python3 - <<'P'
import json
stress = json.load(open("out/puppet/summary.json"))["forces"][0]["peak"]
head = json.load(open("out/quiet/summary.json"))["tracked"][0]
assert abs(stress / 720e6 - 1) < 0.02, stress
assert abs(head["before"]["peak"] / 0.0504 - 1) < 0.02, head
assert head["after"]["peak"] < 0.01 * head["before"]["peak"], head
P
}
claim "the figures are those of the page" figures

# The pictures of the page are those of these reports.
draw() { python3 "$LIMBER_SOURCE_DIR/scripts/report-picture" "$@"; }
draw out/puppet/report.html tutorial-nod.svg 0 2 3 4
draw out/quiet/report.html tutorial-quiet.svg 1 9
[ -z "${LIMBER_ACCEPT-}" ] || cp tutorial-*.svg "$LIMBER_SOURCE_DIR/docs"
for picture in tutorial-nod.svg tutorial-quiet.svg; do
  claim "$picture is a picture" python3 -c "import sys, xml.dom.minidom as x; x.parse(sys.argv[1])" $picture
  claim "... with what the page's says" cmp <(grep -o '<text[^/]*' $picture | sed 's/[.0-9]*//g') \
    <(grep -o '<text[^/]*' "$LIMBER_SOURCE_DIR/docs/$picture" | sed 's/[.0-9]*//g')
done
