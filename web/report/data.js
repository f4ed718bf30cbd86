// What the page carries: numbers as base64 of little-endian floats, the model as a glb.

function bytes(base64) {
  const text = atob(base64.trim());
  const out = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) out[i] = text.charCodeAt(i);
  return out.buffer;
}

export function readData() {
  const data = JSON.parse(document.getElementById("limber-data").textContent);
  data.time = new Float64Array(bytes(data.time));
  data.kinetic = new Float64Array(bytes(data.kinetic));
  data.potential = new Float64Array(bytes(data.potential));
  data.view.paths = data.view.paths.map((path) => new Float32Array(bytes(path)));
  const all = new Float32Array(bytes(data.values));
  const n = data.time.length;
  data.series.forEach((series, i) => {
    series.values = all.subarray(i * n, (i + 1) * n);
  });
  data.arrows = readArrows(data.arrows);
  data.fit = readFit();
  data.retarget = readRetarget();
  data.fork = readFork();
  return data;
}

// Arrows of forces: at each of their times where one begins, and the force, in the world.
function readArrows({ list, time, values }) {
  const times = new Float32Array(bytes(time));
  const all = new Float32Array(bytes(values));
  const size = 6 * times.length;
  return { time: times, list: list.map((arrow, i) => ({ ...arrow, values: all.subarray(i * size, (i + 1) * size) })) };
}

// Measured and fitted places of markers, axis by axis, if there are any; what was not seen is null.
function readFit() {
  const element = document.getElementById("limber-fit");
  if (!element) return null;
  const fit = JSON.parse(element.textContent);
  fit.time = new Float32Array(bytes(fit.time));
  const all = new Float32Array(bytes(fit.values));
  const n = fit.time.length;
  const column = (i) => Array.from(all.subarray(i * n, (i + 1) * n), (x) => (Number.isNaN(x) ? null : x));
  fit.curves = fit.markers.flatMap((marker, i) =>
    ["x", "y", "z"].map((axis, k) => ({
      name: `${marker} ${axis}`,
      measured: column(6 * i + 2 * k),
      fitted: column(6 * i + 2 * k + 1),
    })),
  );
  return fit;
}

// Tracked points on their target, before and after, axis by axis, and the motors' curves.
function readRetarget() {
  const element = document.getElementById("limber-retarget");
  if (!element) return null;
  const found = JSON.parse(element.textContent);
  found.time = new Float32Array(bytes(found.time));
  const all = new Float32Array(bytes(found.values));
  const n = found.time.length;
  let next = 0;
  const column = () => all.subarray(next++ * n, next * n);
  found.tracks = found.tracks.map((name) => ({
    name,
    axes: ["x", "y", "z"].map((axis) => ({ axis, target: column(), before: column(), after: column() })),
  }));
  found.motors = found.motors.map((name) => ({ name, before: column(), after: column() }));
  return found;
}

// Effectors of a reduced mechanism and of the whole, axis by axis, and their compliance.
function readFork() {
  const element = document.getElementById("limber-fork");
  if (!element) return null;
  const fork = JSON.parse(element.textContent);
  fork.time = new Float32Array(bytes(fork.time));
  const all = new Float32Array(bytes(fork.values));
  const n = fork.time.length;
  let next = 0;
  const place = () => ["x", "y", "z"].map(() => all.subarray(next++ * n, next * n));
  fork.effectors = fork.effectors.map((name) => ({ name, reduced: place(), whole: place() }));
  return fork;
}

// Activations of muscles over time, if there are any: [samples][muscles].
export function readMuscles() {
  const element = document.getElementById("limber-muscles");
  if (!element) return null;
  const { names, time, values } = JSON.parse(element.textContent);
  return { names, time: new Float32Array(bytes(time)), values: new Float32Array(bytes(values)) };
}

export function readModel() {
  return bytes(document.getElementById("limber-glb").textContent);
}
