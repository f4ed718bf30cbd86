// The report's page comes to life: reads the data embedded in it, then sets up the 3-D view, the
// plots and the clock they share. Without this script the page still shows its pictures and tables.
import { Clock } from "./clock.js";
import { readData, readModel } from "./data.js";
import { createPlots } from "./plots.js";
import { createPlayer } from "./player.js";
import { createView } from "./view.js";

const page = document.documentElement;

async function start() {
  const data = readData();
  const clock = new Clock(data.time[0] ?? 0, data.time[data.time.length - 1] ?? 0);
  const pictures = document.querySelectorAll(".shot[data-time]");

  let state = "ready";
  const stage = document.getElementById("stage");
  try {
    const view = await createView(stage.querySelector(".canvas"), readModel(), data, clock);
    stage.hidden = false;
    view.resize();
  } catch (error) {
    // Most likely there is no WebGL; the pictures stay.
    state = "pictures";
    stage.remove();
    document.getElementById("no-view").hidden = false;
    console.info(`No 3-D view: ${error.message}`);
  }

  if (clock.length > 0) {
    createPlayer(document.getElementById("player"), clock);
    createPlots(document.getElementById("plots"), data, clock);
    for (const picture of pictures) {
      const jump = () => clock.hold(Number(picture.dataset.time));
      picture.tabIndex = 0;
      picture.classList.add("jump");
      picture.addEventListener("click", jump);
      picture.addEventListener("keydown", (event) => event.key === "Enter" && jump());
    }
  } else {
    document.getElementById("player").remove();
  }
  if (state === "ready" && clock.length > 0 && !matchMedia("(prefers-reduced-motion)").matches) {
    clock.play();
  }
  page.dataset.limber = state;
}

start();
