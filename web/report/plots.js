// Plots over time that share one cursor with the 3-D view: hovering moves the motion, and the motion
// moves the cursor. Above each plot stand its curves as buttons with their values now.
import uPlot from "uplot";
import { theme, onTheme } from "./theme.js";

// What belongs into one plot, in the order of the page.
const GROUPS = {
  angle: { title: "Joint angles", unit: "rad" },
  distance: { title: "Joint distances and positions", unit: "m" },
  parameter: { title: "Places on splines", unit: "" },
  bending: { title: "How far faces of elastic bodies have moved from rest", unit: "m" },
  quaternion: { title: "Orientations as quaternions", unit: "" },
  torque: { title: "Motor torques", unit: "N m" },
  force: { title: "Motor forces", unit: "N" },
  spin: { title: "Motor speeds", unit: "rad/s" },
  speed: { title: "Motor speeds along slides", unit: "m/s" },
  power: { title: "Motor power", unit: "W" },
  tension: { title: "Tension of springs, cables and ropes", unit: "N" },
  length: { title: "Lengths of springs and cables", unit: "m" },
  contact: { title: "Forces of grounds, floors and constraints", unit: "N" },
  resistance: { title: "Springs, friction and limits of joints that turn", unit: "N m" },
  push: { title: "Springs, friction and limits of joints that slide", unit: "N" },
  stress: { title: "Largest von Mises stress of elastic bodies", unit: "MPa", scale: 1e-6 },
  effort: { title: "What joints must exert", unit: "N m or N" },
  reaction: { title: "Size of the force through joints", unit: "N" },
};
const SHOWN_AT_FIRST = 6;
const MOST_FITTED = 6; // coordinates of markers that get a plot of their own
const MANY = 14;

export function createPlots(parent, data, clock) {
  const total = data.kinetic.map((k, i) => k + data.potential[i]);
  const plots = [
    {
      title: "Energy",
      unit: "J",
      series: [
        { name: "kinetic", values: data.kinetic },
        { name: "potential", values: data.potential },
        { name: "total", values: total },
      ],
    },
    {
      title: "Change of the total energy since the start",
      unit: "J",
      series: [{ name: "total − start", values: total.map((e) => e - total[0]) }],
    },
  ];
  for (const [key, group] of Object.entries(GROUPS)) {
    const series = data.series.filter((s) => s.group === key);
    if (group.scale) for (const s of series) s.values = s.values.map((x) => group.scale * x);
    if (series.length) plots.push({ ...group, series });
  }
  if (data.retarget) plots.unshift(...retargetPlots(data.retarget));
  if (data.fork) plots.unshift(...forkPlots(data.fork));
  if (data.fit) plots.unshift(...fitPlots(data.fit));
  for (const plot of plots) if (plot.unit.startsWith("rad")) plot.radians = plot.series.map((s) => s.values);
  plotAll(parent, plots.map((plot) => ({ ...plot, time: plot.time ?? data.time })), clock);
}

// All plots under one cursor, and zoomed together.
export function plotAll(parent, plots, clock) {
  const all = plots.map((plot) => new Plot(parent, plot, plot.time, clock));
  for (const plot of all) {
    plot.zoomed = (min, max) => all.forEach((other) => other !== plot && other.zoom(min, max));
  }
  const angles = all.filter((plot) => plot.radians);
  for (const plot of angles) plot.turned = (degrees) => angles.forEach((other) => other.measure(degrees));
  angles.forEach((plot) => plot.measure(true));
  onTheme(() => all.forEach((plot) => plot.build()));
}

// Measured dots on fitted lines for what moves most, and what is left between them.
function fitPlots(fit) {
  const seen = (values) => values.filter((x) => x !== null);
  const range = ({ fitted }) => Math.max(...seen(fitted)) - Math.min(...seen(fitted));
  const most = Math.max(...fit.curves.map(range));
  const moving = fit.curves.filter((curve) => range(curve) > 0.02 * most);
  const shown = [...moving].sort((a, b) => range(b) - range(a)).slice(0, MOST_FITTED);
  const left = ({ measured, fitted }) => measured.map((x, i) => (x === null ? null : x - fitted[i]));
  return [
    ...shown.map((curve) => ({
      title: `Marker ${curve.name}`,
      unit: "m",
      time: fit.time,
      series: [
        { name: "measured", values: curve.measured, dots: true },
        { name: "fitted", values: curve.fitted },
      ],
    })),
    {
      title: "Measured less fitted",
      unit: "m",
      time: fit.time,
      series: fit.curves.map((curve) => ({ name: curve.name, values: left(curve), dots: true })),
    },
  ];
}

