/* The profile of a player, from the games and puzzles kept on this machine, in place of the first screen. */

import * as dialogs from "./dialogs.js";
import { button, byId, choice, make, makeSvg, table, toast } from "./dom.js";
import { themeWords } from "./practice.js";
import { dayWords, fixed, halfWidth, percent, signed, t } from "./words.js";

const [WIDTH, HEIGHT, LEFT, BOTTOM] = [360, 170, 46, 8];
const [LOW, HIGH] = [-330, 350]; // the ratings at the ends of the graph

/** Return the button that opens the profile.
    @type {(say: Say) => HTMLButtonElement} */
export const profileButton = (say) => button(t("profile.title"), () => openProfile(say), { id: "do-profile", "aria-haspopup": "dialog" });

/** @type {(say: Say) => void} */
function openProfile(say) {
  framed(say, make("p", { role: "status", textContent: t("profile.loading") }));
  say("profile");
}

/** Show the parts of the profile below its title.
    @type {(say: Say, ...parts: Child[]) => void} */
function framed(say, ...parts) {
  const place = byId("start");
  place.hidden = false;
  place.replaceChildren(make("div", { id: "profile", className: "profile" }, button(t("lesson.home"), () => say("close"), { className: "back" }),
    make("h2", { textContent: t("profile.title") }), ...parts));
}

export const isProfileOpen = () => Boolean(byId("profile"));

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

/** Return a part of the profile with a title, or null if it has no content.
    @type {(title: string, ...content: Child[]) => HTMLElement | null} */
function part(title, ...content) {
  return content.some(Boolean) ? make("section", { className: "panel" }, make("h3", { textContent: title }), ...content) : null;
}

/** `act` has the function `play`, which begins a game at the level that Play offers.
    @type {(message: ProfileMessage, say: Say, act: { play: () => void }) => void} */
export function showProfile(message, say, act) {
  const { player, players, games, missing, rating, more, seats, kinds, puzzles } = message;
  const who = choice(players.map((name) => [name, name]),
    { "aria-label": t("profile.player"), value: player, change: (name) => say("profile", { player: name }) });
  const review = button(t("profile.review", { count: missing }), () => {
    byId("reviewing").replaceChildren(make("p", { role: "status", textContent: t("study.reviewing") }),
      button(t("study.stop"), () => { say("stop"); say("profile", { player }); }));
    say("profile", { player, review: true });
  });
  framed(say,
    players.length > 1 ? who : null,
    make("div", { className: "parts" }, ...[
      part(t("profile.rated"),
        games ? null : make("p", { textContent: t("profile.none") }),
        rating ? make("p", { className: "verdict", textContent: ratingWords(rating, message.ends) }) : null,
        rating ? make("p", { textContent: levelWords(message, rating) }) : null,
        games && !rating ? make("p", { textContent: t("profile.unrated", { count: more, seats }) }) : null,
        games ? make("p", { textContent: rating && message.offered !== message.level ? t("profile.offeredNext", { level: message.offered }) : t("profile.offered", { level: message.offered }) }) : null,
        message.curve.length > 1 ? curve(message.curve.map(([when, ...numbers]) => [when, numbers]), { label: (params) => t("profile.curve", params), lines: message.levels.map((each, i) => [each, t("profile.levelName", { level: i + 1 })]), low: LOW, high: HIGH }) : null),
      part(t("profile.todo"), ...todo(message, say, act)),
      puzzles && puzzlePart(puzzles),
      message.results.length ? part(t("profile.results"), table([t("profile.against"), t("profile.games"), t("profile.won")], message.results.map(resultRow))) : null,
      kinds.length ? part(t("profile.costs"), lossTable(kinds, message), make("h3", { textContent: t("profile.thirds") }), lossTable(message.thirds, message)) : null,
      message.luck ? part(t("profile.luck"), make("p", { className: "verdict", textContent: t("profile.luckPoints", { luck: `${signed(message.luck[0])} ± ${halfWidth(message.luck[1])}` }) }),
        make("p", { className: "evidence", textContent: t("profile.luckMeans") })) : null,
    ].filter(Boolean)),
    make("div", { id: "reviewing" }, missing ? review : ""),
    make("div", { className: "buttons" }, button(t("profile.export"), () => say("export")), button(t("profile.delete"), () => askDelete(say))),
    make("p", { className: "evidence", textContent: t("profile.kept") }));
}

/** Return links that begin what should be practiced next, the most useful first.
    @type {(message: ProfileMessage, say: Say, act: { play: () => void }) => HTMLElement[]} */
