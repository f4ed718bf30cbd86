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
  return data;
}

export function readModel() {
  return bytes(document.getElementById("limber-glb").textContent);
}