// How far tracked points are from the target, where they are, and what the motors do.
function retargetPlots({ time, tracks, motors }) {
  const range = (values) => Math.max(...values) - Math.min(...values);
  const distance = ({ axes }, which) =>
    Array.from(time, (_, i) => 1000 * Math.hypot(...axes.map((a) => a[which][i] - a.target[i])));
  const most = Math.max(...tracks.flatMap(({ axes }) => axes.map(({ target }) => range(target))));
  const moving = tracks.flatMap(({ name, axes }) => axes.map((a) => ({ ...a, name })))
    .filter(({ before }) => range(before) > 0.1 * most)
    .sort((a, b) => range(b.before) - range(a.before))
    .slice(0, MOST_FITTED);
  const degrees = (values) => Array.from(values, (x) => (x * 180) / Math.PI);
  return [
    ...tracks.map((track) => ({
      title: `Distance of ${track.name} from its target`,
      unit: "mm",
      time,
      series: [
        { name: "before", values: distance(track, "before"), color: "--before" },
        { name: "after", values: distance(track, "after"), color: "--after" },
      ],
    })),
    ...moving.map(({ name, axis, target, before, after }) => ({
      title: `Where ${name} is, along ${axis}`,
      unit: "m",
      time,
      series: [
        { name: "before", values: before, color: "--before" },
        { name: "target", values: target, color: "--target" },
        { name: "after", values: after, color: "--after" },
      ],
    })),
    ...motors.map(({ name, before, after }) => ({
      title: `Motor ${name}`,
      unit: "degrees",
      time,
      series: [
        { name: "before", values: degrees(before), color: "--before" },
        { name: "after", values: degrees(after), color: "--after" },
      ],
    })),
  ];
}

// How far effectors have gone, reduced and whole, and how far the two are from each other.
function forkPlots({ time, effectors }) {
  const apart = (p, q) => Array.from(time, (_, i) => 1000 * Math.hypot(...p.map((c, k) => c[i] - q(k, i))));
  const gone = (p) => apart(p, (k) => p[k][0]);
  return effectors.flatMap(({ name, reduced, whole }) => [
    {
      title: `How far ${name} has gone`,
      unit: "mm",
      time,
      series: [
        { name: "whole", values: gone(whole), color: "--before" },
        { name: "reduced", values: gone(reduced), color: "--after" },
      ],
    },
    {
      title: `Distance of ${name} between reduced and whole`,
      unit: "mm",
      time,
      series: [{ name: "difference", values: apart(reduced, (k, i) => whole[k][i]), color: "--accent" }],
    },
  ]);
}

function short(value) {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size < 1e-12) return "0";
  return size >= 1e5 || size < 1e-3 ? value.toExponential(2) : String(Number(value.toPrecision(4)));
}

// Texts of an axis' ticks: the digits that distinguish neighbours, and no more.
function ticks(_, values, axis, space, step) {
  const power = (x) => Math.floor(Math.log10(x) + 1e-9);
  return values.map((value) => {
    const size = Math.abs(value);
    if (size < step / 2) return "0";
    const digits = Math.min(12, Math.max(0, power(size) - power(step)) + 1);
    const text = value.toExponential(digits);
    return size >= 1e5 || size < 1e-3 ? text.replace(/\.?0*e\+?/, "e") : String(Number(text));
  });
}

// As wide as the widest of them.
function tickRoom(_, texts) {
  const longest = Math.max(0, ...(texts ?? []).map((text) => text.length));
  return Math.max(62, 20 + 7 * longest);
}

// Air above and below the curves; a curve that does not move gets a scale of its own size.
function spread(_, min, max) {
  if (min === null) return [0, 1];
  const air = min === max ? 0.1 * Math.abs(min) || 1 : 0.06 * (max - min);
  return [min - air, max + air];
}

class Plot {
  constructor(parent, { title, unit, series, radians }, time, clock) {
    this.series = series;
    this.radians = radians; // values of angles, which can be shown in degrees
    this.title = title;
    this.time = time;
    this.clock = clock;
    this.unit = unit;
    this.zoomed = () => {};
    series.forEach((s, i) => (s.shown = i < SHOWN_AT_FIRST && !s.hidden));

    this.card = document.createElement("section");
    this.card.className = "card plot";
    this.card.innerHTML = `<h3></h3><div class="chips"></div><div class="chart"></div>`;
    this.head = this.card.querySelector("h3");
    this.head.textContent = title + (unit ? ` [${unit}]` : "");
    this.chart = this.card.querySelector(".chart");
    parent.append(this.card);
    this.makeChips(this.card.querySelector(".chips"));
    this.build();
    new ResizeObserver(() => this.resize()).observe(this.chart);
    clock.subscribe(() => this.follow());
    this.listen();
  }

