/* The pieces on a board whose elements are shown and hidden but never redrawn. The page in the browser imports this
   module, and `show --html` writes it into its pages. */

const SVG = "http://www.w3.org/2000/svg";

/** Return a new SVG element with attributes and a text.
    @type {<T extends keyof SVGElementTagNameMap>(tag: T, attributes?: Record<string, string | number>, text?: string) => SVGElementTagNameMap[T]} */
export function makeSvg(tag, attributes = {}, text = "") {
  const element = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.textContent = text;
  return element;
}

/** Give an element a value, of which "" hides it. A `use` element gets another symbol, or none, as browsers keep a copy
    of each symbol in use; any other element gets another look.
    @type {(element: Element, value: string, isNew: boolean) => void} */
export function switchElement(element, value, isNew) {
  if (element.tagName === "use") element.setAttribute("href", value ? "#" + value : "");
  element.setAttribute("data-v", value);
  element.classList.toggle("new", Boolean(isNew && value));
}

/** Show the pieces `[name, count, x, y, size]` of a space in its group.
    @type {(group: Element, shapes: Shape[], isNew: boolean) => void} */
export function showStock(group, shapes, isNew) {
  const before = new Map([...group.children].map((child) => [child.getAttribute("data-k"), child]));
  /** @type {Record<string, number>} */
  const numbers = {}; // of the pieces of each kind so far
  for (const [name, count, x, y, size] of shapes) {
    numbers[name] = (numbers[name] || 0) + 1;
    const key = name + numbers[name];
    let piece = before.get(key);
    if (!piece) {
      piece = makeSvg("g", { "data-k": key });
      piece.append(makeSvg("use"), makeSvg("text", { "text-anchor": "middle", "paint-order": "stroke" }));
    }
    const isOld = before.delete(key);
    piece.classList.toggle("new", isNew && !isOld);
    group.append(piece); // in the order of drawing
    const [use, text] = piece.children;
    use.setAttribute("href", "#" + name);
    use.setAttribute("transform", `translate(${x} ${y}) scale(${size / 100})`);
    text.textContent = count > 1 ? String(count) : "";
    text.setAttribute("x", String(x));
    text.setAttribute("y", String(y + 0.37 * size));
    text.setAttribute("font-size", String(0.72 * size));
    const letter = document.querySelector(`#${name} .b-letter`); // its colors are legible on the piece
    for (const paint of ["fill", "stroke"]) text.setAttribute(paint, letter?.getAttribute(paint) ?? "");
    text.setAttribute("stroke-width", String(0.12 * size));
  }
  for (const piece of before.values()) piece.remove();
}
