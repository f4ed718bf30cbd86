// Two worlds in one view: the second is a blue ghost.
import { Box3, Color } from "three";
import { View } from "./view.js";

const FRAMES = 24; // looked at, to find what must be in sight

// Meshes that stay where they are, by their form and place.
function still(gltf) {
  const animated = new Set((gltf.animations[0]?.tracks ?? []).map((track) => track.name.split(".")[0]));
  const found = new Map();
  gltf.scene.updateMatrixWorld(true);
  gltf.scene.traverse((node) => {
    let moves = false;
    node.traverseAncestors((above) => { moves ||= animated.has(above.name); });
    if (!node.isMesh || moves || animated.has(node.name)) return;
    const form = [...node.geometry.attributes.position.array, ...node.matrixWorld.elements].map((x) => x.toPrecision(6));
    found.set(form.join(" "), node);
  });
  return found;
}

// What both have alike, as floors, is not drawn twice.
function dropShared(first, second) {
  const known = still(first);
  for (const [form, node] of still(second)) if (known.has(form)) node.removeFromParent();
}

function paint(model) {
  let count = 0;
  model.traverse((node) => {
    if (!node.isMesh) return;
    node.material = node.material.clone();
    node.material.color = new Color(0x2563eb);
    node.material.transparent = true;
    node.material.opacity = 0.45;
    node.castShadow = false;
    count++;
  });
  return count;
}

// As the report of a run would have it, but measured here.
function measure(view) {
  const box = new Box3();
  for (let i = 0; i <= FRAMES; i++) {
    view.clock.time = view.clock.first + (view.clock.length * i) / FRAMES;
    view.pose();
    for (const { scene } of view.worlds) box.expandByObject(scene, true);
  }
  view.clock.time = view.clock.first;
  const [low, high] = [box.min, box.max];
  const half = high.clone().sub(low).multiplyScalar(0.5);
  const middle = low.clone().add(half);
  const radius = half.length() || 1;
  return {
    centre: [middle.x, -middle.z, middle.y],
    wide: radius, tall: half.y + 0.3 * radius, deep: radius, radius, near: radius,
    azimuth: -Math.PI / 2 + 0.42, elevation: 0.3, ground: low.y, follow: false, moving: [], paths: [],
  };
}

export async function createPair(container, models, clock) {
  const empty = { centre: [0, 0, 0], wide: 1, tall: 1, deep: 1, radius: 1, near: 1, azimuth: 0, elevation: 0.3, ground: 0, follow: false, moving: [], paths: [] };
  const probe = new View(container, empty, [], clock);
  probe.count = 0;
  await probe.load(models[0]);
  await probe.add(models[1]);
  const info = measure(probe);
  probe.renderer.domElement.remove();
  probe.renderer.dispose();
  const view = new View(container, info, [], clock);
  view.count = 0;
  const first = await view.load(models[0]);
  const second = await view.add(models[1]);
  dropShared(first, second);
  container.dataset.ghosts = paint(second.scene);
  clock.subscribe(() => view.show());
  new ResizeObserver(() => view.resize()).observe(container);
  return view;
}
