# Manual pages, completion and the reference are what the tables of verbs and options say.
mkdir manual
run "$LIMBER" --generate manual
claim "the program writes its manual" exits 0
verbs=$("$LIMBER" help | sed -n '/^Verbs:/,/^$/p' | awk '/^  /{print $1}' | grep -v '^help$')
for verb in $verbs; do
  page=manual/limber-$verb.1
  claim "there is a page of $verb" test -s $page
  "$LIMBER" $verb --help >help.txt
  for option in $(sed -n '/^Options:/,/^$/p' help.txt | grep -oE -- ' --[a-z-]+' | sort -u); do
    claim "... with $option" grep -qF -- "\\fB${option//-/\\-}\\fR" $page
  done
  claim "the first page names it" grep -qF "limber\\-$verb" manual/limber.1
done
if command -v groff >/dev/null; then
  for page in manual/*.1; do
    claim "$page is good roff" test -z "$(groff -man -Tutf8 -ww "$page" 2>&1 >/dev/null)"
  done
fi

# completes EXPECTED WORD...: what bash offers for the last word, in lines
completes() {
  local expected=$1
  shift
  offered=$(bash -c '. manual/limber.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _limber; printf "%s\n" "${COMPREPLY[@]}"' - "$@")
  claim "bash completes '$*' to $expected" test "$(sort <<<"$offered" | xargs)" = "$expected"
}
touch scene.yaml notes.txt table.csv
mkdir out
completes "reduce replay retarget" limber re
completes "simulate" limber help sim
completes "static" limber muscle st
completes "--power" limber muscle static --po
completes "--resume" limber retarget --res
completes "--out --over" limber sweep --o
completes "manual out" limber simulate --out ""
completes "scene.yaml" limber simulate sc
completes "table.csv" limber inverse scene.yaml ta
completes "" limber simulate notes
for shell in zsh fish; do
  file=manual/limber.$shell
  [ $shell = zsh ] && file=manual/_limber
  if command -v $shell >/dev/null; then
    claim "$shell reads its completion" $shell -n $file
  fi
  claim "$shell knows the verbs" grep -q sweep $file
done

# the page of the documents
page=$LIMBER_SOURCE_DIR/docs/program.md
mark="<!-- From here on"
sed "/^$mark/q" "$page" >expected.md
cat manual/program.md >>expected.md
if [ -n "${LIMBER_ACCEPT:-}" ]; then cp expected.md "$page"; fi
claim "docs/program.md is what the tables say (LIMBER_ACCEPT=1 rewrites it)" cmp expected.md "$page"
