/* The page that steps through a game. `pieces.js` stands before it. */

/** The values of all elements at each step: the changes of the steps, added up. */
function shownAt(steps) {
  const all = [];
  let shown = {};
  for (const step of steps) {
    shown = Object.assign({}, shown, step.set);
    all.push(shown);
  }
  return all;
}

function clamp(step, count) {
  return Number.isFinite(step) ? Math.min(Math.max(Math.trunc(step), 0), count - 1) : 0;
}

function start(document, window) {
  const byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId("data").textContent);
  const steps = data.steps;
  const shown = shownAt(steps);
  const keys = Object.keys(shown[shown.length - 1]);
  const values = {};
  let now = -1;
  let timer = 0;

  function make(tag, text, name) {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    if (name) element.className = name;
    return element;
  }

  /** Give an element of the board its value; 0 hides it. */
  function turn(key, value, isNew) {
    if (key[0] === "p") showStock(byId(key), value || [], isNew);
    else switchElement(byId(key), value ? String(value) : "", isNew && !values[key]);
    values[key] = value;
  }

  function words(entry) {
    return entry[0] < 0 ? entry[1] : data.names[entry[0]] + ": " + entry[1];
  }

  function seats(step) {
    const won = now === steps.length - 1 ? data.result : [];
    const rows = data.names.map((name, seat) => {
      const row = make("tr");
      if (seat === step.seat) row.className = "on";
      const cell = make("td", name + (won.includes(seat) ? " \u2605" : ""));
      if (step.hands) {
        const cards = make("div");
        for (const kind of step.hands[seat]) {
          const [name, isLand] = data.cards[kind];
          cards.append(make("span", name, isLand ? "chip land" : "chip"));
        }
        cell.append(cards);
      }
      row.append(cell, make("td", String(step.scores[seat]), "num"),
        make("td", String(step.cards[seat]), "num"));
      return row;
    });
    byId("seats").replaceChildren(...rows);
  }

  function go(wanted) {
    const to = clamp(wanted, steps.length);
    if (to === now) return;
    const step = steps[to];
    for (const key of keys) {
      const value = shown[to][key] || 0;
      if ((values[key] || 0) !== value) turn(key, value, to === now + 1);
      else for (const element of [byId(key), ...byId(key).children]) element.classList.remove("new");
    }
    const left = now;
    now = to;
    byId("turn").textContent = to === 0 ? "The beginning"
      : "Decision " + to + " of " + (steps.length - 1) + ", turn " + steps[to - 1].turn;
    const said = step.say.length ? step.say.map(words) : ["The cards are dealt."];
    byId("say").replaceChildren(...said.map((text) => make("li", text)));
    byId("due").textContent = to === steps.length - 1 ? "" : "Next: " + step.due + ".";
    byId("piles").textContent = "deck " + step.piles[0] + ", face up " + step.piles[1];
    seats(step);
    document.querySelectorAll("#supply .n").forEach((place, i) => {
      place.textContent = String(step.supply[i]);
    });
    byId("slider").value = String(to);
    byId("slider").setAttribute("aria-valuetext", byId("turn").textContent);
    for (const id of ["first", "back"]) byId(id).disabled = to === 0;
    for (const id of ["next", "last"]) byId(id).disabled = to === steps.length - 1;
    if (left >= 0) moves[left].removeAttribute("aria-current");
    moves[to].setAttribute("aria-current", "step");
    const list = byId("moves");
    list.scrollTop = moves[to].offsetTop - list.offsetTop - list.clientHeight / 2;
    window.history.replaceState(null, "", "#" + to);
    if (to === steps.length - 1) pause();
  }

  function label(playing) {
    byId("play").textContent = playing ? "Pause" : "Play";
    byId("play").setAttribute("aria-label", playing ? "Pause" : "Play");
    byId("play").setAttribute("aria-pressed", String(playing));
  }

  function pause() {
    window.clearTimeout(timer);
    timer = 0;
    label(false);
  }

  function tick() {
    go(now + 1);
    if (now < steps.length - 1) timer = window.setTimeout(tick, Number(byId("speed").value));
  }

  function toggle() {
    if (timer) {
      pause();
      return;
    }
    if (now === steps.length - 1) go(0);
    label(true);
    timer = window.setTimeout(tick, Number(byId("speed").value));
  }

  function to(step) {
    pause();
    go(step);
  }

  const moves = steps.map((step, number) => {
    const text = number === 0 ? "The beginning" : number + ". " + words(step.say[0]);
    const button = make("button", text);
    button.type = "button";
    button.addEventListener("click", () => to(number));
    const item = make("li");
    item.append(button);
    byId("moves").append(item);
    return button;
  });

  byId("slider").max = String(steps.length - 1);
  byId("slider").addEventListener("input", (event) => to(Number(event.target.value)));
  byId("first").addEventListener("click", () => to(0));
  byId("back").addEventListener("click", () => to(now - 1));
  byId("next").addEventListener("click", () => to(now + 1));
  byId("last").addEventListener("click", () => to(steps.length - 1));
  byId("play").addEventListener("click", toggle);
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const tag = event.target.tagName;
    if (tag === "SELECT" || (tag === "BUTTON" && event.key === " ")) return;
    const keysOf = {
      ArrowLeft: () => to(now - 1), ArrowRight: () => to(now + 1),
      Home: () => to(0), End: () => to(steps.length - 1), " ": toggle,
    };
    const act = keysOf[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  const wanted = /^#[0-9]+$/.test(window.location.hash) ? Number(window.location.hash.slice(1)) : -1;
  go(wanted < 0 ? data.start : wanted);
}

if (typeof document === "undefined") module.exports = { shownAt, clamp, start };
else start(document, window);
