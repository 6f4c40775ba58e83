/* The page: it shows the messages of the server, and sends the server what is chosen.

   The page is always in one mode. A mode is an object with `look`, the class of the body, for which the style
   sheet shows the parts of the mode. A mode may also have

     position     the position on the board
     isStudy      true if the analysis stays open during this mode
     move(text)   sends a decision made on the board
     pick(item)   handles a click on the board, if the clicks are no decisions
     idle()       returns why nothing can be chosen now, or "" if something can be chosen
     hint(), undo(), key(event)   handle the buttons and keys
     leave()      hides the parts of the mode */

import { showAfter } from "./after.js";
import { clearMoves } from "./drawnmoves.js";
import { BoardView } from "./board.js";
import { showSheet } from "./cardsheet.js";
import { Choices } from "./choices.js";
import { Coach } from "./coach.js";
import * as dialogs from "./dialogs.js";
import { byId, clearError, download, findIn, roomy, toast } from "./dom.js";
import { invitation, networkOpened } from "./friend.js";
import { Game } from "./game.js";
import { cardName, translateNames } from "./gamewords.js";
import { Lessons } from "./lesson.js";
import { showCommitment } from "./newgame.js";
import { Openings } from "./openings.js";
import { placeSupply, showRoll, showSeats, showSupply, showTask } from "./panels.js";
import * as place from "./place.js";
import { Practice } from "./practice.js";
import { isProfileOpen, showDeleted, showProfile, showReviewing } from "./profile.js";
import { noteAnswer, noteLost, noteSent } from "./resend.js";
import { showLook } from "./settings.js";
import { Setup } from "./setup.js";
import { Line } from "./socket.js";
import { isOn, startSounds, turnSound } from "./sound.js";
import { offerLevel, playOffered, showGames, showPreview, showStart } from "./start.js";
import { Study } from "./study.js";
import { startDrops } from "./studyform.js";
import { offerTabs, startTabs } from "./tabs.js";
import { closingWords, startTips } from "./tip.js";
import { language, learn, t } from "./words.js";
import { larger, smaller, startZoom, whole } from "./zoom.js";

showLook();

/** @type {IdMessage} */
let id = { type: "id", host: false, local: true, watch: false, cards: [], texts: {}, engines: [] };
/** @type {ListedGame[]} */
let games = [];
let returning = false; // true while the page restores what it showed before a reload or a reconnection

/** @type {Say} */
const say = (type, ...fields) => {
  if (!line.say(type, ...fields)) {
    toast(t("refuse.offline"), true);
    return;
  }
  if (noteSent(type, fields[0], game.position)) line.ping();
};

const board = new BoardView((item) => (mode.pick ? mode.pick(item) : choices.picks(item)), refuse);
const choices = new Choices(board, (move) => {
  choices.lock();
  mode.move?.(move);
});
const coach = new Coach(board, say, { lock: () => choices.lock(), restore: () => game.restore(), again });

// --- modes

/** @type {Mode} */
const start = { look: "starting", leave: () => byId("start").replaceChildren() };
const game = new Game(board, say, choices, coach, show);
const study = new Study(board, say, setUp, () => {
  choices.forget(); // what was picked
  show(study.position);
});
const setup = new Setup(board, say);
const practice = new Practice(board, say, () => choices.lock());
const lessons = new Lessons(board, say, {
  home: () => say("close"),
  play: () => { say("close"); playOffered(say); },
});
const openings = new Openings(board, say, () => { place.atStart(); say("leave"); });
/** @type {Mode} */
let mode = start;

/** Leave the mode for another one.
    @type {(next: Mode) => void} */
function enter(next) {
  if (next === mode) return;
  mode.leave?.();
  if (!next.isStudy) study.end();
  mode = next;
  choices.forget();
  clearMoves(board);
  showRoll(null);
  dialogs.close();
  clearError();
  for (const name of ["do-hint", "do-undo"]) byId(name).hidden = !mode.hint;
  byId("do-undo").disabled = false;
  byId("do-undo").title = t("page.undoTitle");
  byId("do-cards").hidden = mode === start || mode === openings;
  byId("start").hidden = mode !== start;
  byId("piles").open = mode !== practice || roomy(); // elsewhere the question and the board come first
  document.title = mode.isStudy ? t("title.analysis") : t("title.game");
  if (document.body.className === mode.look) return;
  document.body.className = mode.look;
  whole();
  window.scrollTo(0, 0);
  byId("now").scrollTop = 0;
  placeSupply(!mode.isStudy && roomy());
  if (mode !== study) offerTabs(mode === practice ? ["box"] : ["log", "box"]);
}

