const memory = new WeakMap();
const EVERY = 150;
const AGAIN = 3000;
const HOME_EVERY = 2000;

function newStage() {
  const stage = document.createElement("div");
  stage.className = "stage";
  stage.innerHTML =
    '<span class="name"></span><span class="words"></span>' +
    '<div class="track" role="progressbar" aria-valuemin="0" aria-valuemax="100"><div class="done"></div></div>';
  return stage;
}

function fillStage(stage, { name, words, share }) {
  const known = typeof share === "number";
  stage.dataset.unknown = String(!known);
  stage.querySelector(".name").textContent = name;
  stage.querySelector(".words").textContent = words;
  stage.querySelector(".done").style.width = known ? `${100 * share}%` : "";
  const track = stage.querySelector(".track");
  track.setAttribute("aria-label", name);
  track.setAttribute("aria-valuetext", words);
  if (known) track.setAttribute("aria-valuenow", String(Math.round(100 * share)));
  else track.removeAttribute("aria-valuenow");
}

function show(state, told) {
  const wanted = told.stages ?? [];
  state.line.style.display = state.bar && (told.words || wanted.length) ? "" : "none";
  state.line.querySelector(".said").textContent = told.words ?? "";
  const stages = state.line.querySelector(".stages");
  while (stages.children.length > wanted.length) stages.lastChild.remove();
  wanted.forEach((stage, k) => fillStage(stages.children[k] ?? stages.appendChild(newStage()), stage));
}

async function ask(state, address) {
  if (state.address !== address) return;
  let pause = EVERY;
  try {
    const told = await (await fetch(address, { cache: "no-store" })).json();
    if (state.address !== address || told.gone) return;
    show(state, told);
    if (told.through) {
      // Said again later in case the server did not hear it; the next drawing brings another address.
      state.tell(address);
      pause = AGAIN;
    }
  } catch {
    pause = AGAIN;
  }
  if (state.address === address) state.timer = setTimeout(() => ask(state, address), pause);
}

// A page left open over a restart of the server would lose its first click: the new server has never drawn it.
async function look(home, server) {
  try {
    const told = await (await fetch(home, { cache: "no-store" })).json();
    if (told.server && told.server !== server) location.reload();
  } catch {
    // The server is away; the next look tells.
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  let state = memory.get(parentElement);
  if (!state) {
    state = { line: parentElement.querySelector(".line"), address: "" };
    memory.set(parentElement, state);
  }
  state.tell = (address) => setTriggerValue("through", address);
  state.bar = data.bar;
  show(state, data.first);
  if (state.address !== data.address) {
    clearTimeout(state.timer);
    state.address = data.address;
    if (state.address) state.timer = setTimeout(() => ask(state, data.address), EVERY);
  }
  clearInterval(state.looking);
  if (data.home) state.looking = setInterval(() => look(data.home, data.server), HOME_EVERY);
  return () => {
    clearInterval(state.looking);
    clearTimeout(state.timer);
    state.address = "";
  };
}
