// What the 3-D view can show on top of the motion: stress as colours, forces as arrows, the name of
// a body that is clicked on or chosen from a list.
import {
  BufferAttribute,
  Color,
  ConeGeometry,
  CylinderGeometry,
  Group,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  Raycaster,
  Vector2,
  Vector3,
} from "three";

const UP = new Vector3(0, 1, 0);
const yUp = (x, y, z) => new Vector3(x, z, -y);

// Blue over green to red.
function rainbow(x, color) {
  return color.setHSL((0.66 * (1 - Math.min(1, x))), 0.85, 0.5);
}

function pascals(x) {
  const [unit, name] = x >= 1e9 ? [1e9, "GPa"] : x >= 1e6 ? [1e6, "MPa"] : x >= 1e3 ? [1e3, "kPa"] : [1, "Pa"];
  return `${Number((x / unit).toPrecision(3))} ${name}`;
}

// A button that switches something on and off.
function toggle(button, listener, on = false) {
  button.hidden = false;
  button.setAttribute("aria-pressed", on);
  button.addEventListener("click", () => {
    on = !on;
    button.setAttribute("aria-pressed", on);
    listener(on);
  });
}

// A new one of a colour.
export function addToggle(parent, name, color, on, listener) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = name;
  button.className = "layer";
  button.style.setProperty("--layer", color);
  toggle(button, listener, on);
  parent.append(button);
}

// Muscles from blue, at rest, to red, fully active, as the motion goes.
export function addMuscles(view, muscles) {
  if (!muscles) return;
  const { names, time, values } = muscles;
  const index = new Map(names.map((name, i) => [name, i]));
  const material = names.map(() => new MeshStandardMaterial({ roughness: 0.55 }));
  view.model.traverse((node) => {
    const i = index.get(node.userData.name ?? node.name);
    if (i === undefined) return;
    node.traverse((part) => {
      if (part.isMesh) part.material = material[i];
    });
  });
  const [rest, active] = [new Color(0x4a6fb5), new Color(0xd3151b)];
  view.marks.push(() => {
    let k = 0;
    while (k + 1 < time.length && time[k + 1] <= view.clock.time + 1e-6) k++;
    material.forEach((m, i) => m.color.lerpColors(rest, active, Math.min(1, Math.sqrt(values[k * names.length + i]))));
  });
  view.show();
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

// Groups of forces: their colours, and whether they are shown before anybody asks.
const GROUPS = {
  contacts: { color: "#c2410c", first: true },
  springs: { color: "#0f766e", first: true },
  joints: { color: "#7c3aed", first: false },
};

// An arrow's place and force at a time, between two of the times it is known at.
function interpolate({ values }, i, part, from) {
  const at = (k, c) => values[6 * (i + k) + from + c];
  return [0, 1, 2].map((c) => (part ? (1 - part) * at(0, c) + part * at(1, c) : at(0, c)));
}

// The usual size of the arrows: four in five are smaller. Impacts would make all others invisible.
function usual(list) {
  const sizes = list.flatMap(({ size }) => size).filter((x) => x > 0).sort((a, b) => a - b);
  return sizes[Math.floor(0.8 * (sizes.length - 1))] ?? 1;
}

// An arrow along y, seen through bodies, for forces often act inside of them.
class Arrow extends Group {
  constructor(color, thickness) {
    super();
    const material = new MeshBasicMaterial({ color, depthTest: false, transparent: true, opacity: 0.9 });
    this.shaft = new Mesh(new CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0), material);
    this.head = new Mesh(new ConeGeometry(1, 1, 12).translate(0, 0.5, 0), material);
    this.add(this.shaft, this.head);
    this.thickness = thickness;
    this.visible = false;
    for (const part of this.children) part.renderOrder = 1;
  }

  set(from, direction, length) {
    const head = Math.min(0.5 * length, 8 * this.thickness);
    this.position.copy(from);
    this.quaternion.setFromUnitVectors(UP, direction);
    this.shaft.scale.set(this.thickness, length - head, this.thickness);
    this.head.position.y = length - head;
    this.head.scale.set(3 * this.thickness, head, 3 * this.thickness);
  }
}

// Forces as arrows. Those of the usual size are as long as a fifth of the view, the longest four times that.
export function addForces(view, { time, list }, stage) {
  if (!list.length) return;
  const groups = Object.keys(GROUPS).filter((name) => list.some(({ group }) => group === name));
  const some = groups.some((name) => GROUPS[name].first);
  const chosen = new Set(groups.filter((name) => !some || GROUPS[name].first));
  for (const arrow of list) {
    arrow.size = Array.from(time, (_, i) => Math.hypot(...interpolate(arrow, i, 0, 3)));
    arrow.shown = new Arrow(GROUPS[arrow.group].color, 0.004 * view.radius);
    view.scene.add(arrow.shown);
  }
  let on = false;
  let scale = 1;
  const show = () => {
    scale = usual(list.filter(({ group }) => chosen.has(group)));
    view.show();
  };
  view.marks.push(() => {
    let i = 0;
    while (i + 1 < time.length && time[i + 1] <= view.clock.time) i++;
    const part = i + 1 < time.length ? Math.max(0, (view.clock.time - time[i]) / (time[i + 1] - time[i])) : 0;
    for (const arrow of list) {
      const force = interpolate(arrow, i, part, 3);
      const size = Math.hypot(...force);
      arrow.shown.visible = on && chosen.has(arrow.group) && size > 1e-2 * scale;
      if (!arrow.shown.visible) continue;
      const length = (view.radius / 5) * Math.min(4, size / scale);
      arrow.shown.set(yUp(...interpolate(arrow, i, part, 0)), yUp(...force).normalize(), length);
    }
  });
  const choices = document.createElement("span");
  choices.className = "choices";
  choices.hidden = true;
  stage.querySelector(".tools").append(choices);
  for (const name of groups.length > 1 ? groups : []) {
    addToggle(choices, name, GROUPS[name].color, chosen.has(name), (now) => {
      now ? chosen.add(name) : chosen.delete(name);
      show();
    });
  }
  toggle(stage.querySelector(".forces"), (now) => {
    on = now;
    choices.hidden = !on;
    show();
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
