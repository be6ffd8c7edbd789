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
  picture.append(image);
  const line = node("div", "line");
  line.append(node("span", "name"), node("span", "note"), node("span", "move"));
  ask.append(picture, rank, node("span", "badge"), line, node("div", "bar"), node("div", "top"));
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
  const badge = tile.querySelector(".badge");
  badge.textContent = item.badge ?? "";
  badge.title = item.moveHint ?? "";
  tile.querySelector(".note").textContent = item.note ?? "";
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
  const step = { ArrowRight: 1, ArrowLeft: -1, ...(state.rows && { ArrowDown: 1, ArrowUp: -1 }) }[event.key];
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
    state = { list: frame.querySelector(".grid"), chosen: new Set() };
    state.list.addEventListener("keydown", (event) => walk(state, event));
    memory.set(parentElement, state);
  }
  state.send = (event) => setTriggerValue("event", event);
  state.chosen = new Set(data.chosen);
  state.mayChoose = data.mayChoose !== false;
  state.rows = Boolean(data.list);
  state.list.classList.toggle("rows", state.rows);
  state.list.classList.toggle("tight", Boolean(data.tight));
  state.list.style.gridTemplateColumns = data.columns && !state.rows ? `repeat(${data.columns}, 1fr)` : "";
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
  const turned = state.turn !== undefined && state.turn !== data.turn;
  state.turn = data.turn;
  // A turned page begins at its top, not where the button of the last one was.
  if (turned) state.list.parentElement.scrollIntoView({ block: "start" });
  else if (before.size) glide(state.list, before);
}
