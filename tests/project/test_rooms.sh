# A room includes itself and the rooms before it in docs/architecture.md, never one after it.
cd "$LIMBER_SOURCE_DIR"
rooms=(base math geom elastic scene model dynamics solve design world record job app)

reaches_forward() {
  local room=$1 later=$2
  [ -d "src/$room" ] && grep -nE "#include \"$later/" "src/$room"/*.[ch]
}
for ((i = 0; i < ${#rooms[@]}; i++)); do
  for later in "${rooms[@]:i+1}"; do
    claim "src/${rooms[i]} does not include $later" eval "! reaches_forward ${rooms[i]} $later"
  done
done
for folder in src/*/; do
  claim "$folder is a room that docs/architecture.md names" grep -qF "${folder}" docs/architecture.md
done
