const memory = new WeakMap();
const opened = new Map();
const FOLD =
  '<svg viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="2" aria-hidden="true">' +
  '<path d="M6 3.5L10.5 8 6 12.5" stroke-linecap="round" stroke-linejoin="round"/></svg>';

function node(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

function button(className, label, text, action) {
  const made = node("button", className, text);
  made.type = "button";
  made.title = label;
  made.setAttribute("aria-label", label);
  made.onclick = action;
  return made;
}

function chip(state, group, anchor) {
  const made = node("span", "chip");
  const words = node("span", "", anchor.text);
  words.title = anchor.text;
  made.append(words, button("", `Remove “${anchor.text}” from ${group.name}`, "×", () =>
    state.send({ kind: "remove_text", group: group.id, text: anchor.text })));
  return made;
}

function thumb(state, group, picture) {
  const made = node("span", "thumb");
  const image = node("img");
  image.src = picture.url;
  image.alt = picture.name;
  image.title = picture.name;
  made.append(image, button("", `Remove ${picture.name} from ${group.name}`, "×", () =>
    state.send({ kind: "remove_picture", group: group.id, id: picture.id })));
  return made;
}

const times = (weight) => `×${Number(weight.toFixed(2))}`;

function showWeight(card, weight) {
  const range = card.querySelector(".weight");
  range.setAttribute("aria-valuetext", times(weight));
  card.querySelector(".times").textContent = times(weight);
}

function weigher(state, card, id) {
  const range = card.querySelector(".weight");
  // The slider is in powers of two, so that twice and half are equally far from 1.
  const weight = () => Number((2 ** Number(range.value)).toFixed(4));
  const send = () => state.send({ kind: "weigh", group: id, weight: weight() });
  range.oninput = () => showWeight(card, weight());
  range.onchange = send;
  card.querySelector(".weigh").ondblclick = () => {
    range.value = 0;
    showWeight(card, 1);
    send();
  };
}

function newCard(state, id) {
  const card = node("section", "card");
  card.dataset.id = id;
  card.innerHTML =
    '<div class="head"><input class="dot" type="color"><input class="name" type="text" maxlength="60">' +
    '<span class="peek"></span></div>' +
    '<div class="body"><div class="thumbs"></div><div class="chips"><input class="words" type="text" maxlength="400"></div>' +
    '<div class="cuts"></div><div class="weigh"><span>weight</span>' +
    '<input class="weight" type="range" min="-3" max="3" step="0.5"><span class="times"></span></div></div>';
  const head = card.querySelector(".head");
  const dot = card.querySelector(".dot");
  dot.oninput = () => card.style.setProperty("--tint", dot.value);
  dot.onchange = () => state.send({ kind: "recolour", group: id, colour: dot.value.toUpperCase() });
  const use = button("use", "", "", () => {
    const on = card.dataset.on !== "true";
    showUse(card, on);
    state.send({ kind: "switch", group: id, on });
  });
  use.setAttribute("role", "switch");
  weigher(state, card, id);
  const fold = button("icon fold", "Show the anchors", "", () => {
    const open = card.dataset.open !== "true";
    opened.set(id, open);
    card.dataset.open = String(open);
    fold.setAttribute("aria-expanded", String(open));
  });
  fold.innerHTML = FOLD;
  head.append(use, fold, button("icon remove", "Remove this group", "×", () => state.send({ kind: "remove_group", group: id })));
  const name = card.querySelector(".name");
  const rename = () => {
    const wanted = name.value.trim();
    if (wanted && wanted !== name.dataset.was) state.send({ kind: "rename", group: id, name: wanted });
    else name.value = name.dataset.was;
  };
  name.onblur = rename;
  name.onkeydown = (event) => {
    if (event.key === "Enter") name.blur();
    if (event.key === "Escape") { name.value = name.dataset.was; name.blur(); }
  };
  const words = card.querySelector(".words");
  words.onkeydown = (event) => {
    if (event.key === "Enter" && words.value.trim()) {
      state.send({ kind: "add_text", group: id, text: words.value.trim() });
      words.value = "";
    }
  };
  return card;
}

function showUse(card, on) {
  card.dataset.on = String(on);
  card.querySelector(".use").setAttribute("aria-checked", String(on));
}

function fillCard(state, card, group, fold) {
  const open = opened.get(group.id) ?? !fold;
  card.dataset.open = String(open);
  card.style.setProperty("--tint", group.colour);
  const dot = card.querySelector(".dot");
  // Not set again to the same: a drawing must not undo what is being chosen.
  if (dot.dataset.was !== group.colour) dot.value = dot.dataset.was = group.colour;
  dot.title = "Change the colour";
  dot.setAttribute("aria-label", `Colour of ${group.name}`);
  showUse(card, group.on !== false);
  const use = card.querySelector(".use");
  use.setAttribute("aria-label", `Use ${group.name}`);
  use.title = group.on === false ? "Not used: switch it on" : "Used: switch it off";
  const weight = group.weight ?? 1;
  const range = card.querySelector(".weight");
  range.setAttribute("aria-label", `Weight of ${group.name}`);
  card.querySelector(".weigh").title = "How much this group counts; double click: back to ×1";
  if (state.root.activeElement !== range) {
    range.value = Math.log2(weight);
    showWeight(card, weight);
  }
  card.querySelector(".fold").setAttribute("aria-expanded", String(open));
  const name = card.querySelector(".name");
  name.dataset.was = name.title = group.name;
  name.setAttribute("aria-label", "Name of the group");
  if (state.root.activeElement !== name) name.value = group.name;
  name.size = Math.max(4, group.name.length);
  const pictures = group.pictures.length;
  const count = pictures ? `${pictures} picture${pictures > 1 ? "s" : ""}` : "";
  const texts = group.texts.map((anchor) => anchor.text).join(", ");
  card.querySelector(".peek").textContent = [texts === group.name ? "" : texts, count, weight === 1 ? "" : times(weight)].filter(Boolean).join(" · ");
  card.querySelector(".remove").setAttribute("aria-label", `Remove the group ${group.name}`);
  const words = card.querySelector(".words");
  for (const old of card.querySelectorAll(".chip")) old.remove();
  words.before(...group.texts.map((anchor) => chip(state, group, anchor)));
  card.querySelector(".cuts").replaceChildren(...group.texts.filter((anchor) => anchor.cut).map((anchor) =>
    node("div", "cut", `Too long for this encoder; these last words were not read: “${anchor.cut}”.`)));
  card.querySelector(".thumbs").replaceChildren(...group.pictures.map((picture) => thumb(state, group, picture)));
  words.placeholder = group.texts.length || pictures ? "add words…" : "say it in words, e.g. “a pencil sketch”";
  words.setAttribute("aria-label", `Add words to ${group.name}`);
  card.querySelector(".add")?.remove();
  if (state.chosen) {
    card.querySelector(".chips").append(button("add", `Add the ${state.chosen} selected pictures to ${group.name}`,
      `+ ${state.chosen} selected`, () => state.send({ kind: "add_selected", group: group.id })));
  }
}

function freshRow(state) {
  const row = node("div", "fresh");
  row.innerHTML = '<span class="dot"></span><input type="text" maxlength="400">';
  const input = row.querySelector("input");
  input.setAttribute("aria-label", "New group: say it in words");
  input.onkeydown = (event) => {
    if (event.key === "Enter" && input.value.trim()) {
      state.send({ kind: "new_group", text: input.value.trim() });
      input.value = "";
    }
  };
  return row;
}

export default function ({ data, parentElement, setTriggerValue }) {
  let state = memory.get(parentElement);
  if (!state) {
    const cards = parentElement.querySelector(".cards");
    state = { cards, list: node("div", "list"), root: cards.getRootNode() };
    state.fresh = freshRow(state);
    cards.append(state.list, state.fresh);
    memory.set(parentElement, state);
  }
  state.send = (event) => setTriggerValue("event", event);
  state.chosen = data.chosen;
  const known = new Map([...state.list.children].map((card) => [card.dataset.id, card]));
  const fold = data.groups.length > 4;
  state.cards.classList.toggle("many", data.groups.length > 7);
  let last = null;
  let kept = 0;
  let added = null;
  for (const group of data.groups) {
    const old = known.get(group.id);
    const card = old ?? newCard(state, group.id);
    if (old) kept += 1;
    else added = { card, alone: !added };
    known.delete(group.id);
    fillCard(state, card, group, fold);
    const place = last ? last.nextSibling : state.list.firstChild;
    if (place !== card) state.list.insertBefore(card, place);
    last = card;
  }
  for (const card of known.values()) card.remove();
  // One newcomer among others is what the person just made: bring it into sight.
  if (kept === 0) state.list.scrollTop = 0;
  else if (added?.alone) {
    state.list.scrollTo({ top: added.card.offsetTop - state.list.offsetTop - 40, behavior: "smooth" });
    added.card.classList.add("new");
  }
  const empty = data.groups.length === 0;
  state.fresh.querySelector("input").placeholder = empty ? "first group, e.g. “a pencil sketch”" : "another group, e.g. “watercolour”";
}
