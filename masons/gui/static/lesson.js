/* Learn to play: the list of lessons, and the steps of a lesson on the board. */

import { button, byId, findIn, make, mode, paragraphs, roomy, setting, wide } from "./dom.js";
import { cardName, moveWords } from "./gamewords.js";
import { lessonPicture } from "./lessonpictures.js";
import { taskPicture } from "./panels.js";
import { language, t } from "./words.js";
import { showPart } from "./zoom.js";

const FIRST_WITH_CARDS = 5; // the first lesson whose texts speak of the hand
const MARGIN = 90; // of the land around the pieces that a step shows
/** @type {Record<string, string>} */
const LETTERS = { line: "l", space: "s", tower: "k" }; // the first letters of ids on the board

/** Return a text with the names of its cards, whose ids stand in braces.
    @type {(text: string) => string} */
const withCards = (text) => text.replace(/\{([a-z0-9-]+)\}/g, (_, card) => cardName(card));

/** Return a bar of the steps.
    @type {(step: number, steps: number) => HTMLElement} */
const pips = (step, steps) => make("div", { className: "pips", "aria-hidden": "true" }, ...Array.from({ length: steps }, (_, i) => make("i", { className: i < step ? "done" : "" })));

export class Lessons {
  look = "studying learning";
  /** @type {LessonMessage} */
  message;
  /** @type {StudiedPosition} */
  position;

  enlarged = ""; // the part of the board that is shown larger

  /** `act` has the functions `play`, which begins a game, and `home`, which shows the first screen.
      @param {Board} board
      @param {Say} say
      @param {{ play: () => void, home: () => void }} act */
  constructor(board, say, act) {
    this.board = board;
    this.say = say;
    this.act = act;
  }

  /** Show the list of lessons in place of the first screen.
      @type {(message: LessonsMessage) => void} */
  list({ lessons, fault }) {
    const next = lessons.find((lesson) => !lesson.done) || lessons[0];
    const done = lessons.filter((lesson) => lesson.done).length;
    setting("lessons", done);
    const place = byId("start");
    place.hidden = false;
    place.replaceChildren(...[
      button(t("lesson.home"), this.act.home, { className: "back" }),
      make("h1", { textContent: t("start.learn"), id: "lessons-title" }),
      make("div", { className: "progress" }, make("progress", { max: lessons.length, value: done, "aria-labelledby": "lessons-done" }),
        make("span", { id: "lessons-done", textContent: t("lesson.done", { count: done, total: lessons.length }) })),
      fault ? make("p", { className: "bad", role: "alert", textContent: fault }) : null,
      button(done === lessons.length ? t("lesson.play") : t("lesson.begin", { number: next.number, title: next.title }), done === lessons.length ? this.act.play : () => this.begin(next.number),
        { className: "main", id: "next-lesson" }),
      this.entries(lessons),
    ].filter(Boolean));
    byId("next-lesson").focus({ preventScroll: true });
  }

  /** @type {(number: number) => void} */
  begin = (number) => this.say("lesson", { number, language });

  /** Return the list of the lessons, of which one may be the current one.
      @type {(lessons: LessonEntry[], current?: number) => HTMLElement} */
  entries = (lessons, current) => make("ol", { className: "lessons" }, ...lessons.map(({ number, title, done }) => make("li", { className: done ? "done" : "" },
    make("button", { type: "button", "aria-current": number === current ? "step" : null, onclick: () => this.begin(number) },
      ...lessonPicture(number), make("span", { className: "tick", textContent: done ? "✓" : String(number), "aria-hidden": "true" }), make("span", { textContent: title }), done ? make("small", { className: "sr", textContent: t("lesson.isDone") }) : null))));