  // Angles in degrees or radians; a click on the unit changes all of them.
  measure(degrees) {
    const per = this.unit.replace("rad", "");
    this.head.textContent = `${this.title} [`;
    const unit = document.createElement("button");
    unit.type = "button";
    unit.className = "unit";
    unit.title = degrees ? "show radians" : "show degrees";
    unit.textContent = (degrees ? "°" : "rad") + per;
    unit.addEventListener("click", () => this.turned(!degrees));
    this.head.append(unit, "]");
    this.series.forEach((s, i) => {
      s.values = degrees ? this.radians[i].map((x) => (x * 180) / Math.PI) : this.radians[i];
    });
    this.build();
  }

  // The buttons; a long list can be searched.
  makeChips(box) {
    if (this.series.length > MANY) {
      const search = document.createElement("input");
      search.type = "search";
      search.placeholder = `Find among ${this.series.length}`;
      search.setAttribute("aria-label", "Find a curve");
      search.addEventListener("input", () => {
        const text = search.value.toLowerCase();
        for (const s of this.series) s.chip.hidden = !s.name.toLowerCase().includes(text);
      });
      box.before(search);
      box.classList.add("many");
    }
    this.series.forEach((s, i) => {
      s.chip = document.createElement("button");
      s.chip.type = "button";
      s.chip.className = "chip";
      s.chip.innerHTML = "<i></i><span></span><b></b>";
      s.chip.querySelector("span").textContent = s.name;
      s.value = s.chip.querySelector("b");
      s.chip.addEventListener("click", () => {
        s.shown = !s.shown;
        this.plot.setSeries(i + 1, { show: s.shown });
        this.paintChips();
        this.follow();
      });
      box.append(s.chip);
    });
  }

  paintChips() {
    this.series.forEach((s, i) => {
      s.chip.setAttribute("aria-pressed", s.shown);
      s.chip.style.setProperty("--color", this.color(i));
      if (!s.shown) s.value.textContent = "";
    });
  }

  // Its own, if a curve has one that means something.
  color(i) {
    return this.series[i].color ? this.look.get(this.series[i].color) : this.look.colors[i % this.look.colors.length];
  }

  build() {
    const look = theme();
    this.look = look;
    const axis = {
      stroke: look.muted,
      grid: { stroke: look.line, width: 1 },
      ticks: { stroke: look.line, width: 1, size: 4 },
      font: look.font,
    };
    const options = {
      width: Math.max(200, this.chart.clientWidth),
      height: 210,
      scales: { x: { time: false }, y: { range: spread } },
      legend: { show: false },
      cursor: { y: false, points: { size: 7 }, drag: { x: true, y: false, setScale: true } },
      axes: [
        { ...axis, size: 32, values: (_, ticks) => ticks.map((t) => `${t} s`) },
        { ...axis, size: tickRoom, values: ticks },
      ],
      series: [
        {},
        ...this.series.map((s, i) => ({
          show: s.shown,
          stroke: this.color(i),
          width: s.dots ? 0 : 1.75,
          points: s.dots ? { show: true, size: 4, fill: this.color(i), width: 0 } : { show: false },
        })),
      ],
      hooks: {
        draw: [() => this.follow()],
        setScale: [
          (plot, key) => {
            if (key === "x" && !this.quiet) this.zoomed(plot.scales.x.min, plot.scales.x.max);
          },
        ],
      },
    };
    this.quiet = true;
    this.plot?.destroy();
    this.plot = new uPlot(options, [this.time, ...this.series.map((s) => s.values)], this.chart);
    // The first scales are set a moment later.
    setTimeout(() => (this.quiet = false));
    this.paintChips();
    this.touch();
  }

  zoom(min, max) {
    this.quiet = true;
    this.plot.setScale("x", { min, max });
    setTimeout(() => (this.quiet = false));
  }

  resize() {
    const width = this.chart.clientWidth;
    if (width > 0 && width !== this.plot.width) {
      this.plot.setSize({ width, height: 210 });
      this.follow();
    }
  }

  // Put the cursor and the values where the clock is.
  follow() {
    const plot = this.plot;
    if (!plot) return;
    plot.setCursor({ left: plot.valToPos(this.clock.time, "x"), top: 10 }, false);
    const i = plot.valToIdx(this.clock.time);
    for (const s of this.series) {
      if (s.shown) s.value.textContent = short(s.values[i]);
    }
  }

  // Hovering takes the clock over and gives it back.
  listen() {
    let resume = false;
    this.chart.addEventListener("mousemove", (event) => {
      if (!event.target.closest(".u-over") || event.buttons) return;
      resume ||= this.clock.playing;
      this.clock.hold(this.plot.posToVal(event.offsetX, "x"));
    });
    this.chart.addEventListener("mouseleave", () => {
      if (resume) this.clock.play();
      resume = false;
    });
  }

  touch() {
    const over = this.plot.over;
    const at = (event) => {
      const left = event.touches[0].clientX - over.getBoundingClientRect().left;
      this.clock.hold(this.plot.posToVal(left, "x"));
    };
    over.addEventListener("touchstart", at, { passive: true });
    over.addEventListener("touchmove", at, { passive: true });
  }
}
