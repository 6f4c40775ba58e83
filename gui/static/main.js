/* The page: messages of the server to what is shown, what is chosen to the server. */

import { clearArrows, drawArrows } from "./arrows.js";
import { lookBack, showAfter } from "./after.js";
import { BoardView } from "./board.js";
import { refreshSheet, showSheet } from "./cardsheet.js";
import { Choices } from "./choices.js";
import { Coach } from "./coach.js";
import * as dialogs from "./dialogs.js";
import { afterFrame, button, byId, calm, make, toast } from "./dom.js";
import { hintPanel } from "./hint.js";
import { showCommitment } from "./newgame.js";
import { Lessons } from "./lesson.js";
import { Openings } from "./openings.js";
import { Practice } from "./practice.js";
import { showDice, showNews, showSeats, showSupply, showTask } from "./panels.js";
import * as place from "./place.js";
import { showDeleted, showProfile, showReviewing } from "./profile.js";
import { Setup } from "./setup.js";
import { Line } from "./socket.js";
import { offerLevel, playOffered, showGames, showPreview, showStart } from "./start.js";
import { Study, startDrops } from "./study.js";
import { closingWords, startTips } from "./tip.js";
import { language, t } from "./words.js";
import { translateNames } from "./gamewords.js";
import { larger, smaller, startZoom, whole } from "./zoom.js";

const PACE = 420; // ms between positions that others bring about

let id = { host: false, local: true, cards: [], engines: [] };
let position = null;
let games = [];
let waiting = [];
let busy = 0;
let asking = false; // whether a hint is awaited
let isPreparing = false; // whether the engine is being loaded
let clicked = null; // the message of the last click meanwhile
let returning = false; // whether the page waits for what it looked at before

const say = (type, fields) => {
  if (isPreparing && type !== "previews") {
    clicked = [type, fields];
    toast(t("page.preparing"));
  } else if (!line.say(type, fields)) toast(t("refuse.offline"), true);
};

/** The engine is loaded: say what was clicked last. */
function prepared() {
  isPreparing = false;
  byId("state").textContent = "";
  if (clicked) say(...clicked);
  clicked = null;
}

const board = new BoardView((item) => {
  if (item.act) item.act();
  else if (item.kind === "answer") practice.answer(item.move);
  else if (item.kind === "setup") setup.pick(item);
  else choices.picks(item);
}, (target) => refuse(target));
const choices = new Choices(board, (move) => {
  choices.lock();
  if (position.lesson) lessons.do("move", move);
  else if (position.study) say("try", { move });
  else say("move", { move, at: position.at, ...coach.sends(position) });
});
const study = new Study(board, say, () => setup.begin(position.text));
const practice = new Practice(board, say);
const setup = new Setup(board, say);
const lessons = new Lessons(board, say, {
  home: () => say("close"),
  play: () => { say("close"); playOffered(say); },
});
const coach = new Coach(board, say, { lock: () => choices.lock(), restore });
const openings = new Openings(board, say, () => { place.atStart(); say("leave"); });

function refuse(target) {
  if (!position || position.result || setup.active) return;
  if (position.practice) toast(t("refuse.letters"), true);
  else if (position.lesson && !position.decides) toast(t("lesson.readOn"), true);
  else if (position.study && !position.decides) toast(t("refuse.nothing"), true);
  else if (!position.decides) toast(position.curtain !== null ? t("refuse.curtain") : t("refuse.turn"), true);
  else if (position.phase !== "wall") toast(t("refuse.choice", { do: t(`do.${position.phase}`) }), true);
  else if (target[0] === "l") toast(board.why(target), true);
}

/** Show the parts of the page of a mode: starting, playing or studying. */
function enter(mode) {
  if (document.body.className === mode) return;
  document.body.className = mode;
  byId("do-cards").hidden = ["starting", "exploring"].includes(mode);
  byId("start").hidden = mode !== "starting";
  window.scrollTo(0, 0);
  document.querySelector(".side").scrollTop = 0;
}

/** A position that is studied: the same board and panels, other buttons. */
function showStudy(next) {
  const isOther = !position || !position.study;
  position = { result: null, people: [], away: [], seats: [], curtain: null, rolls: null, ...next };
  waiting = [];
  enter(position.lesson ? "studying learning" : "studying");
  returning = false;
  if (isOther) dialogs.close();
  clearBoard();
  board.update(position);
  showSeats(position);
  showTask(position);
  byId("dice").replaceChildren();
  showSupply(position);
  choices.show(position);
  for (const name of ["do-hint", "do-undo"]) byId(name).hidden = !position.lesson;
  for (const name of ["advice", "after"]) byId(name).hidden = true;
  coach.hide();
  byId("steps").replaceChildren();
  setup.end();
  if (position.lesson) study.hide();
  else if (!position.practice) study.show(position);
  if (setup.wanted) setup.begin(position.text);
  document.title = t("title.analysis");
}