function todo({ player, kinds, mistakes, offered, puzzles }, say, act) {
  const costly = kinds.find(isKnown);
  const weak = puzzles?.themes.find(([, tried, share]) => tried > 2 && share < 60);
  return [
    ...(costly ? [make("p", { textContent: t("profile.next", { kind: t(`kind.${costly.kind}`), count: Math.round(10 * costly.game) / 10 }) })] : []),
    make("div", { className: "links" },
      mistakes ? button(t("profile.practice"), () => say("practice", { begin: true, player }), { className: "main" }) : null,
      puzzles?.due ? button(t("profile.due", { count: puzzles.due }), () => say("practice", { begin: true })) : null,
      weak ? button(t("profile.weak", { theme: themeWords(weak[0]) }), () => say("practice", { begin: true, theme: weak[0] })) : null,
      puzzles?.due ? null : button(t("profile.newPuzzles"), () => say("practice", { begin: true })),
      button(t("profile.play", { level: offered }), act.play)),
  ];
}

/** @type {(puzzles: PuzzleProfile) => HTMLElement | null} */
function puzzlePart({ standing, days, themes }) {
  const [low, high] = [Math.min(...days.map(([, rating]) => rating), 1400), Math.max(...days.map(([, rating]) => rating), 1600)];
  return part(t("start.puzzles"),
    make("p", { className: "verdict", textContent: `${t("puzzle.rating", { rating: String(standing.rating) })} (± ${standing.interval})` }),
    make("p", { textContent: [t("profile.longest", { count: standing.longest }), t("puzzle.days", { count: standing.days })].join(" · ") }),
    days.length > 1 ? curve(days.map(([when, rating]) => [when, [Math.round(rating)]]), { label: (params) => t("profile.days", params), lines: [1200, 1500, 1800].map((each) => [each, String(each)]), low: low - 60, high: high + 60 }) : null,
    themes.length ? table([t("profile.theme"), t("profile.tried"), t("profile.solved")], themes.map(([theme, tried, share]) => [themeWords(theme), String(tried), percent(share)])) : null);
}

/** @type {(result: LevelResult) => string[]} */
function resultRow({ seats, level, games, won }) {
  const who = level === null ? t("profile.people") : t("profile.levelName", { level });
  return [`${who}, ${t("profile.seats", { count: seats })}`, String(games), `${fixed(won, won % 1 ? 1 : 0)} (${percent(Math.round((100 * won) / games))})`];
}

/** @type {(losses: KindLoss[], message: ProfileMessage) => HTMLElement} */
const lossTable = (losses, { games, recent }) => table([t("profile.kind"), t("profile.decisions"), t("profile.game")],
  losses.map((one) => [t(`kind.${one.kind}`), String(one.decisions), isKnown(one) ? gameLoss(one, Math.min(games, recent)) : t("profile.tooFew")]));

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

/** Return a graph of ratings over time, with their intervals if the numbers are [rating, low, high], and with
    horizontal lines that have names.
    @type {(points: [string, number[]][], scale: { label: (params: Params) => string, lines: [number, string][], low: number, high: number }) => HTMLElement} */
function curve(points, { label, lines, low, high }) {
  const ratings = points.map(([, [rating]]) => rating);
  const said = label({ first: String(ratings[0]), last: String(ratings[ratings.length - 1]), count: points.length });
  const svg = makeSvg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": said });
  const x = (/** @type {number} */ i) => LEFT + ((WIDTH - LEFT - 8) * i) / (points.length - 1);
  const y = (/** @type {number} */ rating) => HEIGHT - BOTTOM - ((HEIGHT - 2 * BOTTOM) * (Math.min(Math.max(rating, low), high) - low)) / (high - low);
  lines.forEach(([rating, words], i) => {
    if ((lines.length > 4 && i % 2) || rating < low || rating > high) return;
    svg.append(makeSvg("line", { x1: LEFT, x2: WIDTH - 8, y1: y(rating), y2: y(rating), class: "half" }),
      makeSvg("text", { x: 4, y: y(rating) + 3 }, words));
  });
  const at = (/** @type {number} */ number) => points.map(([, numbers], i) => `${x(i).toFixed(1)},${y(numbers[number]).toFixed(1)}`);
  if (points[0][1].length > 1) svg.append(makeSvg("polygon", { points: [...at(1), ...at(2).reverse()].join(" "), class: "band" }));
  svg.append(makeSvg("polyline", { points: at(0).join(" ") }));
  ratings.forEach((rating, i) => svg.append(makeSvg("circle", { cx: x(i).toFixed(1), cy: y(rating).toFixed(1), r: 3 })));
  return make("div", { className: "graph curve" }, svg,
    make("p", {}, ...[points[0], points[points.length - 1]].map(([when]) => make("span", { textContent: dayWords(when) }))));
}
