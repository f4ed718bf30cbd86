# What `make install` leaves can be used from outside: by pkg-config and by CMake, from C and C++,
# shared and static. The C programs are those that README.md and docs/api.md show.
prefix=$PWD/prefix
run cmake --install "$LIMBER_BUILD_DIR" --prefix "$prefix"
claim "it installs" exits 0
claim "the program runs from there" "$prefix/bin/limber" --version >version.txt
claim "scenes come along" test -e "$prefix/share/limber/scenes/double-pendulum.yaml"
claim "the scenes are listed from there" eval '"$prefix/bin/limber" examples | grep -q "$prefix/share/limber/scenes"'
claim "manual pages come along" test -e "$prefix/share/man/man1/limber-simulate.1"
claim "completion comes along" test -e "$prefix/share/bash-completion/completions/limber"
claim "documents come along" test -e "$prefix/share/doc/limber/README.md"

export PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib
for page in README docs/api; do
  awk '/^```$/ { inside = 0 } inside; /^```c$/ { inside = !n++ }' "$LIMBER_SOURCE_DIR/$page.md" >"${page##*/}.c"
done
mv README.c example.c
cp "$LIMBER_SOURCE_DIR/tests/install/"{use.cc,CMakeLists.txt} .
scene=$prefix/share/limber/scenes/double-pendulum.yaml
warnings="-Wall -Wextra -Wconversion -Wshadow -Werror"

# build NAME COMMAND...: build a program and run it on a scene
build() {
  local name=$1
  shift
  run "$@"
  claim "$name builds" exits 0
  run "./$name" "$scene"
  claim "$name runs" exits 0
  claim "$name says where the pendulum is" prints "s: "
}
static=$(pkg-config --static --libs limber | sed 's/-llimber/-l:liblimber.a/')
# The flags are lists of words.
# shellcheck disable=SC2046,SC2086
{
  build c-shared cc -std=c11 $warnings example.c -o c-shared $(pkg-config --cflags --libs limber)
  build c-static cc -std=c11 $warnings example.c -o c-static $(pkg-config --cflags limber) $static
  build api cc -std=c11 $warnings api.c -o api $(pkg-config --cflags --libs limber)
  claim "the pole stands after the push" prints "10.0 s: pole at   0."
  build cc-shared c++ -std=c++17 $warnings use.cc -o cc-shared $(pkg-config --cflags --libs limber)
  build cc-static c++ -std=c++17 $warnings use.cc -o cc-static $(pkg-config --cflags limber) $static
}

run cmake -S . -B cmake-build -G Ninja -DCMAKE_PREFIX_PATH="$prefix"
claim "find_package finds it" exits 0
run cmake --build cmake-build
claim "a CMake project builds against it" exits 0
for program in c-cmake c-cmake-static cc-cmake; do
  run "cmake-build/$program" "$scene"
  claim "$program runs" exits 0
done

# The shared library shows the public functions and nothing else.
nm -D --defined-only "$prefix/lib/liblimber.so" | awk '{print $3}' | sort >shown
grep -ohE '\blb_[a-z0-9_]+\(' "$prefix"/include/limber/*.h | tr -d '(' | sort -u >declared
claim "every symbol shown is declared in a header" test -z "$(comm -23 shown declared)"
claim "lb_simulate is shown" grep -qx lb_simulate shown
claim "the library tells its soname" grep -q "liblimber.so.[0-9]" <(readelf -d "$prefix/lib/liblimber.so")
