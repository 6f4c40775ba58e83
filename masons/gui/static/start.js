/* The first screen: a board, what can be begun, and the list of games with pictures of their boards. */

import { ask } from "./dialogs.js";
import { allIn, button, byId, choice, dot, findIn, make, reveal, setting } from "./dom.js";
import { crest } from "./emblems.js";
import { befriend } from "./friend.js";
import { shortNames } from "./gamewords.js";
import { gameForm, levelWords } from "./newgame.js";
import { makeSvg } from "./pieces.js";
import { profileButton } from "./profile.js";
import { around, strokeOn } from "./shapes.js";
import { closeUp, partOf, smallBoard } from "./smallboard.js";
import { studyForm } from "./studyform.js";
import { agoWords, timeWords, t } from "./words.js";

const LISTED = 12; // of each kind
const STAGE = [260, 190]; // of the board in a picture of a turn
const LEVELS = 10;
const DAILY = ""; // the name of the puzzle of the day among the games

/* The level that the server offers, and the level that was chosen while another was offered. As the offer moves, the
   chosen level moves with it. */
let offeredLevel = 1;
/** @type {GameForm | null} */
let form = null; // the form for a new game
/** @type {Map<string, PreviewMessage>} */
let previews = new Map(); // file -> message

const level = () => {
  const [chosen, basis] = (setting("level") || "").split("@").map(Number);
  return chosen && basis ? Math.min(Math.max(chosen + offeredLevel - basis, 1), LEVELS) : offeredLevel;
};

/** Let Play offer the level that fits the player's profile.
    @type {(offered: number) => void} */
export function offerLevel(offered) {
  offeredLevel = offered;
  const select = byId("level");
  if (select) select.value = String(level());
  form?.offer(level());
}

/** @type {(chosen: string) => void} */
function chooseLevel(chosen) {
  setting("level", `${chosen}@${offeredLevel}`);
  form?.offer(Number(chosen));
}

/** Begin a game of one person against the engine at the offered level.
    @type {(say: Say) => void} */
export const playOffered = (say) => say("newgame", { seats: [{ kind: "person" }, { kind: "engine", level: level() }] });

/** Show the first screen. `act` has the functions `setUp`, `watch`, `learn` and `openings` of its buttons.
    @type {(id: IdMessage, games: ListedGame[], board: Board, say: Say, act: { setUp: () => void, watch: () => void, learn: () => void, openings: () => void }) => void} */
export function showStart(id, games, board, say, act) {
  const place = byId("start");
  place.hidden = false;
  if (!id.host) {
    place.replaceChildren(make("p", { textContent: t("start.guest") }));
    return;
  }
  form = gameForm(id, say);
  form.offer(level());
  const more = panel("more", form);
  const analyze = panel("analyze", studyForm(say));
  const levels = choice(Array.from({ length: LEVELS }, (_, i) => [String(i + 1), levelWords(i + 1)]), { id: "level", value: String(level()), change: chooseLevel });
  place.replaceChildren(
    make("div", { className: "home" },
      make("div", { className: "last" }, make("button", { type: "button", id: "scene" }), make("div", { id: "continue" })),
      make("div", { className: "offers" },
        make("p", { className: "what", textContent: t("start.what") }),
        make("div", { className: "offer play" }, sceneOn(board, "play"), make("b", {}, t("start.playWords"), make("small", { textContent: t("start.playSmall") })),
          button(t("start.play"), () => playOffered(say), { id: "do-play" }), make("label", {}, t("seat.level"), levels)),
        big(board, "friend", () => befriend(say)),
        big(board, "learn", act.learn),
        big(board, "puzzles", () => say("practice", { begin: true })),
        big(board, "analyze", null, analyze),
        make("div", { className: "further" }, opener(t("start.more"), more, "do-more"), button(t("openings.title"), act.openings, { id: "do-openings" }), profileButton(say),
          button(t("start.setUp"), act.setUp, { id: "do-setup" }), id.watch ? button(t("start.watch"), act.watch, { id: "do-watch" }) : null)),
      more, analyze),
    make("div", { id: "games" }));
  showGames(games, board, say);
}

/** The pictures of what can be begun: two towers and two houses at a wall. @type {Record<string, string>} */
const SCENES = { play: "tower-white tower-gray house-red house-yellow", friend: "tower-black tower-white house-blue house-green", learn: "tower-gray tower-gray house-rose house-rose",
  puzzles: "tower-black tower-black house-red house-blue", analyze: "tower-white tower-black house-yellow house-green" };