/** Enter a mode that shows no position.
    @type {(next: Mode) => void} */
function enterEmpty(next) {
  returning = false;
  enter(next);
  board.update({ walls: [], fresh: null, towers: {}, cities: [], scored: [], stocks: {} });
  board.offer([]);
}

/** Enter a mode that shows a position outside of a game.
    @type {(next: Study | Practice | Lessons, position: StudyPosition) => void} */
function enterPosition(next, position) {
  returning = false;
  enter(next);
  next.position = { people: [], away: [], seats: [], curtain: null, rolls: null, ...position };
  clearMoves(board);
  showRoll(position.roll);
  show(next.position);
}

/** Show a position on the board and in the panels.
    @type {(position: Position) => void} */
function show(position) {
  board.update(position);
  showSeats(position);
  showTask(position);
  showSupply(position);
  choices.show(position);
}

/** Return what lets a decision be made anew: in the game if nothing was revealed since, or else on a copy that has what
    its seat saw.
    @type {(mark: CoachMessage & { position: GamePosition }, isLast: boolean) => (() => void) | null} */
function again(mark, isLast) {
  if (isLast && game.position?.decides && !game.position.undo) return () => game.undo();
  return id.host ? () => study.tryCopy(mark.text, { ...mark, seat: mark.position.seat ?? 0, number: 1, is_coached: true }) : null;
}

/** Say why a place of the board cannot be chosen.
    @type {(target: string) => void} */
function refuse(target) {
  const { position } = mode;
  if (!mode.idle || !position || position.result) return;
  const text = mode.idle() || (position.phase !== "wall" ? t("refuse.choice", { do: t(`do.${position.phase}`) }) : target[0] === "l" && board.why(target));
  if (text) toast(text, true);
}

/** Let the analyzed position be changed by hand. */
function setUp() {
  enter(setup);
  setup.begin(study.position);
}

/** Show the first screen. */
function noGame() {
  if (returning) return; // the page will show something else
  enterEmpty(start);
  place.atStart();
  showStart(id, games, board, say, {
    setUp: () => {
      setup.wanted = true;
      say("study", { text: `masons1 board=${board.name} players=2 active=0 phase=wall hands=?6/?6` });
    },
    watch: () => {
      study.watch(true);
      toast(t("study.watching"));
    },
    learn: () => say("lessons", { language }),
    openings: () => openings.ask(),
  });
}

/** Go to the first screen. A running game is saved. */
function goHome() {
  if (isProfileOpen()) say("close");
  if (!id.host || mode === start) return;
  place.atStart();
  study.stepper.play(false);
  say("leave"); // this also ends an analysis, puzzles or a lesson
}

// --- messages

/** @type {(message: RecordMessage | ExportMessage) => void} */
function save(message) {
  download(message.text + "\n", "application/json", message.file.split(/[\\/]/).pop() || "masons.jsonl");
}

/** What is done with each message.
    @type {{ [K in Answer["type"]]: (message: Answers[K]) => void }} */
