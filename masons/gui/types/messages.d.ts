// The messages between page and server. `python docs/tools/page_types.py` writes this file from the
// classes in masons/gui/messages.py and sent_messages.py; their meaning is in messages.md.

interface Requests {
  "step": GoToStep;
  "try": TryMove;
  "evaluate": Evaluate;
  "compare": Compare;
  "belief": AskBelief;
  "review": StartReview;
  "answer": AnswerPuzzle;
  "lessons": ListLessons;
  "lesson": BeginLesson;
  "learn": DoLesson;
  "watch": WatchFile;
  "picture": AskPicture;
  "save": SaveLine;
  "newgame": NewGame;
  "commit": Commit;
  "resume": Resume;
  "leave": Leave;
  "previews": AskPreviews;
  "openings": AskOpenings;
  "invite": Invite;
  "network": OpenNetwork;
  "study": OpenStudy;
  "practice": NextPuzzle;
  "profile": AskProfile;
  "export": ExportGames;
  "forget": DeleteGames;
  "delete": DeleteGame;
  "close": CloseStudy;
  "sit": Sit;
  "ready": Ready;
  "rematch": Rematch;
  "move": MakeMove;
  "roll": GiveRoll;
  "card": GiveCard;
  "undo": Undo;
  "resign": Resign;
  "retry": Retry;
  "coach": SetCoach;
  "record": AskRecord;
  "games": ListGames;
  "ping": Ping;
  "go": StartSearch;
  "after": LookBack;
  "stop": StopSearch;
  "cards": AskCards;
}

interface Answers {
  "board": BoardMessage;
  "id": IdMessage;
  "commitment": CommitmentMessage;
  "games": GamesMessage;
  "preview": PreviewMessage;
  "cards": CardsMessage;
  "nogame": NoGameMessage;
  "position": GamePosition | StudyPosition;
  "info": RankingMessage | ProgressMessage;
  "graph": GraphMessage;
  "marks": MarksMessage;
  "bestmove": BestMoveMessage;
  "invite": InviteMessage;
  "presence": PresenceMessage;
  "network": NetworkMessage;
  "pong": PongMessage;
  "record": RecordMessage;
  "study": StudyMessage;
  "review": ReviewMessage;
  "coach": CoachMessage;
  "after": AfterMessage | AfterProgress;
  "rating": RatingMessage;
  "profile": ProfileMessage;
  "export": ExportMessage;
  "deleted": DeletedMessage;
  "puzzle": PuzzleMessage;
  "solved": SolvedMessage;
  "lessons": LessonsMessage;
  "lesson": LessonMessage;
  "compared": ComparedMessage;
  "belief": BeliefMessage;
  "openings": OpeningsMessage;
  "picture": PictureMessage;
  "watched": WatchedMessage;
  "error": ErrorMessage;
}

interface GoToStep {
  to: number;
  back?: boolean;
}

interface TryMove {
  move: string;
}

interface Evaluate {
}

interface Compare {
  first: string;
  second: string;
}

interface AskBelief {
}

interface StartReview {
}

interface AnswerPuzzle {
  move: string;
}

interface ListLessons {
  language?: string;
}

interface BeginLesson {
  number: number;
  language?: string;
}

interface DoLesson {
  act: "hint" | "move" | "next" | "show" | "undo";
  move?: string;
}

interface WatchFile {
  on: boolean;
}

interface AskPicture {
  kind: "gif" | "html" | "png" | "svg";
  turns?: number;
}

interface SaveLine {
}

interface NewGame {
  seats: SeatWish[];
  seed?: number | null;
  dice?: "engine" | "own";
  hands?: string[][] | null;
  first?: number;
  practice?: boolean;
  early_roll?: boolean;
  nonces?: string[];
  clock?: ClockWish | null;
  hints?: boolean;
}

interface SeatWish {
  kind: "engine" | "person";
  name?: string;
  level?: number | null;
  seconds?: number | null;
  engine?: string;
}

interface ClockWish {
  seconds: number;
  increment?: number;
}

interface Commit {
  players: number;
}

interface Resume {
  file: string;
}

interface Leave {
}

interface AskPreviews {
  files: string[];
}

interface AskOpenings {
  players: number;
  hand?: string[];
}

