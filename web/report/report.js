// The report's page comes to life: reads the data embedded in it, then sets up the 3-D view, the
// plots and the clock they share. Without this script the page still shows its pictures and tables.
import { Clock } from "./clock.js";
import { compare } from "./compare.js";
import { readData, readModel } from "./data.js";
import { createPlots } from "./plots.js";
import { createPlayer } from "./player.js";
import { createView } from "./view.js";

const page = document.documentElement;

async function start() {
  if (document.getElementById("compared")) {
    const webgl = document.createElement("canvas").getContext("webgl2");
    page.dataset.limber = await compare(document.getElementById("stage"), webgl);
    return;
  }
  const data = readData();
  const clock = new Clock(data.time[0] ?? 0, data.time[data.time.length - 1] ?? 0);
  const pictures = document.querySelectorAll(".shot[data-time]");

  const stage = document.getElementById("stage");
  const webgl = document.createElement("canvas").getContext("webgl2");
  const state = stage && webgl ? "ready" : "pictures"; // worlds too large for a page have no stage
  if (state === "ready") {
    const view = await createView(stage.querySelector(".canvas"), readModel(), data, clock);
    stage.hidden = false;
    view.resize();
    if (clock.length > 0) createPlayer(document.getElementById("player"), clock);
    else document.getElementById("player").remove();
  } else if (stage) {
    document.getElementById("no-view").hidden = false;
  }

  if (clock.length > 0) {
    createPlots(document.getElementById("plots"), data, clock);
    for (const picture of pictures) {
      const jump = () => clock.hold(Number(picture.dataset.time));
      picture.tabIndex = 0;
      picture.classList.add("jump");
      picture.addEventListener("click", jump);
      picture.addEventListener("keydown", (event) => event.key === "Enter" && jump());
    }
  }
  if (state === "ready" && clock.length > 0 && !matchMedia("(prefers-reduced-motion: reduce)").matches) {
    clock.play();
  }
  page.dataset.limber = state;
}

start();