function show(next) {
  const before = position;
  position = next;
  returning = false;
  place.atGame(position.file);
  enter("playing");
  study.hide();
  board.update(position);
  showSeats(position);
  showTask(position);
  showNews(position);
  showDice(position);
  showSupply(position);
  choices.show(position);
  refreshSheet(say);
  table();
  coach.show(position);
  if (!position.result) byId("after").hidden = true;
  else if (!before || !before.result) lookBack(say);
  if (!before || before.at !== position.at) clearHint();
  byId("do-hint").hidden = !position.decides;
  byId("do-undo").hidden = !position.decides;
  byId("do-undo").disabled = Boolean(position.undo);
  byId("do-undo").title = position.undo ? t(`undo.${position.undo}`) : t("page.undoTitle");
  if (position.curtain === null) dialogs.close("curtain");
  else dialogs.curtain(position.names[position.curtain], () => say("sit", { seat: position.curtain }),
    id.host ? () => say("leave") : null);
  document.title = position.decides ? t("title.decision") : t("title.game");
}

/** The game as it stands, after something else was on the board or a move was not made. */
function restore() {
  if (!position || position.study) return;
  board.update(position);
  showTask(position);
  choices.draw();
  table();
  if (!busy) shift();
}

/** Dice and cards of a real table. */
function table() {
  const box = byId("choices");
  const name = position.names[position.decider];
  const at = position.at;
  if (position.fault) {
    box.replaceChildren(button(t("game.retry"), () => say("retry"), { className: "main" }),
      id.host ? button(t("game.leave"), () => say("leave")) : "");
  } else if (position.rolls !== null) box.replaceChildren(...dialogs.rollChoices(position.rolls, name, (roll) => say("roll", { ...roll, at })));
  else if (position.result && id.host) {
    box.replaceChildren(
      button(t("game.analyze"), () => say("study"), { className: "main" }),
      button(t("game.new"), () => say("leave")), button(t("game.save"), () => say("record")),
    );
  } else if (position.draws) box.replaceChildren(...dialogs.cardChoices(id.cards, name, (card) => say("card", { card, at })));
}

function noGame() {
  if (returning) return; // what it looked at comes next
  leave();
  place.atStart();
  showStart(id, games, board, say, { setUp, watch, learn: () => say("lessons", { language }), openings: () => openings.ask() });
}

/** Show no position any more. */
function leave() {
  position = null;
  returning = false;
  choices.position = null;
  waiting = [];
  board.update({ walls: [], fresh: null, towers: {}, cities: [], scored: [], stocks: {} });
  board.offer([]);
  clearBoard();
  enter("starting");
  study.hide();
  for (const name of ["do-hint", "do-undo", "after"]) byId(name).hidden = true;
  coach.hide();
  dialogs.close();
}

/** Each new game of the file that the program was started with. */
function watch() {
  if (!study.watching) study.watch();
  toast(t("study.watching"));
}

/** The board of a game that has not begun, to be changed by hand. */
function setUp() {
  setup.wanted = true;
  say("study", { text: `masons1 board=${board.name} players=2 active=0 phase=wall hands=?6/?6` });
}

/** Positions that come fast, as between engines, are shown one after the other. */
function queue(next) {
  waiting.push(next);
  if (!busy) shift();
}

function shift() {
  busy = 0;
  if (coach.replaying) return; // they wait for its end
  const next = waiting.shift();
  if (!next) return;
  show(next);
  const others = next.due === "engine" || waiting.length > 0;
  if (others && !calm() && !document.hidden && waiting.length < 8) busy = window.setTimeout(shift, PACE);
  else shift();
}

function clearHint() {
  asking = false;
  byId("advice").hidden = true;
  clearBoard();
}

/** No arrows and letters. */
function clearBoard() {
  clearArrows(board);
  board.letters({});
}

function askHint() {
  if (position && position.lesson) {
    lessons.do("hint");
    return;
  }
  if (coach.replaying) return;
  if (!position || !position.decides) return;
  asking = true;
  const box = byId("advice");
  box.hidden = false;
  box.replaceChildren(make("p", { textContent: t("hint.thinking") }), button(t("study.stop"), () => say("stop")));
  say("go");
}

function showHint(hint) {
  if (!position || hint.at !== position.at) return;
  asking = false;
  const box = byId("advice");
  const act = (words, move) => dialogs.ask(t("hint.ask", { move: words }), t("hint.make"), () => say("move", { move, at: position.at }));
  box.hidden = false;
  box.replaceChildren(...hintPanel(hint, position, act), button(t("hint.hide"), clearHint));
  drawArrows(board, position, hint.choices);
}

function save(message) {
  const link = make("a", {
    href: URL.createObjectURL(new Blob([message.text + "\n"], { type: "application/json" })),
    download: message.file.split(/[\\/]/).pop() || "masons.jsonl",
  });
  link.click();
}

