# Reports open in a browser that has no network: the 3-D view and the plots come up, the console stays
# empty. Without WebGL the pictures remain.
browser=$(command -v chromium || command -v google-chrome || true)
if [ -z "$browser" ]; then
  echo "no Chromium"
  exit 77
fi
run "$LIMBER_BUILD_DIR/tests/test_gltf" .
claim "samples are written" exits 0

# page FOLDER FLAG...: the page as it stands after its script ran, in the file dom, and what it wrote
# to the console, in stderr
page() {
  local sample=$1
  shift
  status=0
  timeout 100 "$browser" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
    --disable-background-networking --disable-component-update --disable-sync \
    --user-data-dir="$PWD/profile" --host-resolver-rules="MAP * ~NOTFOUND" --enable-logging=stderr \
    --force-prefers-reduced-motion --virtual-time-budget=1500 --dump-dom "$@" "file://$PWD/$sample/report.html" \
    >dom 2>log </dev/null || status=$?
  grep CONSOLE log | grep -v "GL Driver Message" >stderr || true # remarks of the software renderer
  : >stdout
}
shows() { grep -qF -- "$1" dom; }
quiet() { [ ! -s stderr ]; }

page zoo --use-angle=swiftshader --enable-unsafe-swiftshader
claim "the 3-D view comes up" shows 'data-limber="ready"'
claim "the plots come up" shows 'class="u-over"'
claim "the motion can be played" shows 'aria-label="Time"'
claim "markup in names stays text" eval '! shows "<script>alert"'
claim "the console stays empty" quiet

page empty --use-angle=swiftshader --enable-unsafe-swiftshader
claim "an empty world has a page too" shows 'data-limber="ready"'
claim "its console stays empty" quiet

page zoo --disable-3d-apis
claim "without WebGL the pictures stay" shows 'data-limber="pictures"'
claim "and the plots come up" shows 'class="u-over"'
claim "and the page says so" shows 'id="no-view">'
