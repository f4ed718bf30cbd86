// Two runs on one page: their tables are read here, and what differs most is plotted.
import { Clock } from "./clock.js";
import { createPlayer } from "./player.js";
import { plotAll } from "./plots.js";
import { createPair } from "./pair.js";

const MOST_PLOTS = 16;
const MOST_ROWS = 30;
const HIDDEN = /\.(q[wxyz]|e\d+)$/; // columns that mean nothing to people
// figures of how a run was made, and of how exact it is
const WORK = /wall|per_second|real_time|newton|momentum|time$|residual|unsolved|recorded|steps$|drift|violation|compliant_gap/;

function bytes(id) {
  const element = document.getElementById(id);
  if (!element) return null;
  return Uint8Array.from(atob(element.textContent.trim()), (c) => c.charCodeAt(0));
}

const text = (id) => {
  const found = bytes(id);
  return found && new TextDecoder().decode(found);
};

// Headings may be in quotes; numbers never are.
function cells(line) {
  const out = [];
  for (const [, quoted, plain] of line.matchAll(/(?:"((?:[^"]|"")*)"|([^,]*))(?:,|$)/g)) {
    out.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
  }
  return out;
}

function table(id) {
  const content = text(id);
  if (!content) return { time: [], columns: new Map() };
  const lines = content.split("\n").filter((line) => line);
  const names = cells(lines[0]);
  const rows = lines.slice(1).map((line) => line.split(",").map((x) => (x === "" ? NaN : Number(x))));
  const columns = new Map(names.slice(1).map((name, i) => [name, Float64Array.from(rows, (row) => row[i + 1])]));
  return { time: Float64Array.from(rows, (row) => row[0]), columns };
}

// Values of one run at the times of the other.
function resample(time, from, values) {
  let i = 0;
  return time.map((t) => {
    while (i + 2 < from.length && from[i + 1] < t) i++;
    if (!(t >= from[0] && t <= from[from.length - 1] + 1e-9)) return NaN;
    const part = from.length > 1 ? (t - from[i]) / (from[i + 1] - from[i]) : 0;
    return values[i] + part * ((values[i + 1] ?? values[i]) - values[i]);
  });
}

// Columns that both have, those that differ most beside their own size first.
function differences(a, b) {
  const found = [];
  for (const [name, values] of a.columns) {
    if (HIDDEN.test(name) || !b.columns.has(name)) continue;
    const other = resample(a.time, b.time, b.columns.get(name));
    const apart = other.map((x, i) => x - values[i]);
    let most = 0, at = 0, sum = 0, count = 0, size = 0;
    apart.forEach((d, i) => {
      size = Math.max(size, Math.abs(values[i]) || 0, Math.abs(other[i]) || 0);
      if (!Number.isFinite(d)) return;
      sum += d * d;
      count++;
      if (Math.abs(d) > Math.abs(most)) [most, at] = [d, a.time[i]];
    });
    found.push({ name, time: a.time, values, other, apart, most, at, size, rms: Math.sqrt(sum / Math.max(1, count)) });
  }
  return found.sort((x, y) => y.rms / (y.size || 1) - x.rms / (x.size || 1));
}

// Numbers of a summary by their path, with names in place of places in lists.
function figures(value, path = "", out = new Map()) {
  if (typeof value === "number") out.set(path, value);
  else if (value && typeof value === "object") {
    for (const [key, item] of Object.entries(value)) {
      const name = Array.isArray(value) && item && (item.motor ?? item.name) ? [item.motor ?? item.name, item.what].filter(Boolean).join(" ") : key;
      figures(item, path ? `${path} ${name}` : name, out);
    }
  }
  return out;
}

// Bodies by their columns, NAME.x to NAME.qw.
const bodies = (run) => new Set([...run.columns.keys()].filter((name) => name.endsWith(".qw")).map((name) => name.slice(0, -3)));

function sayAlone(parent, letter, mine, others) {
  const alone = [...mine].filter((name) => !others.has(name));
  if (!alone.length) return;
  const p = document.createElement("p");
  p.className = "note";
  p.textContent = `Only ${letter} has ${alone.slice(0, MOST_ROWS).join(", ")}${alone.length > MOST_ROWS ? ", …" : ""}.`;
  parent.append(p);
}

const short = (x) => (Number.isFinite(x) ? String(Number(x.toPrecision(4))) : "–");

function addTable(parent, title, head, rows) {
  if (!rows.length) return;
  const box = document.createElement("section");
  box.className = "card wide";
  const h = document.createElement("h2");
  h.textContent = title;
  const table = document.createElement("table");
  table.className = "found";
  for (const [i, row] of [head, ...rows].entries()) {
    const tr = table.insertRow();
    row.forEach((cell, k) => {
      const td = document.createElement(i === 0 || k === 0 ? "th" : "td");
      td.textContent = cell;
      tr.append(td);
    });
  }
  box.append(table);
  parent.append(h, box);
}

export async function compare(stage, webgl) {
  const [a, b] = ["a", "b"].map((run) => [table(`run-${run}-trajectory.csv`), table(`run-${run}-forces.csv`)]);
  const clock = new Clock(a[0].time[0] ?? 0, Math.max(a[0].time.at(-1) ?? 0, b[0].time.at(-1) ?? 0));
  const forces = differences(a[1], b[1]);
  const known = new Set(forces.map(({ name }) => name));
  const found = [...forces, ...differences(a[0], b[0]).filter(({ name }) => !known.has(name))];
  const parent = document.getElementById("compared");
  const [mine, others] = [bodies(a[0]), bodies(b[0])];
  sayAlone(parent, "A", mine, others);
  sayAlone(parent, "B", others, mine);
  const [one, two] = ["a", "b"].map((run) => figures(JSON.parse(text(`run-${run}-summary.json`))));
  const shared = [...one].filter(([key, x]) => two.has(key) && !WORK.test(key) && Math.abs(x - two.get(key)) > 1e-9 * Math.max(Math.abs(x), Math.abs(two.get(key))));
  addTable(parent, "Figures that differ", ["", "A", "B", "B / A"],
    shared.slice(0, MOST_ROWS).map(([key, x]) => [key.replaceAll("_", " "), short(x), short(two.get(key)), short(two.get(key) / x)]));
  addTable(parent, "How far apart they are", ["", "largest B − A", "at", "rms"],
    found.filter(({ most }) => most !== 0).slice(0, MOST_ROWS).map(({ name, most, at, rms }) => [name, short(most), `${short(at)} s`, short(rms)]));
  plotAll(document.getElementById("plots"), found.filter(({ most }) => most !== 0).slice(0, MOST_PLOTS).map((column) => ({
    title: column.name,
    unit: "",
    time: column.time,
    series: [
      { name: "A", values: column.values, color: "--before" },
      { name: "B", values: column.other, color: "--after" },
      { name: "B − A", values: column.apart, color: "--target", hidden: true },
    ],
  })), clock);
  const models = ["a", "b"].map((run) => bytes(`run-${run}-scene.glb`)?.buffer);
  if (!stage || !webgl || !models[0] || !models[1]) return "pictures";
  const view = await createPair(stage.querySelector(".canvas"), models, clock);
  stage.hidden = false;
  view.resize();
  if (clock.length > 0) createPlayer(document.getElementById("player"), clock);
  return "ready";
}
