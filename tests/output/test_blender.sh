# Blender shows elastic bodies and deformables where the file puts them, within half a millimetre.
if ! command -v blender >/dev/null; then
  echo "blender is missing"
  exit 77
fi
for scene in rod drummer starfish; do
  run "$LIMBER" simulate "$LIMBER_SOURCE_DIR/scenes/$scene.yaml" --duration 1 --out "$scene"
  claim "$scene runs" exits 0
done
run blender -b -P "$LIMBER_SOURCE_DIR/tests/output/blender.py" -- {rod,drummer,starfish}/scene.glb
claim "Blender reads them" exits 0
claim "surfaces are where the file has them" prints "3 good, 0 wrong"