interface Invite {
  seat: number;
  back?: boolean;
  again?: boolean;
}

interface OpenNetwork {
}

interface OpenStudy {
  text?: string;
  game?: number;
  step?: number | null;
  file?: string;
}

interface NextPuzzle {
  begin?: boolean;
  daily?: boolean;
  theme?: string;
  mistakes?: boolean;
  player?: string;
  file?: string;
}

interface AskProfile {
  player?: string;
  review?: boolean;
}

interface ExportGames {
}

interface DeleteGames {
}

interface DeleteGame {
  file: string;
}

interface CloseStudy {
}

interface Sit {
  seat: number | null;
}

interface Ready {
}

interface Rematch {
}

interface MakeMove {
  move: string;
  at: number;
  sure?: boolean;
}

interface GiveRoll {
  tower: string | null;
  houses: string[];
  at: number;
}

interface GiveCard {
  card: string;
  at: number;
}

interface Undo {
  at: number;
}

interface Resign {
  at: number;
}

interface Retry {
}

interface SetCoach {
  on: boolean;
}

interface AskRecord {
}

interface ListGames {
}

interface Ping {
}

interface StartSearch {
  sims?: number | null;
  infinite?: boolean;
}

interface LookBack {
}

interface StopSearch {
}

interface AskCards {
  city?: number | null;
}

interface BoardMessage {
  type: "board";
  board: string;
  svg: string;
  regions: number[];
  lines: ([number, number, number, number | null])[];
}

interface IdMessage {
  type: "id";
  host: boolean;
  local: boolean;
  watch: boolean;
  cards: string[];
  texts: Record<string, string>;
  engines: string[];
}

interface CommitmentMessage {
  type: "commitment";
  commitment: string;
}

interface GamesMessage {
  type: "games";
  games: ListedGame[];
  level: number;
}

interface ListedGame {
  file: string;
  names: string[];
  over: boolean;
  changed: string;
  open: boolean;
}

interface PreviewMessage extends Pieces {
  type: "preview";
  file: string;
  names: string[];
  scores: number[];
  winners: number[];
  turn: number;
}

interface Pieces {
  walls: number[];
  fresh: number | null;
  towers: Record<string, string>;
  cities: number[][];
  scored: number[];
  stocks: Record<string, [string, number, number, number, number][]>;
}

interface CardsMessage {
  type: "cards";
  city: number | null;
  cities: number[];
  cards: SheetCard[];
}

interface SheetCard {
  card: string;
  points: number;
  counts: [string, number][];
  played: number;
}

interface NoGameMessage {
  type: "nogame";
  at: number;
}

interface GamePosition {
  type: "position";
  walls: number[];
  fresh: number | null;
  towers: Record<string, string>;
  cities: number[][];
  scored: number[];
  stocks: Record<string, [string, number, number, number, number][]>;
  names: string[];
  turn: number;
  phase: "draw" | "final" | "houses" | "merge" | "over" | "roll" | "score" | "swap" | "towers" | "wall";
  end: string | null;
  active: number;
  scores: number[];
  cards: number[];
  deck: number;
  face_up: string[];
  supply: Supply;
  seat: number | null;
  decider: number | null;
  decides: boolean;
  hand: HeldCard[] | null;
  moves: Moves | null;
  at: number;
  game: number;
  file?: string;
  host: boolean;
  seats: number[];
  curtain: number | null;
  people: number[];
  away: number[];
  due: "card" | "engine" | "over" | "person" | "roll";
  rolls: boolean | null;
  draws: boolean;
  practice: boolean;
  hints: boolean;
  present: number[];
  rematch: number[] | null;
  clock: ClockState | null;
  fair: FairGame | null;
  undo: string | null;
  news: News;
  result: GameResult | null;
  fault: string | null;
  coach: boolean | null;
}

interface Supply {
  walls: number;
  towers: number[];
  houses: number[];
  palaces: number[];
}

interface HeldCard {
  card: string;
  points: number;
}

interface Moves {
  walls?: Record<string, number>;
  closing?: Record<string, [string, number][]>;
  early_roll?: boolean;
  choices?: Option[];
  cities?: CityPoints[];
}

interface Option {
  move: string;
  put: [number, number][];
  cards: [string, number][];
}

interface CityPoints {
  city: number | null;
  points: Record<string, number>;
}