/** Return the line at a share of the way through all lines inside a region.
    @type {(board: Board, share: number) => number} */
function insideLine({ lines, regions }, share) {
  const inside = [...lines.keys()].filter((line) => { const [one, other] = lines[line].slice(2).map((space) => regions[space ?? -1]); return one === other; });
  return inside[Math.floor(inside.length * share)];
}

/** Return one of SCENES on the board, each at another wall.
    @type {(board: Board, name: string) => SVGElement} */
function sceneOn(board, name) {
  const names = Object.keys(SCENES);
  const line = insideLine(board, (names.indexOf(name) + 0.5) / names.length);
  const svg = around(board, line, SCENES[name].split(" ").map((piece, i) => [piece, (i < 2 ? "k" : "s") + board.lines[line][i]]));
  svg.append(...signOn(board, name, line));
  return svg;
}

/** Return what happens in a turn, in three pictures: a wall, then towers and houses, then the city that further walls complete.
    @type {(board: Board) => HTMLElement[]} */
function turnOn(board) {
  const { places, lines } = board;
  const wall = insideLine(board, 0.62);
  const [space, other] = lines[wall].slice(2).map(Number);
  const sides = places.sides(space);
  const outer = sides.filter((line) => line !== wall).flatMap((line) => lines[line].slice(2).filter((one) => one !== null && one !== space)).map(Number);
  const piece = (/** @type {string} */ symbol, /** @type {number} */ at) => ({ [at]: /** @type {Shape[]} */ ([[symbol, 0, ...places.spot("s" + at), 40]]) });
  const towers = Object.fromEntries(sides.flatMap((line) => lines[line].slice(0, 2)).map((place, i) => [place, ["tower-white", "tower-gray", "tower-black"][i % 3]]));
  const begun = { cities: [], walls: [wall], towers: Object.fromEntries(Object.entries(towers).filter(([place]) => lines[wall].slice(0, 2).includes(Number(place)))), stocks: { ...piece("house-red", space), ...piece("house-yellow", other) } };
  const stages = { wall: { ...begun, towers: {}, stocks: {} }, pieces: begun, city: { cities: [[space]], walls: sides, towers,
    stocks: { ...begun.stocks, ...piece("palace-red", space), ...Object.assign({}, ...outer.map((at, i) => piece(["house-green", "house-blue"][i], at))) } } };
  return Object.entries(stages).map(([name, pieces]) => make("li", { className: "stage" }, smallBoard(board, pieces, partOf(board, places.spot("s" + space), STAGE)),
    make("b", { textContent: t(`start.turn.${/** @type {keyof typeof stages} */ (name)}`) }), make("small", { textContent: t(`start.turn.${/** @type {keyof typeof stages} */ (name)}Words`) })));
}

/** Return what a picture shows besides its scene: two players, the lines that complete a city, a question, or the best move.
    @type {(board: Board, name: string, line: number) => SVGElement[]} */
function signOn({ places, lines }, name, line) {
  const [x, y] = places.center("l" + line);
  if (name === "learn") return places.sides(lines[line][2] ?? 0).filter((side) => side !== line).map((side) => strokeOn(places, "l" + side, { class: "gold" }));
  if (name === "friend") return [0, 1].map((seat) => {
    const one = crest(seat);
    for (const [key, value] of Object.entries({ x: x - 84 + 124 * seat, y: y - 72, width: 44, height: 44 })) one.setAttribute(key, String(value));
    return one;
  });
  const sign = { puzzles: "?", analyze: "★" }[name];
  return sign ? [makeSvg("circle", { cx: x + 62, cy: y - 42, r: 22, class: name }), makeSvg("text", { x: x + 62, y: y - 31, "text-anchor": "middle" }, sign)] : [];
}

/** Return a large button with a picture and words, which may open a panel.
    @type {(board: Board, name: string, act: (() => void) | null, opened?: HTMLElement | null) => HTMLButtonElement} */
function big(board, name, act, opened = null) {
  const one = make("button", { type: "button", className: "big", id: `do-${name}`, onclick: act }, sceneOn(board, name),
    make("span", { className: "text" }, make("b", { textContent: t(`start.${name}`) }), make("small", { textContent: t(`start.${name}Words`) })));
  if (opened) opens(one, opened);
  return one;
}

/** @type {(name: string, content: Node) => HTMLElement} */
const panel = (name, content) => make("section", { className: "panel", id: `${name}-panel`, "aria-label": t(`start.${name}Panel`), hidden: true }, content);

