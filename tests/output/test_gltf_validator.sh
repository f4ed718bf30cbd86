# Every glb passes the Khronos validator without an error, a warning or an information.
packages=$LIMBER_SOURCE_DIR/web/node_modules
if ! command -v node >/dev/null || [ ! -d "$packages/gltf-validator" ]; then
  echo "node or the gltf-validator package is missing"
  exit 77
fi
run "$LIMBER_BUILD_DIR/tests/test_gltf" .
claim "samples are written" exits 0
run node "$LIMBER_SOURCE_DIR/tests/output/validate.mjs" "$packages" ./*/scene.glb
claim "the validator finds nothing" exits 0
claim "it saw the animation" prints "1 animation"
