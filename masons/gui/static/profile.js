/* The profile of a player, from the games kept on this machine. */

import * as dialogs from "./dialogs.js";
import { button, byId, choice, make, makeSvg, table, toast } from "./dom.js";
import { dayWords, halfWidth, signed, t } from "./words.js";

const KIND = "profile"; // the class of the profile's dialog
const [WIDTH, HEIGHT, LEFT, BOTTOM] = [360, 170, 46, 8];
const [LOW, HIGH] = [-330, 350]; // the ratings at the ends of the graph

/** Return the button that opens the profile.
    @type {(say: Say) => HTMLButtonElement} */
export const profileButton = (say) => button(t("profile.title"), () => openProfile(say), { id: "do-profile", "aria-haspopup": "dialog" });

/** @type {(say: Say) => void} */
function openProfile(say) {
  dialogs.open(t("profile.title"), [make("p", { role: "status", textContent: t("profile.loading") }), closing()], { kind: KIND });
  say("profile");
}

const closing = () => make("div", { className: "buttons" }, button(t("page.close"), () => dialogs.close()));

/** Return a rating with its interval in words. At an end of the scale, the words say "or more" or "or less".
    @type {(rating: [number, number, number], ends: [number, number]) => string} */
function ratingWords([rating, low, high], [least, most]) {
  const whole = (/** @type {number} */ number) => signed(number, 0);
  const orMore = (/** @type {number} */ number) => t("profile.orMore", { rating: whole(number) });
  const orLess = (/** @type {number} */ number) => t("profile.orLess", { rating: whole(number) });
  const range = high >= most ? orMore(low) : low <= least ? orLess(high) : t("profile.range", { low: whole(low), high: whole(high) });
  return t("profile.rating", { rating: rating >= most ? orMore(rating) : rating <= least ? orLess(rating) : whole(rating), range });
}

/** Return the level that has about the same rating, in words.
    @type {(message: ProfileMessage, rating: [number, number, number]) => string} */
function levelWords({ ends, levels, level, rated, seats }, rating) {
  const of = { count: rated, seats };
  if (rating[0] >= ends[1]) return t("profile.levelOrMore", { level: levels.length, ...of });
  return rating[0] <= ends[0] ? t("profile.levelOrLess", of) : t("profile.level", { level, ...of });
}

/** Return the points that a kind of decision costs per game, with their interval.
    @type {(kind: KindLoss, games: number) => string} */
function gameLoss({ game, interval, decisions }, games) {
  return `${signed(game, 1).replace("+", "")} ± ${halfWidth((interval * decisions) / games)}`;
}

/** Return whether the loss of a kind of decision is larger than its interval.
    @type {(kind: KindLoss) => boolean} */
const isKnown = ({ game, points, interval }) => game > 0 && points > interval;

/** @type {(message: ProfileMessage, say: Say) => void} */
export function showProfile(message, say) {
  if (!dialogs.isOpen(KIND)) return;
  const { player, players, games, missing, rating, more, seats, kinds, mistakes } = message;
  const who = choice(players.map((name) => [name, name]),
    { "aria-label": t("profile.player"), value: player, change: (name) => say("profile", { player: name }) });
  const costly = kinds.find(isKnown);
  const review = button(t("profile.review", { count: missing }), () => {
    byId("reviewing").replaceChildren(make("p", { role: "status", textContent: t("study.reviewing") }),
      button(t("study.stop"), () => { say("stop"); say("profile", { player }); }));
    say("profile", { player, review: true });
  });
  dialogs.open(t("profile.title"), [
    players.length > 1 ? who : null,
    games ? null : make("p", { textContent: t("profile.none") }),
    rating ? make("p", { className: "verdict", textContent: ratingWords(rating, message.ends) }) : null,
    rating ? make("p", { textContent: levelWords(message, rating) }) : null,
    games && !rating ? make("p", { textContent: t("profile.unrated", { count: more, seats }) }) : null,
    message.curve.length > 1 ? curve(message.curve, message.levels) : null,
    kinds.length ? make("h3", { textContent: t("profile.costs") }) : null,
    kinds.length ? table([t("profile.kind"), t("profile.decisions"), t("profile.game")],
      kinds.map((one) => [t(`kind.${one.kind}`), String(one.decisions),
        isKnown(one) ? gameLoss(one, Math.min(games, message.recent)) : t("profile.tooFew")])) : null,
    costly ? make("p", { textContent: t("profile.next", { kind: t(`kind.${costly.kind}`), count: Math.round(10 * costly.game) / 10 }) }) : null,
    make("div", { className: "buttons" },
      mistakes ? button(t("profile.practice"), () => { dialogs.close(); say("practice", { begin: true, player }); }, { className: "main" }) : null,
      button(t("start.puzzles"), () => { dialogs.close(); say("practice", { begin: true }); })),
    make("div", { id: "reviewing" }, missing ? review : ""),
    make("div", { className: "buttons" }, button(t("profile.export"), () => say("export")), button(t("profile.delete"), () => askDelete(say))),
    make("p", { className: "evidence", textContent: t("profile.kept") }), closing(),
  ].filter(Boolean), { kind: KIND });
}

/** Show the progress of the reviews.
    @type {(message: RatingMessage) => void} */
export function showReviewing({ game, games, done, total }) {
  const text = document.querySelector("#reviewing [role=status]");
  if (text) text.textContent = t("profile.progress", { game, games, percent: Math.round((100 * done) / total) });
}

/** @type {(say: Say) => void} */
function askDelete(say) {
  dialogs.ask(t("profile.askDelete"), t("profile.deleteAll"), () => say("forget"));
}

/** @type {(message: DeletedMessage) => void} */
export const showDeleted = ({ held }) => toast(held ? t("profile.deletedBut", { count: held }) : t("profile.deleted"), Boolean(held));

/** Return a graph of the rating after each game, with its interval and the levels.
    @type {(points: ProfileMessage["curve"], levels: number[]) => HTMLElement} */
function curve(points, levels) {
  const label = t("profile.curve", { first: points[0][1], last: points[points.length - 1][1], count: points.length });
  const svg = makeSvg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label });
  const x = (/** @type {number} */ i) => LEFT + ((WIDTH - LEFT - 8) * i) / (points.length - 1);
  const y = (/** @type {number} */ rating) => HEIGHT - BOTTOM - ((HEIGHT - 2 * BOTTOM) * (Math.min(Math.max(rating, LOW), HIGH) - LOW)) / (HIGH - LOW);
  levels.forEach((rating, i) => {
    if (i % 2) return;
    svg.append(makeSvg("line", { x1: LEFT, x2: WIDTH - 8, y1: y(rating), y2: y(rating), class: "half" }),
      makeSvg("text", { x: 4, y: y(rating) + 3 }, t("profile.levelName", { level: i + 1 })));
  });
  const at = (/** @type {1 | 2 | 3} */ place) => points.map((point, i) => `${x(i).toFixed(1)},${y(point[place]).toFixed(1)}`);
  svg.append(makeSvg("polygon", { points: [...at(2), ...at(3).reverse()].join(" "), class: "band" }),
    makeSvg("polyline", { points: at(1).join(" ") }));
  points.forEach((point, i) => svg.append(makeSvg("circle", { cx: x(i).toFixed(1), cy: y(point[1]).toFixed(1), r: 3 })));
  return make("div", { className: "graph curve" }, svg,
    make("p", {}, ...[points[0], points[points.length - 1]].map(([ended]) => make("span", { textContent: dayWords(ended) }))));
}