/** @type {(text: string, opened: HTMLElement, id: string) => HTMLButtonElement} */
function opener(text, opened, id) {
  const one = button(text, null, { id });
  opens(one, opened);
  return one;
}

/** Let a button open and close a part of the page.
    @type {(one: HTMLElement, opened: HTMLElement) => void} */
function opens(one, opened) {
  one.setAttribute("aria-expanded", "false");
  one.setAttribute("aria-controls", opened.id);
  one.addEventListener("click", () => {
    opened.hidden = !opened.hidden;
    one.setAttribute("aria-expanded", String(!opened.hidden));
    if (!opened.hidden) reveal(opened);
  });
}

// --- games

/** Show the last game or the puzzle of the day, the other unfinished games, beginning with open ones, then finished ones.
    Ask the server for their pictures.
    @type {(games: ListedGame[], board: Board, say: Say) => void} */
export function showGames(games, board, say) {
  const place = byId("games");
  if (!place) return;
  previews = new Map();
  const going = games.filter((game) => !game.over).sort((a, b) => Number(b.open) - Number(a.open));
  const over = games.filter((game) => game.over);
  const enter = (/** @type {ListedGame} */ game) => (game.over ? say("study", { file: game.file }) : say("resume", { file: game.file }));
  const remove = (/** @type {ListedGame} */ game) => () => ask(t("start.askDelete", { names: game.names.join(", ") }), t("start.delete"), () => say("delete", { file: game.file }));
  const last = going[0] || over[0];
  const listed = [...going.slice(1, LISTED), ...over.slice(0, LISTED)];
  const list = listed.map((game) => make("li", {},
    make("button", { type: "button", "data-file": game.file, onclick: () => enter(game) },
      make("span", { className: "text" }, make("b", { textContent: game.names.join(" · ") }), make("small", { textContent: agoWords(game.changed), title: timeWords(game.changed) }))),
    make("button", { type: "button", className: "delete", textContent: "✕", "aria-label": t("start.deleteOne", { when: timeWords(game.changed) }), title: t("start.delete"), onclick: remove(game) })));
  findIn(".offers")?.classList.toggle("new", !over.length && !going.length && !setting("lessons"));
  place.replaceChildren(make("h2", { textContent: list.length ? t("start.games") : t("start.turn") }), make("ul", { className: "games" }, ...(list.length ? list : turnOn(board))));
  byId("continue").replaceChildren(...(going.length ? [make("button", { type: "button", className: "main", id: "do-continue", onclick: () => enter(going[0]) },
    make("b", { textContent: `${t("start.continue")} ▶` }), make("small", { textContent: going[0].names.join(" · ") })),
  make("button", { type: "button", className: "delete", textContent: "✕", "aria-label": t("start.deleteThis"), title: t("start.deleteThis"), onclick: remove(going[0]) })] : []));
  byId("do-play").classList.toggle("main", !going.length); // what most want next
  const scene = byId("scene");
  scene.dataset.file = last ? last.file : DAILY;
  scene.replaceChildren();
  scene.title = last ? last.names.join(" · ") : t("start.daily");
  scene.onclick = last ? () => enter(last) : () => say("practice", { begin: true, daily: true });
  say("previews", { files: [...new Set([scene.dataset.file, ...listed.map((game) => game.file)])] });
}

/** Show the board and the points of a game in the list, or of the puzzle of the day.
    @type {(message: PreviewMessage, board: Board) => void} */
export function showPreview(message, board) {
  if (previews.has(message.file)) return;
  previews.set(message.file, message);
  const { names, scores, winners, turn } = message;
  const short = shortNames(names);
  const seats = names.map((name, seat) => make("span", { className: "line" }, dot(seat), make("b", { title: name, textContent: short[seat] + (winners.includes(seat) ? " ★" : "") }), ` ${scores[seat]}`));
  for (const entry of allIn("#start [data-file]")) {
    if (entry.dataset.file !== message.file) continue;
    entry.prepend(entry.id === "scene" ? smallBoard(board, message) : closeUp(board, message));
    entry.querySelector("b")?.replaceWith(...seats);
    if (!winners.length) entry.querySelector("small")?.prepend(`${t("task.turn", { turn })} · `);
  }
  const where = findIn("#do-continue small");
  if (where && byId("scene").dataset.file === message.file) where.textContent = t("start.where", { count: names.length, turn });
}
