function node(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

function face(data) {
  if (!data.url) return node("div", "words", `“${data.name}”`);
  const frame = node("div", "picture");
  const image = node("img");
  image.src = data.url;
  image.alt = `Query picture: ${data.name}`;
  frame.append(image);
  return frame;
}

function share(item) {
  const row = node("div", "share");
  const label = node("span", "label", item.name);
  label.title = item.name;
  const track = node("div", "track");
  const fill = node("div", "fill");
  fill.style.width = `${(100 * item.share).toFixed(1)}%`;
  fill.style.background = item.colour;
  track.append(fill);
  row.append(label, track, node("span", "percent", `${Math.round(100 * item.share)} %`));
  return row;
}

export default function ({ data, parentElement }) {
  const about = node("div", "about");
  about.append(node("p", "kind", data.kind));
  if (data.url) {
    const name = node("h3", "name", data.name);
    name.title = data.name;
    about.append(name);
  }
  if (data.shares.length) {
    const shares = node("div", "shares");
    shares.append(...data.shares.map(share));
    about.append(shares);
  }
  if (data.note) about.append(node("p", "note", data.note));
  parentElement.querySelector(".query").replaceChildren(face(data), about);
}