interface ClockState {
  seconds: number;
  increment: number;
  left: number[];
  running: number | null;
}

interface FairGame {
  commitment: string;
}

interface News {
  first: number;
  events: (WallEvent | EarlyRollEvent | RollEvent | TowersEvent | HousesEvent | CityEvent | MergeEvent | PalacesEvent | PlayEvent | AbstainEvent | SwapEvent | ReshuffleEvent | FinalEvent)[];
}

interface WallEvent {
  event: "wall";
  seat: number | null;
  line: number;
}

interface EarlyRollEvent {
  event: "early-roll";
  seat: number | null;
  points: number;
}

interface RollEvent {
  event: "roll";
  seat: number | null;
  tower?: string | null;
  houses: string[];
}

interface TowersEvent {
  event: "towers";
  seat: number | null;
  put: [number, string][];
}

interface HousesEvent {
  event: "houses";
  seat: number | null;
  put: [number, string][];
}

interface CityEvent {
  event: "city";
  seat: number | null;
  spaces: number[];
  walls_back: number[];
  towers_back: unknown[];
}

interface MergeEvent {
  event: "merge";
  seat: number | null;
  with: number | null;
  walls_back?: number[];
  towers_back?: unknown[];
}

interface PalacesEvent {
  event: "palaces";
  seat: number | null;
  built: Record<string, number>;
}

interface PlayEvent {
  event: "play";
  seat: number | null;
  cards: string[];
  points: number[];
  drew?: string[] | number;
}

interface AbstainEvent {
  event: "abstain";
  seat: number | null;
  card: string;
  drew?: string[] | number;
}

interface SwapEvent {
  event: "swap";
  seat: number | null;
  out: string[];
  in?: string[] | number;
}

interface ReshuffleEvent {
  event: "reshuffle";
  seat: number | null;
  deck: number;
}

interface FinalEvent {
  event: "final";
  seat: number | null;
  cards: string[];
  points: number[];
  city: number | null;
}

interface GameResult {
  winners: number[];
  end?: string;
  resigned?: number;
  forfeit?: number;
}

interface StudyPosition {
  type: "position";
  walls: number[];
  fresh: number | null;
  towers: Record<string, string>;
  cities: number[][];
  scored: number[];
  stocks: Record<string, [string, number, number, number, number][]>;
  names: string[];
  turn: number;
  phase: "draw" | "final" | "houses" | "merge" | "over" | "roll" | "score" | "swap" | "towers" | "wall";
  end: string | null;
  active: number;
  scores: number[];
  cards: number[];
  deck: number;
  face_up: string[];
  supply: Supply;
  seat: number | null;
  decider: number | null;
  decides: boolean;
  hand: HeldCard[] | null;
  moves: Moves | null;
  study: true;
  roll: RollEvent | null;
  text: string;
  hands: HeldCard[][];
  result: GameResult | null;
  step?: number;
  played?: string | null;
  at?: number;
  lesson?: true;
  practice?: true;
}

interface RankingMessage extends Ranking {
  type: "info";
}

interface Ranking {
  choices: RankedChoice[];
  by_points: boolean;
  is_open: boolean;
  iterations: number;
  games: number;
  scores: number[];
  why: Why[];
  most_lost: number | null;
  next: Next | null;
  at: number;
  seconds?: number;
  wins?: number[];
}

interface RankedChoice extends MeasuredMove {
  is_early: boolean;
  line: number | null;
}

interface MeasuredMove {
  move: string;
  facts: MoveFacts;
  win: number | null;
  interval: number | null;
  loss: number | null;
  loss_interval: number | null;
  is_equal: boolean;
}

interface MoveFacts {
  points: number[];
  spaces: number;
}

interface Why {
  move: string;
  against: string;
  is_clear: boolean;
  reasons: WhyReason[];
  bare: WhyReason[];
  is_middling: boolean;
  end: WhyEnd | null;
  points: number | null;
  is_even: boolean;
  given_up: number;
}

interface WhyReason {
  part: "cities" | "final" | "now" | "others";
  seat: number;
  is_more: boolean;
  points: number;
  interval: number;
  causes: WhyCause[];
}

