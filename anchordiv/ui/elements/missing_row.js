const memory = new WeakMap();

function node(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

function place(state, item) {
  const ask = node("button", "ask");
  ask.type = "button";
  ask.title = item.hint;
  ask.setAttribute("aria-label", item.spoken);
  ask.onclick = () => state.send({ kind: "ask", id: item.id });
  const image = node("img");
  image.src = item.url;
  image.alt = "";
  ask.append(image, node("span", "words", item.words));
  const made = node("li");
  made.append(ask);
  return made;
}

export default function ({ data, parentElement, setTriggerValue }) {
  let state = memory.get(parentElement);
  if (!state) {
    state = { missing: parentElement.querySelector(".missing") };
    memory.set(parentElement, state);
  }
  state.send = (event) => setTriggerValue("event", event);
  // The same again is left as it is, with its focus.
  const wanted = JSON.stringify(data);
  if (state.drawn === wanted) return;
  state.drawn = wanted;
  state.missing.style.display = data.items.length ? "" : "none";
  state.missing.querySelector(".label").textContent = data.label;
  const row = state.missing.querySelector(".row");
  row.setAttribute("aria-label", data.label);
  row.replaceChildren(...data.items.map((item) => place(state, item)));
  row.scrollLeft = 0;
}