const hears = {
  board: (message) => board.set(message),
  id: (message) => {
    id = game.id = message;
    learn(message.texts);
    coach.forget();
    study.watchButton.hidden = !id.watch;
    const messages = id.host ? place.wayBack() : [];
    returning = messages.length > 0;
    for (const [type, fields] of messages) line.say(/** @type {any} */ (type), fields);
  },
  info: (message) => study.info(message),
  position: (message) => {
    if ("study" in message) {
      enterPosition(study, message);
      study.show();
      if (setup.wanted) setUp();
    } else {
      returning = false;
      enter(game);
      game.hear(message);
    }
  },
  study: (message) => study.hear(message),
  graph: (message) => study.plot(message),
  marks: (message) => study.kept(message),
  compared: (message) => study.compared(message),
  belief: (message) => study.belief(message),
  picture: (message) => study.picture(message),
  watched: () => study.stepper.play(true),
  review: (message) => study.reviewed(message),
  puzzle: (message) => {
    choices.forget(); // what was picked in the last puzzle
    if (message.position) enterPosition(practice, message.position);
    practice.ask(message);
  },
  solved: (message) => practice.solved(message),
  cards: (message) => { if (mode.position) showSheet(message, mode.position.hand, say); },
  lessons: (message) => {
    enterEmpty(start);
    place.atLessons();
    lessons.list(message);
  },
  lesson: (message) => {
    place.forgetStudy();
    place.atLesson(message.number);
    enterPosition(lessons, message.position);
    lessons.show(message);
  },
  openings: (message) => {
    if (mode !== openings) enterEmpty(openings);
    place.atOpenings();
    openings.show(message, id.cards);
  },
  nogame: noGame,
  games: (message) => {
    const isShown = JSON.stringify(games) === JSON.stringify(message.games);
    games = message.games;
    offerLevel(message.level);
    if (mode === start && !isShown) showGames(games, board, say);
  },
  bestmove: (message) => (mode === game ? game.showHint(message) : study.info(message)),
  preview: (message) => showPreview(message, board),
  coach: (message) => {
    if (message.asks) noteAnswer();
    coach.hear(message);
  },
  after: (message) => {
    if (game.position) showAfter(message, game.position, id.host, say, id.host ? (step, moments, tries) => study.lookBack(step, moments, tries) : null);
  },
  rating: showReviewing,
  profile: (message) => {
    if (!returning && !isProfileOpen()) return;
    enterEmpty(start);
    place.atProfile();
    showProfile(message, say, { play: () => playOffered(say) });
  },
  deleted: showDeleted,
  export: save,
  commitment: (message) => showCommitment(message.commitment, say),
  invite: (message) => { if (game.position) invitation(message, game.position, id.local, say); },
  presence: (message) => game.showPresence(message),
  pong: () => {},
  network: (message) => {
    id.local = message.local;
    networkOpened(say);
  },
  record: save,
  error: (message) => {
    // What was sent just before the screen changed comes too late: the new screen says enough.
    const { key, params } = message;
    noteAnswer();
    const named = params?.card ? { ...params, card: cardName(params.card) } : params;
    if (key || message.code !== "state") toast(key ? t(`error.${key}`, named) : message.text, true);
    if (game.isAsking) game.clearHint();
    setup.wanted = false;
    if (returning && place.hasStudy()) place.forgetStudy(); // the game is gone, but the page may still show its analysis
    else if (returning) {
      returning = false;
      place.atStart();
      say("leave");
    } else if (mode.move && mode.position && !game.isBusy) {
      showTask(mode.position);
      choices.draw();
    }
  },
};

const line = new Line((message) => {
  if (message.type !== "info") {
    byId("state").textContent = "";
    byId("state").classList.remove("lost");
  }
  translateNames(message);
  /** @type {Record<string, (message: any) => void>} */ (hears)[message.type]?.(message);
}, (state) => {
  if (state === "open") return;
  game.forget();
  noteLost();
  if (state === "refused") {
    byId("state").textContent = "";
    enter(start);
    dialogs.addressGone(id.host);
    return;
  }
  byId("state").textContent = t("page.lost");
  byId("state").classList.add("lost");
  if (mode === game) choices.lock(); // until the server sends the position
});

// --- buttons and keys

const showSound = () => {
  byId("do-sound").setAttribute("aria-pressed", String(isOn()));
  byId("do-sound").title = isOn() ? t("page.soundOn") : t("page.soundOff");
};
showSound();

const actions = {
  "do-home": goHome,
  "do-hint": () => mode.hint?.(),
  "do-undo": () => mode.undo?.(),
  "do-cards": () => { if (mode.position) say("cards"); },
  "do-rules": dialogs.rules,
  "do-sound": () => { turnSound(!isOn()); showSound(); },
  "do-menu": () => dialogs.menu(game.position, id, say, { switches: coach.switches(), resign: () => game.resign(), home: goHome }),
};
byId("to-board").addEventListener("click", () => board.focusFirst());
for (const [name, act] of Object.entries(actions)) byId(name).addEventListener("click", act);
startTabs();
startSounds();
findIn(".view")?.addEventListener("click", () => { if (mode === game) game.skip(); }, true);
startZoom();
startTips(board, (line) => (mode.position?.decides ? closingWords(mode.position, String(line)) : ""), (line) => mode.position?.moves?.closing?.[line] || []);
startDrops(say);

/** @type {Record<string, () => void>} */
const KEYS = {
  h: actions["do-hint"], u: actions["do-undo"], m: actions["do-menu"], g: actions["do-cards"], r: actions["do-rules"], "?": dialogs.keys, s: actions["do-sound"],
  b: () => board.focusFirst(), "+": larger, "=": larger, "-": smaller, 0: whole,
  c: () => (findIn("button:not(:disabled)", byId("hand")) || findIn("button:not(:disabled), select", byId("choices")) || byId("task")).focus(),
};
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || byId("dialog").open) return;
  if (event.target instanceof Element && ["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName)) return;
  if (event.key === "Escape") byId("popover").hidden = true;
  if (mode.key?.(event)) return;
  const act = KEYS[event.key];
  if (act) {
    event.preventDefault();
    act();
  }
});
