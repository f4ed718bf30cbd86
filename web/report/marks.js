// What the 3-D view can show on top of the motion: stress as colours, forces as arrows, the name of
// a body that is clicked on or chosen from a list.
import { ArrowHelper, BufferAttribute, Color, MeshStandardMaterial, Raycaster, Vector2, Vector3 } from "three";

const yUp = (x, y, z) => new Vector3(x, z, -y);

// Blue over green to red.
function rainbow(x, color) {
  return color.setHSL((0.66 * (1 - Math.min(1, x))), 0.85, 0.5);
}

function pascals(x) {
  const [unit, name] = x >= 1e9 ? [1e9, "GPa"] : x >= 1e6 ? [1e6, "MPa"] : x >= 1e3 ? [1e3, "kPa"] : [1, "Pa"];
  return `${Number((x / unit).toPrecision(3))} ${name}`;
}

function toggle(button, listener) {
  let on = false;
  button.hidden = false;
  button.setAttribute("aria-pressed", on);
  button.addEventListener("click", () => {
    on = !on;
    button.setAttribute("aria-pressed", on);
    listener(on);
  });
}

// The largest stress of the motion, on the surfaces of elastic bodies.
export function addStress(view, stage) {
  const meshes = [];
  view.model.traverse((node) => node.isMesh && node.geometry.attributes._stress && meshes.push(node));
  const most = Math.max(0, ...meshes.map(({ geometry }) => Math.max(...geometry.attributes._stress.array)));
  if (!(most > 0)) return;
  const color = new Color();
  const painted = new MeshStandardMaterial({ vertexColors: true, roughness: 0.7 });
  for (const { geometry } of meshes) {
    const values = geometry.attributes._stress.array;
    const colors = new Float32Array(3 * values.length);
    values.forEach((x, i) => rainbow(x / most, color).toArray(colors, 3 * i));
    geometry.setAttribute("color", new BufferAttribute(colors, 3));
  }
  const plain = meshes.map((mesh) => mesh.material);
  const legend = stage.querySelector(".legend");
  legend.innerHTML = `<span>0</span><i></i><span>${pascals(most)}</span>`;
  toggle(stage.querySelector(".stress"), (on) => {
    meshes.forEach((mesh, i) => (mesh.material = on ? painted : plain[i]));
    legend.hidden = !on;
    view.draw();
  });
}

// Forces on bodies, from where these are; the largest is as long as a third of the view.
export function addForces(view, data, stage) {
  const arrows = data.series
    .map((series, i) => ({ body: series.body, parts: data.series.slice(i, i + 3).map((s) => s.values) }))
    .filter(({ body }) => body >= 0);
  if (!arrows.length) return;
  const size = ({ parts: [x, y, z] }, i) => Math.hypot(x[i], y[i], z[i]);
  const most = Math.max(...arrows.map((arrow) => data.time.reduce((m, _, i) => Math.max(m, size(arrow, i)), 0)));
  for (const arrow of arrows) {
    arrow.shown = new ArrowHelper(yUp(0, 0, 1), new Vector3(), 1, 0xc2410c);
    arrow.shown.visible = false;
    view.scene.add(arrow.shown);
  }
  let on = false;
  view.marks.push(() => {
    let i = 0;
    while (i + 1 < data.time.length && data.time[i + 1] <= view.clock.time + 1e-9) i++;
    for (const arrow of arrows) {
      const force = size(arrow, i);
      arrow.shown.visible = on && force > 1e-3 * most;
      if (!arrow.shown.visible) continue;
      const length = (view.radius / 3) * (force / most);
      arrow.shown.position.setFromMatrixPosition(view.nodes[arrow.body].matrixWorld);
      arrow.shown.setDirection(yUp(...arrow.parts.map((part) => part[i])).normalize());
      arrow.shown.setLength(length, 0.25 * length, 0.12 * length);
    }
  });
  toggle(stage.querySelector(".forces"), (now) => {
    on = now;
    view.show();
  });
}

// A list of the bodies; the one that is chosen, or clicked on, is lit and named.
export function addBodies(view, names, stage) {
  const list = stage.querySelector(".bodies");
  const label = stage.querySelector(".picked");
  if (!names.length) return;
  list.hidden = false;
  list.add(new Option("Bodies", ""));
  names.forEach((name, i) => list.add(new Option(name, i)));
  const materials = new Map();
  const light = (body) => {
    for (const [mesh, material] of materials) mesh.material = material;
    materials.clear();
    label.hidden = body < 0;
    list.value = body < 0 ? "" : body;
    if (body >= 0) {
      label.textContent = names[body];
      view.nodes[body].traverse((node) => {
        if (!node.isMesh || node.userData.body >= 0) return;
        materials.set(node, node.material);
        node.material = node.material.clone();
        node.material.emissive?.set(0xc2410c).multiplyScalar(0.6);
      });
    }
    view.draw();
  };
  list.addEventListener("change", () => light(list.value === "" ? -1 : Number(list.value)));
  const ray = new Raycaster();
  const canvas = view.renderer.domElement;
  let down = null;
  canvas.addEventListener("pointerdown", (event) => (down = [event.clientX, event.clientY]));
  canvas.addEventListener("pointerup", (event) => {
    if (!down || Math.hypot(event.clientX - down[0], event.clientY - down[1]) > 4) return; // a drag
    const box = canvas.getBoundingClientRect();
    const at = new Vector2(((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2);
    ray.setFromCamera(at, view.camera);
    const hit = ray.intersectObject(view.model, true).find(({ object }) => object.visible);
    let node = hit?.object;
    while (node && !view.nodes.includes(node)) node = node.parent;
    light(node ? view.nodes.indexOf(node) : -1);
  });
}