interface WhyCause {
  kind: "card" | "city" | "kept" | "laterCity" | "otherPlays" | "plays" | "rest" | "swap" | "thisTurn" | "turn" | "turns";
  cards?: string[];
  seat?: number;
  city?: NamedCity | null;
  value?: number;
  other?: number;
  others?: string[];
  is_played?: boolean;
}

interface NamedCity {
  space: number;
  colors: string[];
}

interface WhyEnd {
  is_now: boolean;
  now: number;
  now_other: number;
  turns: number;
  turns_other: number;
  is_sooner: boolean;
  seat: number | null;
}

interface Next {
  you: number;
  seat: number;
  completes: LikelyCity | null;
  piece: LikelyPiece | null;
  answer: LikelyWall | null;
  answer_completes: LikelyCity | null;
  own: LikelyWall | null;
  plays: [string, number, number][];
  keeps: string[];
}

interface LikelyCity {
  city: ShownCity | null;
  share: number;
}

interface ShownCity {
  space: number;
  colors: string[];
}

interface LikelyPiece {
  kind: "house" | "tower";
  color: string;
  place: number;
  share: number;
}

interface LikelyWall {
  line: number;
  share: number;
}

interface GraphMessage {
  type: "graph";
  at?: number;
  points: GraphPoint[];
}

interface GraphPoint {
  step: number;
  wins: number[];
  luck: number[];
}

interface MarksMessage {
  type: "marks";
  decisions: Decision[];
  mistakes: number[];
}

interface Decision extends RatedMove {
  number: number;
  turn: number;
  seat: number;
  is_coached: boolean;
}

interface RatedMove extends Loss {
  mark: "best" | "blunder" | "error" | "good" | "inaccuracy" | "unsure";
  played: string;
  played_facts: MoveFacts;
  best: string;
  best_facts: MoveFacts;
  why: Why | null;
  games: number;
}

interface Loss {
  win: number | null;
  win_interval: number | null;
  loss: number;
  interval: number;
  points: number;
  points_interval: number;
  equal: string[];
  worth: Worth | null;
}

interface Worth {
  kind: "ahead" | "behind" | "margin";
  games: number;
  spread: number;
}

interface ProgressMessage {
  type: "info";
  done: number;
  total: number;
  at?: number;
}

interface BestMoveMessage extends Ranking {
  type: "bestmove";
  move: string;
  stopped?: boolean;
}

interface InviteMessage {
  type: "invite";
  seat: number;
  path: string;
  link: string;
  qr: string;
}

interface PresenceMessage {
  type: "presence";
  present: number[];
  rematch: number[] | null;
  clock: ClockState | null;
}

interface NetworkMessage {
  type: "network";
  local: boolean;
}

interface PongMessage {
  type: "pong";
}

interface RecordMessage {
  type: "record";
  file: string;
  text: string;
}

interface StudyMessage {
  type: "study";
  names: string[];
  games: number;
  is_over: boolean;
  branch: number | null;
  line: string[];
  source: Record<string, string | number> | null;
  steps: ((WallEvent | EarlyRollEvent | RollEvent | TowersEvent | HousesEvent | CityEvent | MergeEvent | PalacesEvent | PlayEvent | AbstainEvent | SwapEvent | ReshuffleEvent | FinalEvent)[])[];
}

interface ReviewMessage {
  type: "review";
  at?: number;
  decisions: Decision[];
  players: ReviewedPlayer[];
  mistakes: number[];
  dear: number[];
  results: MarginResult[];
}

interface ReviewedPlayer {
  seat: number;
  marks: Record<string, number>;
  mean_loss: number;
  error: number;
}

interface MarginResult {
  seat: number;
  margin: number;
  luck: number;
  play: number;
  digits: number;
  interval: number;
}

interface CoachMessage extends RatedMove {
  type: "coach";
  at: number;
  asks: boolean;
  line: [string, number][];
  text: string;
}

interface AfterMessage {
  type: "after";
  file: string;
  results: MarginResult[];
  moments: (LuckMoment | MistakeMoment)[];
  mistakes: number;
}

interface LuckMoment {
  kind: "luck";
  turn: number;
  seat: number;
  loss: number;
  cause: "cards" | "deal" | "dice" | null;
  who: number | null;
  fell: string[];
  picture: string;
}