const hears = {
  board: (message) => board.set(message),
  id: (message) => {
    id = message;
    coach.forget();
    study.watchButton.hidden = !id.watch;
    const messages = id.host ? place.wayBack() : [];
    returning = messages.length > 0;
    for (const [type, fields] of messages) line.say(type, fields);
  },
  info: (message) => study.info(message),
  position: (message) => (message.study ? showStudy(message) : queue(message)),
  study: (message) => study.hear(message),
  compared: (message) => study.compared(message),
  belief: (message) => study.belief(message),
  picture: (message) => study.picture(message),
  watched: () => study.play(true),
  review: (message) => study.reviewed(message),
  puzzle: (message) => {
    if (message.position) showStudy({ ...message.position, moves: null });
    practice.ask(message);
  },
  solved: (message) => practice.solved(message),
  cards: (message) => position && showSheet(message, position.hand, say),
  lessons: (message) => {
    leave();
    place.atLessons();
    lessons.list(message);
  },
  lesson: (message) => {
    place.forgetStudy();
    place.atLesson(message.number);
    showStudy(message.position);
    lessons.show(message);
    document.title = t("lesson.title", { title: message.title });
  },
  openings: (message) => {
    if (document.body.className !== "exploring") leave();
    place.atOpenings();
    enter("exploring");
    openings.show(message, id.cards);
  },
  nogame: noGame,
  preparing: () => {
    isPreparing = true;
    byId("state").textContent = t("page.preparing");
  },
  games: (message) => {
    const isShown = JSON.stringify(games) === JSON.stringify(message.games);
    games = message.games;
    if (isPreparing) afterFrame(() => line.say("shown"));
    if (message.level !== undefined) offerLevel(message.level);
    if (!position && !isShown) showGames(games, board, say);
  },
  bestmove: (message) => (position && position.study ? study.info(message) : showHint(message)),
  preview: (message) => showPreview(message, board),
  coach: (message) => coach.hear(message),
  after: (message) => showAfter(message, position, id.host, say),
  rating: showReviewing,
  profile: (message) => showProfile(message, say),
  deleted: showDeleted,
  export: save,
  commitment: (message) => showCommitment(message.commitment, say),
  invite: (message) => dialogs.invitation(position.names[message.seat], message.path, id.local),
  record: save,
  error: (message) => {
    toast(message.key ? t(`error.${message.key}`, message.params) : message.text, true);
    if (asking) clearHint();
    if (returning && place.hasStudy()) place.forgetStudy(); // its game is gone; what it analyzed comes next
    else if (returning) {
      returning = false;
      place.atStart();
      say("leave");
    } else if (position && !busy && !waiting.length && !setup.active) {
      showTask(position);
      choices.draw();
    }
  },
};

const line = new Line((message) => {
  if (message.type !== "info" && !isPreparing) byId("state").textContent = "";
  translateNames(message);
  hears[message.type]?.(message);
  if (isPreparing && (["position", "error"].includes(message.type) || message.level !== undefined)) prepared();
}, (state) => {
  if (state === "open") return;
  isPreparing = false;
  clicked = null;
  waiting = [];
  if (state === "refused") {
    byId("state").textContent = "";
    enter("starting");
    dialogs.addressGone(id.host);
    return;
  }
  byId("state").textContent = t("page.lost");
  if (position && !position.study) choices.lock(); // until it is known how the game stands
});

function undo() {
  if (position && position.lesson) {
    lessons.do("undo");
    return;
  }
  if (!position || !position.decides) return;
  if (position.undo) toast(t(`undo.${position.undo}`), true);
  else {
    coach.undone();
    say("undo", { at: position.at });
  }
}

function openCards() {
  if (position) say("cards");
}

function openMenu() {
  dialogs.menu(position, id, say, {
    switches: coach.switches(),
    resign: () => dialogs.ask(t("resign.ask", { name: position.names[position.seat] }), t("resign.yes"), () => say("resign", { at: position.at })),
  });
}

/** The first screen; a game that goes on is saved. */
function goHome() {
  if (!id.host || document.body.className === "starting") return;
  place.atStart();
  if (position && position.study) say("close");
  say("leave");
}

byId("do-home").addEventListener("click", goHome);
byId("do-hint").addEventListener("click", askHint);
byId("do-undo").addEventListener("click", undo);
byId("do-menu").addEventListener("click", openMenu);
byId("do-cards").addEventListener("click", openCards);
startZoom();
startTips(board, (line) => (position && position.decides ? closingWords(position, String(line)) : ""));
startDrops(say);

const KEYS = {
  h: askHint, u: undo, m: openMenu, g: openCards, "?": openCards, b: () => board.focusFirst(), "+": larger, "=": larger, "-": smaller, 0: whole,
  c: () => (byId("choices").querySelector("button:not(:disabled), select") || byId("hand").querySelector("button") || byId("task")).focus(),
};
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || byId("dialog").open) return;
  if (["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName)) return;
  if (event.key === "Escape") byId("popover").hidden = true;
  if (position && position.study && !position.practice && !position.lesson && !setup.active && !event.target.closest("#board .live") && study.key(event)) return;
  const act = KEYS[event.key];
  if (act) {
    event.preventDefault();
    act();
  }
});
