const memory = new WeakMap();
const TICK =
  '<svg viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="2.4" aria-hidden="true">' +
  '<path d="M3 8.5l3.4 3.4L13 4.8" stroke-linecap="round" stroke-linejoin="round"/></svg>';
const calm = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

function node(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

function newTile(state, id) {
  const tile = node("li", "tile");
  tile.dataset.id = id;
  const ask = node("button", "ask");
  ask.type = "button";
  const picture = node("div", "picture");
  const image = node("img");
  image.decoding = "async";
  image.onload = () => image.classList.add("there");
  const rank = node("span", "rank");
  picture.append(image, rank);
  const line = node("div", "line");
  line.append(node("span", "name"), node("span", "move"));
  ask.append(picture, line, node("div", "bar"), node("div", "top"));
  const pick = node("button", "pick");
  pick.type = "button";
  pick.innerHTML = TICK;
  ask.onclick = (event) => {
    if (state.mayChoose && (event.shiftKey || event.ctrlKey || event.metaKey)) toggle(state, id);
    else state.send({ kind: "ask", id });
  };
  pick.onclick = () => toggle(state, id);
  tile.append(ask, pick);
  return tile;
}

function toggle(state, id) {
  state.chosen.has(id) ? state.chosen.delete(id) : state.chosen.add(id);
  paintSelection(state);
  state.send({ kind: "select", ids: [...state.chosen] });
}

function fillTile(tile, item, groups, place) {
  const ask = tile.querySelector(".ask");
  const image = tile.querySelector("img");
  if (image.getAttribute("src") !== item.url) {
    // What is in sight at once is fetched at once; the rest waits until it is near.
    image.loading = place < 16 ? "eager" : "lazy";
    image.classList.remove("there");
    image.src = item.url;
  }
  if (image.complete && image.naturalWidth) image.classList.add("there");
  image.alt = item.alt;
  ask.title = item.hint;
  ask.setAttribute("aria-label", item.spoken);
  tile.querySelector(".rank").textContent = item.rank ?? "";
  tile.querySelector(".rank").hidden = item.rank === null;
  tile.querySelector(".rank").style.display = item.rank === null ? "none" : "";
  tile.querySelector(".name").textContent = item.name;
  tile.querySelector(".line").style.display = item.name || item.move ? "" : "none";
  const move = tile.querySelector(".move");
  move.textContent = item.move ?? "";
  move.dataset.way = item.way ?? "";
  move.title = item.moveHint ?? "";
  const bar = tile.querySelector(".bar");
  const top = tile.querySelector(".top");
  const shares = item.shares ?? [];
  bar.style.display = top.style.display = shares.length ? "" : "none";
  while (bar.children.length > shares.length) bar.lastChild.remove();
  shares.forEach((share, k) => {
    const piece = bar.children[k] ?? bar.appendChild(node("span"));
    piece.style.background = groups[k]?.colour ?? "gray";
    piece.style.flex = `0 0 ${(100 * share).toFixed(2)}%`;
    piece.title = `${groups[k]?.name}: ${Math.round(100 * share)} %`;
  });
  top.textContent = item.top ?? "";
  tile.dataset.query = String(Boolean(item.query));
}

function paintSelection(state) {
  for (const tile of state.list.children) {
    const on = state.chosen.has(tile.dataset.id);
    tile.dataset.selected = String(on);
    const pick = tile.querySelector(".pick");
    pick.setAttribute("aria-pressed", String(on));
    const name = tile.querySelector(".name").textContent || "this picture";
    pick.setAttribute("aria-label", (on ? "Deselect " : "Select ") + name);
    pick.style.display = state.mayChoose ? "" : "none";
    pick.title = on ? "Deselect" : "Select (or Shift+click the picture)";
  }
  state.list.classList.toggle("choosing", state.chosen.size > 0);
  paintShelf(state);
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

function paintShelf(state) {
  const count = state.chosen.size;
  state.shelf.hidden = count === 0;
  if (!count) return;
  const ids = () => [...state.chosen];
  const children = [node("b", "", `${count} selected`)];
  const done = (event) => {
    state.send(event);
    state.chosen.clear();
    paintSelection(state);
  };
  const add = (id) => done({ kind: "add_to", group: id, ids: ids() });
  if (state.groups.length <= 3) {
    for (const group of state.groups)
      children.push(button(`Add to ${group.name}`, "", () => add(group.id), group.colour));
  } else {
    const choice = node("select");
    choice.setAttribute("aria-label", "Add the selected pictures to a group");
    choice.append(new Option("Add to group…", ""));
    for (const group of state.groups) choice.append(new Option(group.name, group.id));
    choice.onchange = () => choice.value && add(choice.value);
    children.push(choice);
  }
  children.push(button("New group from these", "main", () => done({ kind: "new_group", ids: ids() })));
  children.push(button("Clear", "quiet", () => done({ kind: "select", ids: [] })));
  state.shelf.replaceChildren(...children);
}

function glide(list, before) {
  if (calm()) return;
  for (const tile of list.children) {
    const old = before.get(tile.dataset.id);
    const now = tile.getBoundingClientRect();
    if (!old) {
      tile.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 220, easing: "ease-out" });
    } else if (old.left !== now.left || old.top !== now.top) {
      const shift = `translate(${old.left - now.left}px, ${old.top - now.top}px)`;
      tile.animate([{ transform: shift }, { transform: "none" }], { duration: 320, easing: "cubic-bezier(.2,.7,.2,1)" });
    }
  }
}

function walk(state, event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const here = event.target.closest?.(".tile");
  if (!step || !here) return;
  const next = step > 0 ? here.nextElementSibling : here.previousElementSibling;
  if (next) {
    next.querySelector(".ask").focus();
    event.preventDefault();
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  let state = memory.get(parentElement);
  if (!state) {
    const frame = parentElement.querySelector(".frame");
    state = { list: frame.querySelector(".grid"), shelf: frame.querySelector(".shelf"), chosen: new Set() };
    state.list.addEventListener("keydown", (event) => walk(state, event));
    memory.set(parentElement, state);
  }
  state.send = (event) => setTriggerValue("event", event);
  state.groups = data.groups;
  state.chosen = new Set(data.chosen);
  state.mayChoose = data.mayChoose !== false;
  state.list.classList.toggle("tight", Boolean(data.tight));
  state.list.style.gridTemplateColumns = data.columns ? `repeat(${data.columns}, 1fr)` : "";
  state.list.setAttribute("aria-label", data.label);
  state.list.style.setProperty("--tile", `${data.tile}px`);

  const before = new Map();
  const known = new Map();
  for (const tile of state.list.children) {
    before.set(tile.dataset.id, tile.getBoundingClientRect());
    known.set(tile.dataset.id, tile);
  }
  const tiles = data.items.map((item, place) => {
    const tile = known.get(item.id) ?? newTile(state, item.id);
    fillTile(tile, item, data.shareGroups, place);
    return tile;
  });
  const focused = state.list.getRootNode().activeElement;
  state.list.replaceChildren(...tiles);
  if (focused && state.list.contains(focused)) focused.focus({ preventScroll: true });
  paintSelection(state);
  if (before.size) glide(state.list, before);
}