interface MistakeMoment extends Decision {
  kind: "mistake";
  picture: string;
  is_gift?: true;
}

interface AfterProgress {
  type: "after";
  done: number;
  total: number;
}

interface RatingMessage {
  type: "rating";
  game: number;
  games: number;
  done: number;
  total: number;
}

interface ProfileMessage {
  type: "profile";
  player: string;
  players: string[];
  games: number;
  missing: number;
  recent: number;
  rated: number;
  rating: [number, number, number] | null;
  more: number;
  seats: number;
  ends: [number, number];
  level: number;
  levels: number[];
  curve: [string, number, number, number][];
  kinds: KindLoss[];
  thirds: KindLoss[];
  results: LevelResult[];
  luck: [number, number] | null;
  offered: number;
  mistakes: number;
  puzzles: PuzzleProfile | null;
}

interface KindLoss {
  kind: string;
  decisions: number;
  points: number;
  interval: number;
  game: number;
}

interface LevelResult {
  seats: number;
  level: number | null;
  games: number;
  won: number;
}

interface PuzzleProfile {
  standing: Standing;
  days: [string, number][];
  themes: [string, number, number][];
  due: number;
}

interface Standing {
  rating: number;
  interval: number;
  streak: number;
  longest: number;
  days: number;
  today: [number, number];
}

interface ExportMessage {
  type: "export";
  file: string;
  text: string;
}

interface DeletedMessage {
  type: "deleted";
  held: number;
}

interface PuzzleMessage {
  type: "puzzle";
  number: number;
  total: number;
  standing: Standing;
  is_daily: boolean;
  is_own: boolean;
  tries: number;
  position?: StudyPosition;
}

interface SolvedMessage {
  type: "solved";
  number: number;
  is_solved: boolean;
  choices: PuzzleChoice[];
  why: Why | null;
  is_whole: boolean;
  gain: number | null;
  rating: number | null;
  themes: string[];
  days: number;
  standing: Standing;
}

interface PuzzleChoice extends MeasuredMove {
  yours: boolean;
  played: boolean;
}

interface LessonsMessage {
  type: "lessons";
  lessons: LessonEntry[];
  fault: string;
}

interface LessonEntry {
  number: number;
  title: string;
  done: boolean;
}

interface LessonMessage {
  type: "lesson";
  number: number;
  lessons: LessonEntry[];
  title: string;
  step: number;
  steps: number;
  words: string[];
  task: string | null;
  counts: boolean;
  places: (["line" | "space" | "tower", number])[];
  said: SaidOfMove;
  position: StudyPosition;
}

interface SaidOfMove {
  right: boolean | null;
  points: number;
  shown: ShownMove | null;
  words: string[];
}

interface ShownMove {
  move: string;
  facts: MoveFacts;
}

interface ComparedMessage {
  type: "compared";
  at?: number;
  first: string;
  first_facts: MoveFacts;
  second: string;
  second_facts: MoveFacts;
  why: Why | null;
  win: number | null;
  win_interval: number | null;
}

interface BeliefMessage {
  type: "belief";
  at?: number;
  guessed: boolean;
  seats: BelievedHand[];
}

interface BelievedHand {
  seat: number;
  cards: [string, number][];
}

interface OpeningsMessage {
  type: "openings";
  players: number;
  hand: string[];
  games: number;
  simulations: number | null;
  walls: FirstWall[];
  even: boolean;
  kinds: WallKind[];
  helped: HelpfulCard[];
  others: number;
}

interface FirstWall {
  line: number;
  win: number | null;
  win_error: number | null;
  loss: number;
  loss_error: number;
  equal: boolean;
  regions: number[];
  edge: boolean;
  shore: boolean;
}

interface WallKind {
  kind: string;
  lines: number[];
  win: number;
  win_error: number;
  usual: number;
  rare: boolean;
  frequent: boolean;
}

interface HelpfulCard {
  card: string;
  where: number | string;
  lines: number[];
  gain: number;
  gain_error: number;
}

interface PictureMessage {
  type: "picture";
  at?: number;
  kind: "gif" | "html" | "png" | "svg";
  data: string;
}

interface WatchedMessage {
  type: "watched";
}

interface ErrorMessage {
  type: "error";
  code: string;
  text: string;
  key?: string | null;
  params?: Record<string, string>;
}
