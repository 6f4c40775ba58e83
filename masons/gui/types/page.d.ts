// What the scripts of the page hand to each other. The messages are in messages.d.ts.

/** Sends a message to the server. */
type Say = <K extends keyof Requests>(type: K, ...fields: Fields<K>) => void;
type Fields<K extends keyof Requests> = {} extends Requests[K] ? [fields?: Requests[K]] : [fields: Requests[K]];
/** A message to send, with its type. */
type Saying = { [K in keyof Requests]: [type: K, fields: Requests[K]] }[keyof Requests];
type Answer = { [K in keyof Answers]: Answers[K] }[keyof Answers];

type GameEvent = StudyMessage["steps"][number][number];
type EventOf<K extends GameEvent["event"]> = Extract<GameEvent, { event: K }>;
type Moment = AfterMessage["moments"][number];
type Mark = Decision["mark"];
type Phase = GamePosition["phase"];
type Shape = GamePosition["stocks"][string][number];

/** A position of a game, a study, a lesson or a puzzle, as the board and the panels show it. */
type Position = Omit<GamePosition, OfGame> & Partial<Omit<Pick<GamePosition, OfGame>, "type" | "practice">> & {
  type?: "position";
  practice?: boolean;
  study?: true;
  lesson?: true;
};
type OfGame = "type" | "at" | "game" | "file" | "host" | "due" | "draws" | "practice" | "fair" | "undo" | "news" | "fault" | "coach" | "hints" | "present" | "rematch" | "clock";
/** A position of a study, with the fields of a game that the panels need. */
type StudiedPosition = StudyPosition & Pick<GamePosition, "result" | "people" | "away" | "seats" | "curtain" | "rolls">;

/** What the page shows; main.js says what the fields mean. */
interface Mode {
  look: string;
  isStudy?: boolean;
  position?: Position | null;
  move?(move: string): void;
  pick?(item: Item): void;
  idle?(): string;
  hint?(): void;
  undo?(): void;
  key?(event: KeyboardEvent): boolean;
  leave?(): void;
}

/** Something on the board that can be chosen. */
interface Item {
  id: string;
  kind: "line" | "place" | "city" | "setup";
  number: number;
  label: string;
  look?: "legal" | "city" | "first";
  tag?: boolean;
  move?: string;
  act?: () => void;
}

/** The pieces left in the supply, by kind. */
interface Left { walls: number; towers: number; houses: number; palaces: number }
type BestCard = Option["cards"][number];
/** The form for a new game, and the function that sets the level to offer. */
type GameForm = HTMLFormElement & { offer(level: number): void };
type Point = [x: number, y: number];
type Board = import("../static/board.js").BoardView;
type Coach = import("../static/coach.js").Coach;
type Choices = import("../static/choices.js").Choices;
/** A move on the board, with a mark or another label instead of its rank. */
interface DrawnMove { move: string; label?: string }
/** A move with its figures. */
type Figures = MeasuredMove & { is_early?: boolean; yours?: boolean; played?: boolean };
type Facts = Partial<MoveFacts>;
type Params = Record<string, string | number | undefined>;

// --- elements

type Child = Node | string | null | undefined;
/** The properties, attributes and listeners of a new element. */
type Given<E> = {
  [K in Exclude<keyof E, keyof GlobalEventHandlers | "style" | "children">]?: (E[K] extends string ? string | number : E[K]) | null;
} & {
  [K in keyof GlobalEventHandlers]?: ((event: Heard<K> & { target: E }) => void) | null;
} & {
  [name: `${string}-${string}`]: string | number | boolean | null | undefined;
  role?: string | null;
  for?: string;
};
type Heard<K extends keyof GlobalEventHandlers> = NonNullable<GlobalEventHandlers[K]> extends (event: infer V extends Event) => unknown ? V : Event;
type SvgAttributes = Record<string, string | number>;
type Options = [value: string | number, words: string, more?: Given<HTMLOptionElement>][];

/** The elements that are not just any element, by id. */
interface Ids {
  dialog: HTMLDialogElement;
  piles: HTMLDetailsElement;
  level: HTMLSelectElement;
  scene: HTMLButtonElement;
  "do-undo": HTMLButtonElement;
  "do-hint": HTMLButtonElement;
}

// As `filter` removes what is empty.
interface Array<T> {
  filter(is: BooleanConstructor): Exclude<T, null | undefined | false | "" | 0>[];
}
