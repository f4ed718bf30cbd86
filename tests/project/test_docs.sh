# The documents: sentences that can be read, links that lead somewhere, commands that run. LIMBER_ACCEPT=1 keeps the
# pictures of these runs as those of the pages.
root=$LIMBER_SOURCE_DIR
pages() { python3 "$root/tests/project/pages.py" "$1" "$root"; }

# Of every page the median sentence has at most 18 words; none has more than 40.
for page in "$root"/README.md "$root"/docs/*.md; do
  run python3 "$root/tests/project/sentences.py" "$page"
  claim "${page#"$root/"} has short sentences" exits 0
done

none() { ! pages "$1" | grep .; }
claim "links lead to files and headings" none links
claim "every page has a picture or an example" none examples
for page in "$root"/docs/*.md; do
  name=$(basename "$page")
  claim "docs/README.md leads to $name" eval "[ $name = README.md ] || grep -qF '($name)' $root/docs/README.md"
done

# Every command has a verb, options and scenes that exist.
options_exist() {
  local verb=$1 option word
  read -r _ _ word _ <<<"$2"
  [[ $word =~ ^[a-z]+$ ]] && verb+=" $word" # a family of verbs: limber muscle lengths
  # shellcheck disable=SC2086
  "$LIMBER" $verb --help >help.txt || return 1
  for option in $(grep -oE -- '--[a-z][a-z-]*' <<<"$2"); do
    grep -qE -- "(^|[ ,\[])$option\b" help.txt || { echo "no $option of $verb" && return 1; }
  done
}
scenes_exist() {
  local scene
  for scene in $(grep -oE 'scenes/[a-z0-9/-]+\.(yaml|csv)' <<<"$1"); do
    [ -e "$root/$scene" ] || { echo "no $scene" && return 1; }
  done
}
pages commands >commands.txt
claim "the documents have commands" test "$(wc -l <commands.txt)" -ge 60
while IFS=$'\t' read -r page line; do
  line=${line%% #*}
  read -r _ verb _ <<<"$line"
  claim "$page: '$line' has options that exist" options_exist "$verb" "$line"
  claim "$page: '$line' has scenes that exist" scenes_exist "$line"
done <commands.txt

# Blocks to run do run, but for lines that take long: long_docs.sh runs those.
. "$root/tests/project/run_pages.sh"
run_pages scripts

for scene in $(pages scenes); do
  run "$LIMBER" check "$scene"
  claim "$scene is a good scene" exits 0
done

# Pictures are of these runs: a page, the folder of its results, the shots.
panels() { grep -c '<text' "$1"; }
while read -r page results shots; do
  # shellcheck disable=SC2086
  run python3 "$root/scripts/report-picture" "run/$page/out/$results/report.html" "$page.svg" $shots
  claim "$page.svg is drawn" exits 0
  [ -z "${LIMBER_ACCEPT-}" ] || cp "$page.svg" "$root/docs"
  claim "... and is that of the page" test "$(panels "$page.svg")" -eq "$(panels "$root/docs/$page.svg")"
done <<'P'
constraints four-bar 0 1 2 3
joints joint-gallery 1 3
forces cable-arm 0 2 4
optimize crane 0 2 4 7
full rod 0 1 2 3
deformables starfish 0 4 7
linkages jansen 0 4
P
