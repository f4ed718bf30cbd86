// Compliance of effectors in the 3-D view: how far they go, or turn, under a unit force or moment in
// each direction.
import { Matrix4, Mesh, MeshStandardMaterial, SphereGeometry, Vector3 } from "three";
import { addToggle } from "./marks.js";

const yUp = ([x, y, z]) => new Vector3(x, z, -y);
const KINDS = [
  { turns: false, label: "gives way", color: 0x2f6db3 },
  { turns: true, label: "turns", color: 0x2c8a5b },
];
const LARGEST = 0.22; // of the view's radius
const THINNEST = 0.012; // of the largest: directions that are rigid

function makeOne({ at, size, axes }, scale, material) {
  const half = size.map((x) => Math.max(scale * x, THINNEST * scale * size[0]));
  const [a, b] = axes.map((axis, i) => yUp(axis).multiplyScalar(half[i]));
  const c = new Vector3().crossVectors(a, b).normalize().multiplyScalar(half[2]); // right-handed
  const mesh = new Mesh(new SphereGeometry(1, 48, 32), material);
  mesh.matrixAutoUpdate = false;
  mesh.matrix = new Matrix4().makeBasis(a, b, c).setPosition(yUp(at));
  mesh.renderOrder = 1;
  return mesh;
}

// All of a kind have one scale, so that they compare.
export function addEllipsoids(view, list, stage) {
  const tools = stage.querySelector(".tools");
  for (const { turns, label, color } of KINDS) {
    const some = list.filter((e) => e.turns === turns && e.size[0] > 0);
    const most = Math.max(0, ...some.map(({ size }) => size[0]));
    if (!(most > 0)) continue;
    const material = new MeshStandardMaterial({ color, roughness: 0.5, transparent: true, opacity: 0.45, depthWrite: false });
    const meshes = some.map((e) => makeOne(e, (LARGEST * view.radius) / most, material));
    for (const mesh of meshes) {
      mesh.visible = !turns;
      view.scene.add(mesh);
    }
    addToggle(tools, label, `#${color.toString(16).padStart(6, "0")}`, !turns, (on) => {
      for (const mesh of meshes) mesh.visible = on;
      view.draw();
    });
  }
}
