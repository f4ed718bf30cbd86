# gcc and clang have nothing to warn about, in any C file of the project; every public header stands
# on its own in C and C++.
cd "$LIMBER_SOURCE_DIR"
warnings="-Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Werror"
flags="-fsyntax-only -std=gnu11 -Iinclude -Isrc -Itests -I$LIMBER_BUILD_DIR"
flags+=" -DLIMBER_SOURCE_DIR=\".\" -DNDEBUG $(pkg-config --cflags openblas lapacke arpack libxml-2.0 ipopt) -Wno-psabi"
if [[ " $(grep -m1 march=native "$LIMBER_BUILD_DIR/compile_commands.json") " == *march=native* ]]; then
  flags+=" -march=native"
fi

# The flags are lists of words.
# shellcheck disable=SC2086
clean() {
  local compiler=$1 folder=$2
  find "$folder" -name '*.c' -not -path '*/fuzz/*' -print0 |
    xargs -0 -P 2 -n 8 "$compiler" $warnings $flags
}
for compiler in gcc clang; do
  for folder in src tests; do
    claim "$compiler does not warn in $folder" clean "$compiler" "$folder"
  done
done

alone() {
  echo "#include <limber/$1>" |
    gcc -x c -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -Iinclude - &&
    echo "#include <limber/$1>" |
    g++ -x c++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -Iinclude -
}
for header in include/limber/*.h; do
  claim "${header##*/} stands on its own" alone "${header##*/}"
done