  /** Show a step, whose position the board shows already.
      @type {(message: LessonMessage) => void} */
  show(message) {
    this.message = message;
    document.title = t("lesson.title", { title: message.title });
    const { number, lessons, title, step, steps, said, position } = message;
    const task = message.task && withCards(message.task);
    const isDone = step === steps;
    mode("cardless", number < FIRST_WITH_CARDS);
    if (isDone) setting("lessons", Number(setting("lessons")) || 1);
    byId("lesson").replaceChildren(...[
      make("p", { className: "where", textContent: `${t("lesson.where", { number, lessons: lessons.length })} · ${t("lesson.progress", { step: Math.min(step + 1, steps), steps })}` }),
      make("div", { className: "picture", "aria-hidden": "true" }, ...lessonPicture(number)), make("h2", { textContent: title }), pips(step, steps),
      ...this.said(said), ...paragraphs(message.words.map(withCards)),
      task ? make("div", { className: "task" }, position.phase === "wall" ? taskPicture("wall") : null, // pieces have colors, which the text names
        make("p", { textContent: task }), button(t("lesson.show"), () => this.do("show"))) : null,
      isDone ? make("p", message.counts ? { className: "good", textContent: t("lesson.finished") } : { className: "hint", textContent: t("lesson.seen") }) : null,
    ].filter(Boolean));
    this.board.labels.tags(this.tagged(message));
    this.enlarge(number < FIRST_WITH_CARDS && wide() ? this.part(message) : null);
    byId("steps").replaceChildren(...this.buttons(isDone, task), make("details", { className: "contents", open: findIn(".contents", byId("steps"))?.hasAttribute("open") ?? roomy() },
      make("summary", { textContent: t("lesson.done", { count: lessons.filter(({ done }) => done).length, total: lessons.length }) }), this.entries(lessons, number)));
    byId("lesson").scrollIntoView(); // the answer stands at its top
    findIn("button.main", byId("steps"))?.focus({ preventScroll: true });
  }

  /** Show a part of the board larger, or the whole board, unless it was shown before: then its size is left as it is.
      @type {(part: import("./smallboard.js").Box | null) => void} */
  enlarge(part) {
    const key = part?.join(" ") ?? "";
    if (key !== this.enlarged) showPart(this.board.svg, part);
    this.enlarged = key;
  }

  /** Return the part of the board with pieces and with the places that the texts name, or null if there are none.
      @type {(message: LessonMessage) => import("./smallboard.js").Box | null} */
  part(message) {
    const { walls, towers } = message.position;
    const ids = [...walls.map((line) => "l" + line), ...Object.keys(towers).map((place) => "k" + place), ...this.tagged(message)];
    if (!ids.length) return null;
    const centers = ids.map((id) => this.board.places.center(id));
    const [[left, right], [top, bottom]] = [0, 1].map((axis) => [Math.min, Math.max].map((end) => end(...centers.map((center) => center[axis]))));
    return [left - MARGIN, top - MARGIN, right - left + 2 * MARGIN, bottom - top + 2 * MARGIN];
  }

  /** Return the ids of places whose numbers are shown on the board: places named in the texts and places to choose.
      @type {(message: LessonMessage) => Set<string>} */
  tagged({ places, position: { moves, phase } }) {
    const named = places.map(([kind, at]) => LETTERS[kind] + at).filter((id) => this.board.places.has(id));
    const letter = phase === "towers" ? "k" : "s";
    const put = (moves?.choices || []).flatMap((choice) => choice.put.map(([place]) => letter + place));
    const cities = (moves?.cities || []).filter(({ city }) => city !== null).map(({ city }) => "s" + city);
    return new Set([...named, ...put, ...cities]);
  }

  /** Return the elements that comment on the last move.
      @type {(said: SaidOfMove) => HTMLElement[]} */
  said({ right, points, shown, words }) {
    const texts = words.map(withCards);
    if (right === null) return texts.map((text) => make("p", { className: "hint", textContent: text }));
    const mark = right ? t("lesson.right") : t("lesson.notYet");
    return [make("div", { className: right ? "said good" : "said hint" },
      make("p", {}, make("b", { textContent: shown ? t("lesson.shown", { move: moveWords(shown.move, shown.facts) }) : mark }), points ? " " + t("lesson.points", { count: points }) : ""),
      ...paragraphs(texts))];
  }

  /** @type {(isDone: boolean, task: string | null) => HTMLButtonElement[]} */
  buttons(isDone, task) {
    const { number, lessons } = this.message;
    const leave = button(t("lesson.all"), () => this.say("lessons", { language }), { className: "quiet" });
    if (isDone && number < lessons.length) return [button(t("lesson.next"), () => this.begin(number + 1), { className: "main" }), leave];
    if (isDone) return [button(t("lesson.play"), this.act.play, { className: "main" }), leave];
    if (!task) return [button(t("lesson.goOn"), () => this.do("next"), { className: "main" }), leave];
    return [leave];
  }

  leave() {
    this.enlarge(null);
    this.board.labels.tags([]);
    byId("steps").replaceChildren();
  }

  idle = () => (this.position.decides ? "" : t("lesson.readOn"));
  /** @type {(act: DoLesson["act"], move?: string) => void} */
  do = (act, move = "") => this.say("learn", { act, move });
  /** @type {(move: string) => void} */
  move = (move) => this.do("move", move);
  hint = () => this.do("hint");
  undo = () => this.do("undo");
}
