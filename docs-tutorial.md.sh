set -e
limber new character puppet.yaml
limber check puppet.yaml
limber check puppet.yaml
limber simulate puppet.yaml
limber simulate puppet.yaml --set "bodies.neck.elastic.rod.radius=1.5 mm" --out out/thick
limber sweep puppet.yaml --over "bodies.neck.elastic.rod.radius=1.5mm:2.5mm:3" --out out/radii
limber simulate puppet.yaml
limber view out/puppet
limber retarget puppet.yaml --baseline --verify --out out/quiet
limber view out/quiet
python3 - <<'END'
import csv
for row in csv.DictReader(open("out/quiet/profiles.csv")):
    degrees = float(row["nodding.q"]) * 57.29578
    pulse = 1500 + degrees * 1000 / 90  # microseconds; 90 degrees are 1 ms
END
blender --python-expr "import bpy, numpy; numpy.bool = bool; bpy.ops.wm.read_homefile(use_empty=True); bpy.ops.import_scene.gltf(filepath='out/quiet/scene.glb')"
limber replay puppet.yaml --from out/quiet --out out/again
