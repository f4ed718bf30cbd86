// The bar under the 3-D view: play, scrub, speed.

const PLAY = '<svg viewBox="0 0 24 24"><path d="M7 4.5v15l13-7.5z"/></svg>';
const PAUSE = '<svg viewBox="0 0 24 24"><path d="M6 5h4v14H6zM14 5h4v14h-4z"/></svg>';
const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 5];

export function createPlayer(bar, clock) {
  bar.innerHTML = `
    <button type="button" class="play"></button>
    <input type="range" class="scrub" min="0" max="1" step="any" value="0" aria-label="Time">
    <output class="now"></output>
    <select aria-label="Speed"></select>`;
  const play = bar.querySelector(".play");
  const scrub = bar.querySelector(".scrub");
  const now = bar.querySelector(".now");
  const speed = bar.querySelector("select");
  for (const s of SPEEDS) speed.add(new Option(`${s}×`, s, false, s === clock.speed));

  play.addEventListener("click", () => clock.toggle());
  scrub.addEventListener("input", () => clock.hold(clock.first + scrub.value * clock.length));
  speed.addEventListener("change", () => (clock.speed = Number(speed.value)));

  // Space plays and the arrows step, unless a control has the keys.
  document.addEventListener("keydown", (event) => {
    if (event.target.closest("input:not(.scrub), select, button, .shot") || event.ctrlKey || event.metaKey) return;
    const step = { ArrowLeft: -0.01, ArrowRight: 0.01 }[event.key];
    if (event.key === " ") clock.toggle();
    else if (step && event.target !== scrub) clock.hold(clock.time + step * clock.length);
    else return;
    event.preventDefault();
  });

  const digits = clock.length < 1 ? 3 : 2;
  let shown = null;
  clock.subscribe(() => {
    if (shown !== clock.playing) {
      shown = clock.playing;
      play.innerHTML = shown ? PAUSE : PLAY;
      play.setAttribute("aria-label", shown ? "Pause" : "Play");
    }
    const fraction = (clock.time - clock.first) / clock.length;
    scrub.value = fraction;
    scrub.style.setProperty("--done", `${100 * fraction}%`);
    now.textContent = `${clock.time.toFixed(digits)} s`;
  });
}
