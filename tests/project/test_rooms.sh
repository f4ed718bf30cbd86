# A room includes and calls itself and the rooms before it in docs/architecture.md, never one after it.
cd "$LIMBER_SOURCE_DIR"
rooms=(base math geom elastic scene model dynamics recording solve fork design world output job app)

reaches_forward() {
  local room=$1 later=$2
  [ -d "src/$room" ] && grep -rnE "#include \"$later/" "src/$room" --include='*.[ch]'
}
for ((i = 0; i < ${#rooms[@]}; i++)); do
  for later in "${rooms[@]:i+1}"; do
    claim "src/${rooms[i]} does not include $later" eval "! reaches_forward ${rooms[i]} $later"
  done
done
for folder in src/*/; do
  claim "$folder is a room that docs/architecture.md names" grep -qF "${folder}" docs/architecture.md
done

# Symbols, from the objects of this build: "D room symbol" where it is defined, "U room symbol" where
# it is used. What public headers declare is reached without an include of a room.
objects=$LIMBER_BUILD_DIR/CMakeFiles/limber_objects.dir/src
symbols() {
  local room=$1
  (cd src && find "$room" -name '*.c') | sed "s|^|$objects/|; s|$|.o|" | xargs -r nm |
    awk -v room="$room" 'NF == 2 && $1 == "U" && $2 ~ /^(lb|LB)_/ { print "U", room, $2 }
                         NF == 3 && $2 ~ /^[TDRBC]$/ { print "D", room, $3 }' | sort -u
}
for room in "${rooms[@]}"; do
  [ "$room" = app ] || symbols "$room"
done >"$LIMBER_SCRATCH/symbols"
calls_forward() {
  awk -v order="${rooms[*]}" 'BEGIN { n = split(order, name, " "); for (i = 1; i <= n; i++) rank[name[i]] = i }
    $1 == "D" { at[$3] = $2 }
    $1 == "U" { use[++uses] = $2 " " $3 }
    END { for (i = 1; i <= uses; i++) { split(use[i], u, " ")
            if (u[2] in at && rank[at[u[2]]] > rank[u[1]]) print "src/" u[1] " uses " u[2] " of src/" at[u[2]] } }' \
    "$LIMBER_SCRATCH/symbols" | sort -u | grep . >&2
}
claim "symbols were found" grep -q '^D dynamics' "$LIMBER_SCRATCH/symbols"
claim "no room calls one after it" eval '! calls_forward'

# A name says one file.
twice() {
  git ls-files src include tests bench | grep -vE '/(corpus|bad|good)/|CMakeLists.txt' | sed 's|.*/||' | sort | uniq -d | grep .
}
claim "file names are unique in the tree" eval '! twice'
