// The 3-D view: the embedded glb, lit, on a grid, with the paths of a few bodies, under a camera
// that starts where the whole motion is in sight.
import {
  AnimationMixer,
  BufferAttribute,
  BufferGeometry,
  Color,
  DirectionalLight,
  HemisphereLight,
  Line,
  LineBasicMaterial,
  Mesh,
  NeutralToneMapping,
  PCFShadowMap,
  PerspectiveCamera,
  PlaneGeometry,
  PMREMGenerator,
  Scene,
  ShaderMaterial,
  ShadowMaterial,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { RoomEnvironment } from "three/addons/environments/RoomEnvironment.js";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { readMuscles } from "./data.js";
import { addEllipsoids } from "./ellipsoids.js";
import { addBodies, addForces, addMuscles, addStress, addToggle } from "./marks.js";
import { onTheme, theme } from "./theme.js";

// Limber is z up, the picture y up.
const yUp = ([x, y, z]) => new Vector3(x, z, -y);

// Motions that are shown at once: their names in the model, colours, and how far behind others.
const LAYERS = [
  [
    { name: "target", color: "target", behind: 1 },
    { name: "before", color: "before", behind: 2 },
    { name: "after", color: "after", behind: 0 },
  ],
  [
    { name: "whole", color: "before", behind: 1 },
    { name: "reduced", color: "after", behind: 0 },
  ],
];

// 1, 2 or 5 times a power of ten, at most x.
function roundNumber(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  return power * (x / power >= 5 ? 5 : x / power >= 2 ? 2 : 1);
}

export async function createView(container, glb, data, clock) {
  const view = new View(container, data.view, data.time, clock);
  view.count = data.bodies.length;
  await view.load(glb);
  const stage = container.parentElement;
  addStress(view, stage);
  addForces(view, data.arrows, stage);
  addBodies(view, data.bodies, stage);
  if (data.fork) addEllipsoids(view, data.fork.ellipsoids, stage);
  addMuscles(view, readMuscles());
  clock.subscribe(() => view.show());
  onTheme(() => view.dress());
  new ResizeObserver(() => view.resize()).observe(container);
  return view;
}

export class View {
  constructor(container, info, times, clock) {
    this.worlds = [];
    this.marks = []; // functions that follow the motion
    this.times = times; // of the paths' points
    this.container = container;
    this.info = info;
    this.clock = clock;
    this.renderer = new WebGLRenderer({ antialias: true, alpha: true });
    this.renderer.debug.checkShaderErrors = false; // asking would wait for the compiler
    this.renderer.toneMapping = NeutralToneMapping;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.setPixelRatio(Math.min(2, devicePixelRatio));
    container.append(this.renderer.domElement);

    this.radius = Math.max(1e-6, info.radius);
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(32, 1, this.radius / 100, this.radius * 100);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.addEventListener("change", () => this.draw());
    this.light();
    this.floor();
    this.buttons();
  }

  light() {
    const room = new PMREMGenerator(this.renderer);
    this.scene.environment = room.fromScene(new RoomEnvironment(), 0.04).texture;
    this.scene.environmentIntensity = 0.45;
    room.dispose();
    this.sky = new HemisphereLight(0xffffff, 0xb8b0a0, 0.9);
    this.sun = new DirectionalLight(0xfff4e5, 2.4);
    this.sun.castShadow = true;
    const shadow = this.sun.shadow;
    const reach = 1.6 * this.radius;
    Object.assign(shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.01 * reach, far: 8 * reach });
    shadow.mapSize.set(2048, 2048);
    shadow.radius = 5;
    shadow.normalBias = 0.004 * this.radius;
    shadow.bias = -0.0002;
    this.scene.add(this.sky, this.sun, this.sun.target);
  }

  // Lines at round distances that fade away, and the shadow on them.
  floor() {
    this.spacing = roundNumber(this.radius / 2);
    const size = 60 * this.radius;
    this.grid = new Mesh(
      new PlaneGeometry(size, size),
      new ShaderMaterial({
        transparent: true,
        depthWrite: false,
        uniforms: { color: { value: new Color() }, spacing: { value: this.spacing }, reach: { value: 7 * this.radius }, centre: { value: new Vector3() } },
        vertexShader: `
          varying vec3 place;
          void main() {
            vec4 p = modelMatrix * vec4(position, 1.0);
            place = p.xyz;
            gl_Position = projectionMatrix * viewMatrix * p;
          }`,
        fragmentShader: `
          uniform vec3 color, centre;
          uniform float spacing, reach;
          varying vec3 place;
          float lines(float step, float width) {
            vec2 p = place.xz / step;
            vec2 w = fwidth(p);
            vec2 d = abs(fract(p - 0.5) - 0.5) / w;
            return (1.0 - min(min(d.x, d.y) / width, 1.0)) * (1.0 - smoothstep(0.2, 0.6, max(w.x, w.y)));
          }
          void main() {
            float fade = 1.0 - smoothstep(0.15, 1.0, distance(place.xz, centre.xz) / reach);
            float line = max(0.35 * lines(spacing, 1.1), 0.7 * lines(5.0 * spacing, 1.4));
            gl_FragColor = vec4(color, line * fade);
          }`,
      }),
    );
    this.ground = new Mesh(new PlaneGeometry(size, size), new ShadowMaterial({ depthWrite: false }));
    this.ground.receiveShadow = true;
    for (const [i, mesh] of [this.ground, this.grid].entries()) {
      mesh.rotation.x = -Math.PI / 2;
      mesh.position.y = this.info.ground - 0.002 * this.radius;
      mesh.renderOrder = -2 + i;
      this.scene.add(mesh);
    }
    const note = this.container.parentElement.querySelector(".grid-note");
    note.textContent = `grid ${Number(this.spacing.toPrecision(3))} m`;
  }

  // A world and its motion, in the scene.
  async add(glb) {
    const gltf = await new GLTFLoader().parseAsync(glb, "");
    gltf.scene.traverse((node) => {
      if (node.isMesh) {
        node.castShadow = !node.material.transparent;
        node.receiveShadow = true;
        node.frustumCulled = !node.morphTargetInfluences && !node.isSkinnedMesh; // it bends out of the box it rests in
      }
    });
    this.scene.add(gltf.scene);
    const clip = gltf.animations[0];
    const mixer = clip && new AnimationMixer(gltf.scene);
    mixer?.clipAction(clip).play();
    this.worlds.push({ scene: gltf.scene, mixer, end: clip?.duration ?? 0 });
    return gltf;
  }

  async load(glb) {
    const gltf = await this.add(glb);
    this.model = gltf.scene;
    this.layers(gltf.scene.children[0]);
    const node = (body) => gltf.parser.getDependency("node", 1 + body);
    this.nodes = await Promise.all(Array.from({ length: this.count }, (_, body) => node(body)));
    this.bodies = this.info.moving.map((body) => this.nodes[body]);
    this.paths = this.info.paths.map((path) => this.makePath(path, gltf.scene.children[0]));
    this.dress();
    this.follow = this.info.follow;
    this.frame();
    return gltf;
  }

  // Where layers coincide, one of them is in front.
  behind(layer, steps) {
    layer.traverse((node) => {
      if (!node.isMesh || !steps) return;
      node.material = node.material.clone();
      Object.assign(node.material, { polygonOffset: true, polygonOffsetFactor: steps, polygonOffsetUnits: 4 * steps });
    });
  }

  // Retargeting shows three motions at once, and a reduced mechanism two; each can be taken away.
  layers(world) {
    const tools = this.container.parentElement.querySelector(".tools");
    for (const set of LAYERS) {
      const found = set.map(({ name }) => world.children.find((child) => child.name === name && !child.isMesh));
      if (found.includes(undefined)) continue;
      set.forEach(({ name, color, behind }, i) => {
        this.behind(found[i], behind);
        addToggle(tools, name, `var(--${color})`, true, (on) => {
          found[i].visible = on;
          this.draw();
        });
      });
    }
  }

  // A body's way through the whole motion, faint, and as far as it has come, strong.
  makePath(points, world) {
    const make = (opacity) => {
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", new BufferAttribute(points, 3));
      const line = new Line(geometry, new LineBasicMaterial({ transparent: true, opacity, depthWrite: false }));
      line.frustumCulled = false;
      world.add(line);
      return line;
    };
    return { whole: make(0.22), done: make(0.9) };
  }

  // Colours that follow the page's theme.
  dress() {
    const look = theme();
    this.grid.material.uniforms.color.value.set(look.muted).convertLinearToSRGB();
    this.ground.material.opacity = look.dark ? 0.42 : 0.22;
    this.sky.intensity = look.dark ? 0.5 : 0.9;
    for (const path of this.paths ?? []) {
      path.whole.material.color.set(look.accent);
      path.done.material.color.set(look.accent);
    }
    this.draw();
  }

  buttons() {
    const reset = this.container.parentElement.querySelector(".reset");
    reset.addEventListener("click", () => this.frame());
    const follow = this.container.parentElement.querySelector(".follow");
    follow.addEventListener("click", () => {
      this.follow = !this.follow;
      this.frame();
    });
    this.followButton = follow;
  }

  // The middle of what moves, now.
  middle() {
    const sum = new Vector3();
    for (const body of this.bodies) sum.add(body.getWorldPosition(new Vector3()));
    return this.bodies.length ? sum.divideScalar(this.bodies.length) : yUp(this.info.centre);
  }

  // Height of the buttons above the motion, over that of the view.
  covered() {
    const tools = this.container.parentElement.querySelector(".tools");
    return Math.min(0.25, (tools.offsetTop + tools.offsetHeight) / this.container.clientHeight || 0);
  }

  // The camera back to where it shows everything below the buttons, or, when it follows, the bodies.
  frame() {
    this.followButton.setAttribute("aria-pressed", this.follow);
    this.pose();
    const { azimuth, elevation, near } = this.info;
    const { wide, tall, deep } = this.follow ? { wide: near, tall: near, deep: near } : this.info;
    this.target = this.follow ? this.middle() : yUp(this.info.centre);
    const slope = Math.tan((this.camera.fov * Math.PI) / 360);
    const free = 1 - this.covered();
    const distance = deep + (1.05 * Math.max(tall / free, wide / this.camera.aspect)) / slope;
    const { clientWidth: width, clientHeight: height } = this.container;
    this.camera.setViewOffset(width, height, 0, (-height * (1 - free)) / 2, width, height);
    const direction = yUp([
      Math.cos(elevation) * Math.cos(azimuth),
      Math.cos(elevation) * Math.sin(azimuth),
      Math.sin(elevation),
    ]);
    this.controls.target.copy(this.target);
    this.camera.position.copy(this.target).addScaledVector(direction, distance);
    this.controls.update();
    this.show();
  }

  pose() {
    const time = this.clock.time - this.clock.first;
    for (const { mixer, end } of this.worlds) mixer?.setTime(Math.min(time, end));
    this.scene.updateMatrixWorld();
    for (const mark of this.marks) mark();
  }

  show() {
    this.pose();
    let n = 0;
    while (n < this.times.length && this.times[n] <= this.clock.time + 1e-6) n++;
    for (const { done } of this.paths) done.geometry.setDrawRange(0, n);
    if (this.follow) {
      const step = this.middle().sub(this.target);
      this.target.add(step);
      this.controls.target.add(step);
      this.camera.position.add(step);
      this.controls.update();
    }
    this.draw();
  }

  draw() {
    if (!this.target) return;
    const away = 3 * this.radius;
    this.sun.target.position.copy(this.target);
    this.sun.position.copy(this.target).add(new Vector3(0.45, 1, 0.6).normalize().multiplyScalar(away));
    this.grid.material.uniforms.centre.value.copy(this.target);
    this.renderer.render(this.scene, this.camera);
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.container;
    if (!width || !height) return;
    this.renderer.setSize(width, height);
    const before = this.camera.aspect;
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    before === this.camera.aspect ? this.draw() : this.frame();
  }
}
