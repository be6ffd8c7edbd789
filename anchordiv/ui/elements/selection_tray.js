const memory = new WeakMap();
const CROSS =
  '<svg viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="2.4" stroke-linecap="round" aria-hidden="true">' +
  '<path d="M4.5 4.5l7 7M11.5 4.5l-7 7"/></svg>';
const number = (count) => count.toLocaleString("en-US");

function node(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

function button(text, className, action, colour) {
  const made = node("button", className);
  made.type = "button";
  if (colour) {
    const dot = node("span", "dot");
    dot.style.background = colour;
    made.append(dot);
  }
  made.append(text);
  made.onclick = action;
  return made;
}

function newThumb(state, id) {
  const thumb = node("li", "thumb");
  thumb.dataset.id = id;
  const drop = button("", "drop", () => state.send({ kind: "drop", id }));
  drop.innerHTML = CROSS;
  thumb.append(node("img"), drop);
  return thumb;
}

function fillThumb(thumb, item) {
  const image = thumb.querySelector("img");
  if (image.getAttribute("src") !== item.url) image.src = item.url;
  image.alt = image.title = item.name;
  const drop = thumb.querySelector(".drop");
  drop.title = "Deselect";
  drop.setAttribute("aria-label", `Deselect ${item.name}`);
}

function fillStrip(state, data) {
  const known = new Map([...state.strip.children].map((thumb) => [thumb.dataset.id, thumb]));
  const held = [...state.strip.children].indexOf(state.root.activeElement?.closest(".thumb"));
  const thumbs = data.items.map((item) => {
    const thumb = known.get(item.id) ?? newThumb(state, item.id);
    fillThumb(thumb, item);
    return thumb;
  });
  const more = data.count - thumbs.length;
  const scrolled = state.strip.scrollLeft;
  state.strip.replaceChildren(...thumbs, ...(more > 0 ? [node("li", "more", `+${number(more)}`)] : []));
  state.strip.scrollLeft = scrolled;
  // Whoever deselects by keyboard stays in the strip, on the picture that moved up.
  if (held >= 0) thumbs[Math.min(held, thumbs.length - 1)]?.querySelector(".drop").focus();
}

function adder(state, groups) {
  const add = (group) => state.send({ kind: "add_to", group });
  const few = groups.length > 3 ? [] : groups.map((group) => {
    const made = button(`Add to ${group.name}`, "group", () => add(group.id), group.colour);
    made.title = `Add the selected pictures to ${group.name}`;
    return made;
  });
  if (!groups.length) return few;
  // Beside a few buttons the list is for narrow windows only; the style sheet decides.
  const choice = node("select", few.length ? "narrow" : "");
  choice.setAttribute("aria-label", "Add the selected pictures to a group");
  choice.append(new Option("Add to…", ""));
  for (const group of groups) choice.append(new Option(group.name, group.id));
  choice.onchange = () => {
    if (choice.value) add(choice.value);
    choice.value = "";
  };
  // On a closed list an arrow would choose at once.
  choice.onkeydown = (event) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    choice.showPicker?.();
  };
  return [...few, choice];
}

function fillActions(state, data) {
  // Built anew only when they change, so that a drawing leaves the focus where it is.
  const wanted = JSON.stringify([data.groups, data.count === 1]);
  if (state.built === wanted) return;
  state.built = wanted;
  const action = (text, className, kind, hint) => {
    const made = button(text, className, () => state.send({ kind }));
    made.title = hint;
    return made;
  };
  state.actions.replaceChildren(
    action("New group", "main", "new_group", "Make a group of the selected pictures"),
    ...adder(state, data.groups),
    action(data.count === 1 ? "Similar to this" : "Similar to these", "", "ask", "Make the selection the query"),
    action("Exclude", "", "exclude", "Leave the selected pictures out"),
    action("Clear", "quiet", "clear", "Deselect all (Escape)"),
  );
}

export default function ({ data, parentElement, setTriggerValue }) {
  let state = memory.get(parentElement);
  if (!state) {
    const tray = parentElement.querySelector(".tray");
    state = {
      tray,
      root: tray.getRootNode(),
      said: tray.querySelector("b"),
      strip: tray.querySelector(".strip"),
      actions: tray.querySelector(".actions"),
    };
    tray.addEventListener("keydown", (event) => {
      if (event.key === "Escape") state.send({ kind: "clear" });
    });
    memory.set(parentElement, state);
  }
  state.send = (event) => setTriggerValue("event", event);
  state.tray.style.display = data.count ? "" : "none";
  state.said.textContent = data.count ? `${number(data.count)} of ${number(data.total)} selected` : "";
  fillStrip(state, data);
  fillActions(state, data);
}
