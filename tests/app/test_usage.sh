# The command line explains itself, and says what is wrong with what was typed.
run "$LIMBER"
claim "without a verb it shows help and fails as usage" exits 2
claim "... on standard error" complains "Usage: limber VERB"
for words in --help -h help; do
  run "$LIMBER" $words
  claim "$words succeeds" exits 0
  claim "$words names the verbs" prints "simulate"
done
run "$LIMBER" --version
claim "--version succeeds" exits 0
claim "--version is the version of the headers" \
  prints "limber $(sed -n 's/.*LB_VERSION "\(.*\)"/\1/p' "$LIMBER_SOURCE_DIR/include/limber/version.h")"

verbs=$("$LIMBER" help | sed -n '/^Verbs:/,/^$/p' | awk '/^  /{print $1}')
for verb in $verbs; do
  [ "$verb" != help ] || continue
  run "$LIMBER" "$verb" --help
  claim "$verb --help succeeds" exits 0
  cp stdout help.txt
  for part in "Usage: limber $verb" "Options:" "Example:" "Exit status:" "--help"; do
    claim "$verb --help has $part" prints "$part"
  done
  run "$LIMBER" help "$verb"
  claim "help $verb is the same text" cmp -s stdout help.txt
  if [ "$verb" = examples ] || [ "$verb" = view ]; then continue; fi # they need none
  run "$LIMBER" "$verb"
  claim "$verb without arguments is a usage error" exits 2
  claim "$verb without arguments points to its help" complains "limber $verb --help"
done

# bad EXPECTED WORD...: the words are a usage error with this text
bad() {
  local expected=$1
  shift
  run "$LIMBER" "$@"
  claim "'limber $*' is a usage error" exits 2
  claim "'limber $*' says: $expected" complains "error: $expected"
  claim "'limber $*' prints nothing to standard output" test ! -s stdout
}
scene=$LIMBER_SOURCE_DIR/scenes/double-pendulum.yaml
bad "there is no verb 'simulat' (did you mean 'simulate'?)" simulat
bad "there is no verb 'chekc' (did you mean 'check'?)" chekc
bad "there is no verb '--hlep' (did you mean '--help'?)" --hlep
bad "there is no verb 'tango'; 'limber help' lists them" tango
bad "there is no verb 'simulat' (did you mean 'simulate'?)" help simulat
bad "'limber simulate' has no option '--duraton' (did you mean '--duration'?)" simulate "$scene" --duraton 3
bad "'limber simulate' has no option '--dur' (did you mean '--duration'?)" simulate "$scene" --dur=3
bad "'limber simulate' has no option '--zebra'; 'limber simulate --help' lists them" simulate "$scene" --zebra
bad "option '--duration' needs a value: --duration S" simulate "$scene" --duration
bad "option '--quiet' takes no value" simulate "$scene" --quiet=yes
for number in 0 -1 nan inf x 3x "" 1e999 "2 kg" "0 ms"; do
  bad "option '--duration' of 'limber simulate' is '$number'; it must be a positive time" \
    simulate "$scene" --duration "$number"
  bad "option '--step' of 'limber simulate' is '$number'; it must be a positive time" \
    simulate "$scene" "--step=$number"
done
for number in 0 -1 1.5 x 1025 99999999999999999999; do
  bad "option '--threads' of 'limber simulate' is '$number'; it must be a whole number from 1 to 1024" \
    simulate "$scene" --threads "$number"
done
bad "option '--out' of 'limber simulate' is ''; it must be a name" simulate "$scene" --out ""
bad "'limber simulate' does not know what to do with 'two'" simulate "$scene" two

run "$LIMBER" check -- --strange
claim "after -- words are names" complains "--strange"
run env LIMBER="$LIMBER" bash -c '"$LIMBER" help >/dev/full'
claim "a full disk behind standard output is a failure" exits 1
claim "no colour codes outside a terminal" eval '! grep -q "$(printf "\033")" stdout stderr'
