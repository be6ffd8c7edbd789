const memory = new WeakMap();
const EVERY = 350;
const AGAIN = 3000;

function show(state, told) {
  state.line.style.display = state.bar && told.words ? "" : "none";
  state.line.querySelector(".said").textContent = told.words ?? "";
  state.line.querySelector(".done").style.width = `${100 * (told.share ?? 0)}%`;
  state.line.querySelector(".track").setAttribute("aria-valuenow", String(Math.round(100 * (told.share ?? 0))));
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
  return () => {
    clearTimeout(state.timer);
    state.address = "";
  };
}
