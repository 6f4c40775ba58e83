/* The first screen: the choices to learn, play or analyze, and the list of games with pictures of their boards. */

import { button, byId, make, makeSvg, reveal, setText, setting } from "./dom.js";
import { gameForm } from "./newgame.js";
import { profileButton } from "./profile.js";
import { smallBoard } from "./smallboard.js";
import { studyForm } from "./study.js";
import { timeWords, t } from "./words.js";

const LISTED = 12;
/* The pictures of the three choices, with pieces on the board "classic". `marks` has ranks of moves by line. */
const SCENE = [300, 170]; // the width and height of the part of the board that is shown
const CITY = { walls: [82, 84, 86], towers: { 30: "tower-white", 31: "tower-gray", 38: "tower-black" }, cities: [[53]], stocks: { 53: ["palace-green"] } };
const LARGER = { walls: [82, 84, 86, 87, 104], towers: { ...CITY.towers, 39: "tower-gray" } };
const SCENES = {
  learn: CITY,
  play: { ...LARGER, cities: [[53, 54]], stocks: { 53: ["palace-green"], 54: ["palace-blue"] } },
  analyze: { ...LARGER, walls: [82, 84, 87], cities: [], stocks: { 53: ["house-green"], 54: ["house-blue"] }, marks: { 86: 1, 104: 2 } },
};

let offeredLevel = Number(setting("level")) || 1; // until the server sends the level
let form = null; // the form for a new game

/** Let Play offer the level that fits the player's profile. */
export function offerLevel(level) {
  offeredLevel = level;
  setting("level", level);
  const words = byId("play-words");
  if (words) setText(words, t("start.playWords", { level }));
  form?.offer(level);
}

/** Begin a game of one person against the engine at the offered level. */
export const playOffered = (say) => say("newgame", { seats: [{ kind: "person" }, { kind: "engine", level: offeredLevel }] });

/** Show the first screen. `act` has the functions `setUp`, `watch`, `learn` and `openings` of its buttons. */
export function showStart(id, games, board, say, act) {
  const place = byId("start");
  place.hidden = false;
  if (!id.host) {
    place.replaceChildren(make("p", { textContent: t("start.guest") }));
    return;
  }
  form = gameForm(id, say);
  form.offer(offeredLevel);
  const more = panel("more", form);
  const analyze = panel("analyze", studyForm(say));
  place.replaceChildren(
    make("p", { className: "what", textContent: t("start.what") }),
    make("div", { className: "offers" },
      offer(board, "learn", {}, act.learn, [button(t("start.puzzles"), () => say("practice", { begin: true }))]),
      offer(board, "play", { level: offeredLevel }, () => playOffered(say), [opener(t("start.more"), more, "do-more"), profileButton(say)]),
      more,
      offer(board, "analyze", {}, null, [button(t("start.setUp"), act.setUp), button(t("openings.title"), act.openings), ...(id.watch ? [button(t("start.watch"), act.watch)] : [])], analyze),
      analyze),
    make("div", { id: "games" }));
  showGames(games, board, say);
}

/** Return a choice: a large button with a picture and words, and further buttons below it. */
function offer(board, name, params, act, further, opened = null) {
  const words = make("span", { id: `${name}-words`, textContent: t(`start.${name}Words`, params) });
  const big = make("button", { type: "button", className: "big", id: `do-${name}`, onclick: act },
    ...(board.name === "classic" ? [scene(board, SCENES[name])] : []),
    make("span", { className: "text" }, make("b", { textContent: t(`start.${name}`) }), words));
  if (opened) opens(big, opened);
  return make("div", { className: `offer ${name}` }, big, further.length ? make("div", { className: "further" }, ...further) : null);
}

const panel = (name, content) => make("section", { className: "panel", id: `${name}-panel`, "aria-label": t(`start.${name}Panel`), hidden: true }, content);

function opener(text, opened, id) {
  const one = button(text, null, { id });
  opens(one, opened);
  return one;
}

/** Let a button open and close a part of the page. */
function opens(one, opened) {
  one.setAttribute("aria-expanded", "false");
  one.setAttribute("aria-controls", opened.id);
  one.addEventListener("click", () => {
    opened.hidden = !opened.hidden;
    one.setAttribute("aria-expanded", String(!opened.hidden));
    if (!opened.hidden) reveal(opened);
  });
}

function scene(board, { marks = {}, ...pieces }) {
  const stocks = Object.entries(pieces.stocks).map(([space, names]) => {
    const [x, y] = board.middle(Number(space));
    return [space, names.map((name) => [name, 1, x, y, name.startsWith("palace") ? 27 : 32])];
  });
  const places = Object.keys(pieces.towers).map((tower) => board.centers.get("k" + tower));
  const [left, top] = [0, 1].map((axis) => (Math.min(...places.map((at) => at[axis])) + Math.max(...places.map((at) => at[axis])) - SCENE[axis]) / 2);
  const picture = smallBoard(board, { ...pieces, stocks: Object.fromEntries(stocks) }, { box: `${left} ${top} ${SCENE.join(" ")}` });
  for (const [line, rank] of Object.entries(marks)) {
    const [x, y] = board.centers.get("l" + line);
    picture.append(makeSvg("circle", { cx: x, cy: y, r: 14 }), makeSvg("text", { x, y: y + 6, "text-anchor": "middle" }, rank));
  }
  return picture;
}

// --- games

/** Show the unfinished games, beginning with open ones, and the finished games. Ask the server for their pictures. */
export function showGames(games, board, say) {
  const place = byId("games");
  if (!place) return;
  const list = (title, some, words, act) => (some.length ? [make("h2", { textContent: title }),
    make("ul", { className: "games" }, ...some.slice(0, LISTED).map((game) => make("li", {},
      make("button", { type: "button", "data-file": game.file, onclick: () => act(game) },
        make("span", { className: "text" }, game.names.join(", "), make("small", { textContent: words(game) }))))))] : []);
  const going = games.filter((game) => !game.over).sort((a, b) => Number(b.open) - Number(a.open));
  const over = games.filter((game) => game.over);
  document.querySelector(".offers").classList.toggle("new", !over.length && !setting("lessons"));
  place.replaceChildren(
    ...list(t("start.going"), going, (game) => t(`start.going.${game.open ? "open" : "left"}`, { when: timeWords(game.changed) }),
      (game) => say("resume", { file: game.file })),
    ...list(t("start.over"), over, (game) => t("start.ended", { when: timeWords(game.changed) }), (game) => say("study", { file: game.file })));
  const files = [going, over].flatMap((some) => some.slice(0, LISTED).map((game) => game.file));
  if (files.length) say("previews", { files });
}

/** Show the board and the points of a game in the list. */
export function showPreview(message, board) {
  const entry = [...document.querySelectorAll("#games [data-file]")].find((one) => one.dataset.file === message.file);
  if (!entry || entry.querySelector("svg")) return;
  entry.prepend(smallBoard(board, message, { label: t("start.board") }));
  const points = message.names.map((name, seat) => `${name}: ${message.scores[seat]}${message.winners.includes(seat) ? " ★" : ""}`);
  entry.querySelector(".text").firstChild.replaceWith(points.join(", "));
}
