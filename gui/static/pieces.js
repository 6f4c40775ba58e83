/* The pieces of a board whose elements are switched and never drawn anew. The page in the browser imports this
   module; `show --html` writes it into its pages. */

const SVG = "http://www.w3.org/2000/svg";

/** A new SVG element with attributes. */
export function makeSvg(tag, attributes = {}) {
  const element = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

/** Switch an element to a value ("" hides it): a `use` changes its symbol, other elements their look. */
export function switchElement(element, value, isNew) {
  if (element.tagName === "use" && value) element.setAttribute("href", "#" + value);
  element.setAttribute("data-v", value);
  element.classList.toggle("new", Boolean(isNew && value));
}

/** Show the pieces `[symbol, count, x, y, size]` of a space in its group: shapes are added, moved and removed. */
export function showStock(group, shapes, isNew) {
  const before = new Map([...group.children].map((child) => [child.getAttribute("data-k"), child]));
  for (const [name, count, x, y, size] of shapes) {
    let piece = before.get(name);
    if (!piece) {
      piece = makeSvg("g", { "data-k": name });
      piece.append(makeSvg("use", { href: "#" + name }), makeSvg("text", { "text-anchor": "middle" }));
      group.append(piece);
      if (isNew) piece.classList.add("new");
    }
    before.delete(name);
    const [use, text] = piece.children;
    use.setAttribute("transform", `translate(${x} ${y}) scale(${size / 100})`);
    text.textContent = count > 1 ? String(count) : "";
    text.setAttribute("x", x);
    text.setAttribute("y", y + 0.337 * size);
    text.setAttribute("font-size", 0.62 * size);
    text.setAttribute("fill", document.getElementById(name).getAttribute("data-ink") || "#000");
  }
  for (const piece of before.values()) piece.remove();
}
