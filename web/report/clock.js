// The time everything on the page shows. Whoever shows it subscribes; whoever changes it calls.
export class Clock {
  constructor(first, last) {
    this.first = first;
    this.length = Math.max(0, last - first);
    this.time = first;
    this.playing = false;
    // Short motions start in slow motion, so that they can be seen.
    this.speed = [1, 0.5, 0.25, 0.1].find((speed) => this.length / speed >= 2.5) ?? 0.1;
    this.listeners = [];
  }

  subscribe(listener) {
    this.listeners.push(listener);
    listener(this);
  }

  notify() {
    for (const listener of this.listeners) listener(this);
  }

  set(time) {
    this.time = Math.min(this.first + this.length, Math.max(this.first, time));
    this.notify();
  }

  // Stop at a time.
  hold(time) {
    this.playing = false;
    this.set(time);
  }

  play() {
    if (this.playing || this.length === 0) return;
    this.playing = true;
    if (this.time >= this.first + this.length) this.time = this.first;
    let before = null;
    const tick = (now) => {
      if (!this.playing) return;
      // A page that slept in the background goes on where it was.
      const passed = Math.min(0.1, (now - (before ?? now)) / 1000) * this.speed;
      before = now;
      this.time = this.first + ((this.time - this.first + passed) % this.length);
      this.notify();
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
    this.notify();
  }

  pause() {
    this.playing = false;
    this.notify();
  }

  toggle() {
    this.playing ? this.pause() : this.play();
  }
}
