/* The elements of the board's SVG by id, and where they are. A letter and a number make an id: `l82` is a line to click,
   `s53` a space, `k30` a tower space, `w82` a wall, `g82` its light. */

/** Return the middle of a click target from its attributes, as the board may be hidden.
    @type {(target: Element) => Point} */
function centerOf(target) {
  const [x1, y1, x2, y2] = endsOf(target);
  if (target instanceof SVGCircleElement) return [Number(target.getAttribute("cx")), Number(target.getAttribute("cy"))];
  if (target instanceof SVGLineElement) return [(x1 + x2) / 2, (y1 + y2) / 2];
  const points = pointsOf(target);
  const middle = (/** @type {number[]} */ values) => (Math.min(...values) + Math.max(...values)) / 2;
  return [middle(points.map(([x]) => x)), middle(points.map(([, y]) => y))];
}

/** @type {(line: Element) => [x1: number, y1: number, x2: number, y2: number]} */
function endsOf(line) {
  const [x1, y1, x2, y2] = ["x1", "y1", "x2", "y2"].map((name) => Number(line.getAttribute(name)));
  return [x1, y1, x2, y2];
}

/** Return the corners of a polygon.
    @type {(polygon: Element) => Point[]} */
export const pointsOf = (polygon) => [.../** @type {SVGPolygonElement} */ (polygon).points].map(({ x, y }) => [x, y]);

/** Return the center of gravity of some points.
    @type {(points: Point[]) => Point} */
export function meanOf(points) {
  const mean = (/** @type {number[]} */ values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
}

export class Places {
  /** @type {Map<string, Point>} */
  middles = new Map(); // of spaces, by id

  /** @param {SVGSVGElement} svg
      @param {BoardMessage["lines"]} lines */
  constructor(svg, lines) {
    this.lines = lines;
    this.elements = new Map([.../** @type {NodeListOf<SVGElement>} */ (svg.querySelectorAll("[id]"))].map((element) => [element.id, element]));
    /** @type {Map<string, Point>} */
    this.centers = new Map(); // of click targets, by id
    for (const target of svg.querySelectorAll(".target")) this.centers.set(target.id, centerOf(target));
  }

  /** @type {(id: string) => boolean} */
  has(id) {
    return this.elements.has(id);
  }

  /** Return the element with an id, which must exist.
      @type {(id: string) => SVGElement} */
  find(id) {
    return /** @type {SVGElement} */ (this.elements.get(id));
  }

  /** Return the middle of a click target.
      @type {(id: string) => Point} */
  center(id) {
    return /** @type {Point} */ (this.centers.get(id));
  }

  /** Return the center of gravity of a space.
      @type {(space: number | string) => Point} */
  middle(space) {
    const id = "s" + space;
    const middle = this.middles.get(id) ?? meanOf(pointsOf(this.find(id)));
    this.middles.set(id, middle);
    return middle;
  }

  /** Return the place of a piece: a tower's or the middle of a space.
      @type {(id: string) => Point} */
  spot(id) {
    return id[0] === "k" ? this.center(id) : this.middle(id.slice(1));
  }

  /** Return the ends of a line as [x1, y1, x2, y2].
      @type {(id: string) => [x1: number, y1: number, x2: number, y2: number]} */
  ends(id) {
    return endsOf(this.find(id));
  }

  /** Return the lines around a space.
      @type {(space: number) => number[]} */
  sides(space) {
    return [...this.lines.keys()].filter((line) => this.lines[line].slice(2).includes(space));
  }

  /** Return how far a point is from an item.
      @type {(item: Item, at: DOMPoint) => number} */
  far(item, at) {
    if (item.kind !== "line") {
      const [x, y] = this.center(item.id);
      return Math.hypot(x - at.x, y - at.y);
    }
    const [x1, y1, x2, y2] = this.ends(item.id);
    const along = ((at.x - x1) * (x2 - x1) + (at.y - y1) * (y2 - y1)) / ((x2 - x1) ** 2 + (y2 - y1) ** 2);
    const part = Math.min(Math.max(along, 0.15), 0.85);
    return Math.hypot(x1 + part * (x2 - x1) - at.x, y1 + part * (y2 - y1) - at.y);
  }

  /** Return the nearest of some ids in a direction, not too far to the side, or null.
      @type {(id: string, direction: Point, others: Iterable<string>) => string | null} */
  towards(id, [dx, dy], others) {
    const [x, y] = this.center(id);
    let best = null;
    let least = Infinity;
    for (const other of others) {
      const [ox, oy] = this.center(other);
      const ahead = (ox - x) * dx + (oy - y) * dy;
      const aside = Math.abs((ox - x) * dy + (oy - y) * dx);
      if (other === id || ahead < 3 || aside > 2 * ahead) continue;
      const cost = ahead + 2 * aside;
      if (cost < least) [best, least] = [other, cost];
    }
    return best;
  }
}
