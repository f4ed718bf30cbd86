# limber new, examples and view: the way in and the way to the report.
templates=$("$LIMBER" new --help | sed -n '/^Templates:/,/^$/s/^  \([a-z-]*\):.*/\1/p')
claim "there are five templates" test "$(wc -w <<<"$templates")" -eq 5
for template in $templates; do
  run "$LIMBER" new $template
  claim "new $template makes a file" test -s $template.yaml
  run "$LIMBER" check $template.yaml
  claim "... which is a good scene" exits 0
  claim "... without a warning" content
  claim "... with comments" test "$(grep -c '#' $template.yaml)" -ge 3
  run "$LIMBER" simulate $template.yaml --duration 2
  claim "... that runs" exits 0
done
run "$LIMBER" new arm
claim "a file that is there stays" exits 2
claim "... unless it is forced" complains "--force"
echo "mine" >mine.yaml
run "$LIMBER" new arm mine.yaml --force
claim "--force overwrites" cmp arm.yaml mine.yaml
run "$LIMBER" new arm -
claim "- is standard output" cmp stdout arm.yaml
run "$LIMBER" new arn
claim "a template's name is suggested" complains "there is no template 'arn' (did you mean 'arm'?)"
run "$LIMBER" new arm nowhere/arm.yaml
claim "a file that cannot be written is told" exits 1

run "$LIMBER" examples
claim "examples are listed" exits 0
for scene in "$LIMBER_SOURCE_DIR"/scenes/*.yaml; do
  claim "there is $(basename "$scene")" grep -q "^  $(basename "$scene") *[A-Z]" stdout
done

mkdir bin
printf '#!/bin/sh\necho "shown: $1"\n' >bin/xdg-open
chmod +x bin/xdg-open
run env PATH="$PWD/bin:$PATH" "$LIMBER" view out/arm
claim "the report is shown" prints "shown: out/arm/report.html"
touch -d "1 hour" out/rod/report.html
run env PATH="$PWD/bin:$PATH" "$LIMBER" view
claim "the newest one, if none is named" prints "shown: out/rod/report.html"
run "$LIMBER" view bin
claim "a folder without a report is told" exits 2
run env PATH=/nowhere "$LIMBER" view out/arm
claim "... and so is a missing browser" exits 1
claim "... with what to do" complains "out/arm/report.html cannot be shown with xdg-open"

# Every command of docs/program.md, as it stands there.
mkdir page
ln -s "$LIMBER" bin/limber
sed -n '/^```sh/,/^```/p' "$LIMBER_SOURCE_DIR/docs/program.md" | grep '^limber' >commands.txt
claim "the page has commands" test "$(wc -l <commands.txt)" -ge 8
while read -r line; do
  run env PATH="$PWD/bin:$PATH" bash -c "cd page && $line"
  claim "docs/program.md: $line" exits 0
done <commands.txt
