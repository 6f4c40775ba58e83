/* Explanations in words: the reasons why a move is better than another, and the likely course of the game. */

import { headed, make, paragraphs } from "./dom.js";
import { cardName, cardNames, cityWords, isYou, listed, moveWords, pieceWords } from "./gamewords.js";
import { fixed, percent, ranged, round, signed, t } from "./words.js";

/** A part of a difference in points, or all of a seat's.
    @typedef {Omit<WhyReason, "part"> & { part: WhyReason["part"] | "all" }} SpokenReason */

const MISSING = 1; // points; where as many are missing to the whole difference, it is said, too

/** @type {(share: number) => number} */
const whole = (share) => Math.round(100 * share);

/** Return the reasons of a `why` as sentences. `names` has the names of the seats; `exact` adds the intervals.
    @type {(why: Why | null, names: string[], exact?: boolean) => string[]} */
export function whyWords(why, names, exact = false) {
  if (!why) return [];
  const told = [...endWords(why, names), ...why.reasons.map((reason) => reasonWords(reason, names, exact)), ...(exact ? restWords(why, names) : bareWords(why, names))];
  if (told.length) return told;
  return [why.is_even ? t("why.asGood", { move: moveWords(why.against) }) : t("why.equal")];
}

/** Return the parts of the score that differ without a cause as one sentence, in a list that is empty if there are none.
    @type {(why: Why, names: string[]) => string[]} */
const bareWords = ({ bare = [] }, names) => (bare.length ? [t("why.bare", { parts: bare.map((reason) => aboutWords(reason, names)).join("; ") })] : []);

/** Return the parts of the score that differ without a cause, and what is missing to the whole difference: the figures add up
    as they are shown.
    @type {(why: Why, names: string[]) => string[]} */
function restWords({ bare = [], reasons, points = null }, names) {
  const told = [...reasons, ...bare];
  const rest = round(told.reduce((left, one) => left - round(one.points), round(points ?? 0)));
  return [...bare.map((reason) => reasonWords(reason, names, true)), ...(told.length && points !== null && rest ? [t("why.others", { points: signed(rest) })] : [])];
}

/** Say that one of two moves ends the game much sooner, and why that is good, in a list that is empty if none does.
    @type {(why: Why, names: string[]) => string[]} */
export function endWords({ end }, names) {
  if (!end) return [];
  const name = names[end.seat ?? -1];
  const because = name ? t(`why.end.${isYou(name) ? "you" : "one"}.${end.is_sooner ? "before" : "time"}`, { name }) : "";
  if (!end.is_now) return [t("why.end.turns", { turns: end.turns, other: end.turns_other, because })];
  if (end.now - end.now_other === 1) return [t("why.end.now", { because })];
  if (end.now_other - end.now === 1) return [t("why.end.other", { because })];
  return [t("why.end.share", { value: whole(end.now), other: whole(end.now_other), because })];
}

/** Return the largest part of the score that speaks against a reason, if it is at least half as large, and what decides then:
    the reason that is larger than what these two leave.
    @type {(why: Why, reason: WhyReason) => { against?: WhyReason, decides?: WhyReason }} */
function weighed({ reasons, bare = [] }, reason) {
  const sign = Math.sign(reason.points);
  const size = (/** @type {WhyReason} */ { points }) => sign * points;
  const others = [...reasons, ...bare].filter((one) => one !== reason).sort((one, other) => size(one) - size(other));
  const [against, decides] = [others[0], others.at(-1)];
  if (!against || -size(against) < size(reason) / 2) return {};
  return { against, decides: decides && size(decides) > Math.max(size(reason) + size(against), 0) ? decides : undefined };
}

/** Return all that the seats of a reason and of what speaks against it score more or fewer, which make the whole difference,
    or null if both are of the same seat.
    @type {(why: Why, reason: WhyReason, against: WhyReason) => SpokenReason[] | null} */
function sidesOf({ points = null }, reason, against) {
  const others = [reason, against].find(({ part }) => part === "others");
  if (!others || reason.part === against.part || points === null || !round(points - others.points)) return null;
  const own = reason === others ? against : reason;
  const all = { ...own, part: /** @type {const} */ ("all"), is_more: points > others.points, points: points - others.points };
  return [reason, against].map((one) => (one === others ? others : all));
}

/** Return text that names parts of a difference in points, with the whole difference if this is another than theirs.
    @type {(why: Why, text: string, parts: WhyReason[]) => string} */
function withWhole({ points = null }, text, parts) {
  if (points === null || Math.abs(points - parts.reduce((sum, part) => sum + part.points, 0)) < MISSING) return text;
  return points < 0 ? t("why.all.fewer", { text, count: round(-points) }) : t("why.all.more", { text, count: round(points) });
}

/** Return a reason, what speaks against it and what decides.
    @type {(why: Why, reason: WhyReason, names: string[], because: string) => Params} */
function saidOf(why, reason, names, because) {
  const { against, decides } = weighed(why, reason);
  const sides = against ? sidesOf(why, reason, against) : null;
  if (sides) {
    const [text, but] = sides.map((side) => aboutWords(side, names));
    return { text: t("why.but", { text: text + because, against: but }), because: "" };
  }
  const text = aboutWords(reason, names);
  if (!against) return { text, because };
  const but = t("why.but", { text: text + because, against: aboutWords(against, names) });
  if (!decides) return { text: withWhole(why, but, [reason, against]), because: "" };
  const whole = withWhole(why, t("why.decides", { text: but, decides: aboutWords(decides, names) }), [reason, against, decides]);
  return { text: whole, because: because && causesWords(decides, names) };
}

/** @type {(why: Why, names: string[], because: string) => string} */
function better(why, names, because) {
  const said = saidOf(why, why.reasons[0], names, because);
  return why.is_middling ? hinted(why, why.reasons[0], names, said) : t("why.better", said);
}

/** Return the first reason for the better move as a sentence of its own, after one about the end of the game, or, if there
    is none, what else can be said.
    @type {(why: Why | null, names: string[]) => string[]} */
export const mainReason = (why, names) => (why?.reasons.length ? [...endWords(why, names), better(why, names, causesWords(why.reasons[0], names))] : whyWords(why, names));

/** Return what `mainReason` says, but each cause after the sentence, which may be given.
    @type {(why: Why | null, names: string[], said?: string) => string[]} */
export const mainParts = (why, names, said = "") => (why?.reasons.length ? [...endWords(why, names), said || better(why, names, ""),
  ...(weighed(why, why.reasons[0]).decides ?? why.reasons[0]).causes.map((cause) => (cause.kind === "turn" ? `${names[cause.seat ?? 0]}: ` : "") + causeWords(cause, names))] : whyWords(why, names));

/** Return why the best move of a puzzle is better than the solver's or another, above all than one that scores more at once:
    of the reasons against that, the first ones that outweigh those points.
    @type {(why: Why | null, names: string[], yours?: string) => string[]} */
export function puzzleParts(why, names, yours) {
  if (!why || (!why.given_up && why.against === yours)) return mainParts(why, names);
  const { reasons, bare = [], against, given_up: given } = why;
  if (!reasons.length && why.is_even) return whyWords(why, names); // this names the move
  if (!reasons.length) return [[t("why.second", { move: moveWords(against) }), ...whyWords(why, names)].join(" – ")];
  if (!given) return mainParts(why, names, hinted(why, reasons[0], names));
  const good = [...reasons, ...bare].filter(({ points }) => points > 0);
  const sum = (/** @type {number} */ rank) => good.slice(0, rank).reduce((points, one) => points + one.points, 0);
  const move = against === yours ? t("puzzle.yourMove") : t("puzzle.otherMove", { move: moveWords(against) });
  const text = listed(good.filter((_, rank) => sum(rank) <= given).map((one) => aboutWords(one, names)));
  return mainParts(why, names, t("puzzle.despite", { move, count: given, text }));
}

/** Return a reason for the best move of a hint as a sentence that says what is compared; `said` are its parameters.
    @type {(why: Why, reason: WhyReason, names: string[], said?: Params, named?: (move: string, facts?: Facts) => string) => string} */
function hinted(why, reason, names, said = saidOf(why, reason, names, ""), named = moveWords) {
  const compared = { ...said, move: named(why.against) };
  return why.is_middling ? t("why.middling", compared) : t("why.nextBest", compared);
}

/** Say that it hardly matters which move is made, in a list that is empty if it may matter.
    @type {(mostLost: number | null) => string[]} */
const evenWords = (mostLost) => (mostLost === null ? [] : [t("why.even", { limit: fixed(100 * mostLost) })]);

/** Return the first reason that speaks for the best move of a hint, at best that its seat scores more, or that it hardly
    matters, or which move is as good, in a list that is empty if there is none of this. Parts of a difference in points that
    is against the move are no reason for it. `named` names the other move.
    @type {(hint: BestMoveMessage, names: string[], seat: number | null, named?: (move: string, facts?: Facts) => string) => [words: string, named?: string][]} */
export function bestReason({ why: whys, most_lost: mostLost, choices }, names, seat, named = moveWords) {
  if (mostLost !== null) return evenWords(mostLost).map((words) => [words]);
  const good = whys.filter(({ end, points }) => !end && (points ?? 1) > 0)
    .flatMap((why) => [...why.reasons, ...why.bare ?? []].filter(({ points }) => points > 0).map((reason) => ({ why, reason })));
  const first = good.find(({ reason }) => reason.seat === seat) ?? good[0];
  if (first) return [[hinted(first.why, first.reason, names, undefined, named), first.why.against]];
  const equal = choices.slice(1).find(({ is_equal: isEqual }) => isEqual);
  return equal && !whys.some(({ end }) => end) ? [[t("why.asGood", { move: named(equal.move, equal.facts) }), equal.move]] : [];
}

/** Return all reasons for the best move of a hint as sentences, without comparisons that have none for it. Of the others,
    those that speak for the move come first, and the first says what is compared.
    @type {(whys: Why[], names: string[]) => string[]} */
export const hintReasons = (whys, names) => whys.filter(({ reasons }) => reasons.some(({ points }) => points > 0)).flatMap((why) => {
  const [first, ...others] = [...why.reasons].sort((one, other) => Number(other.points > 0) - Number(one.points > 0));
  return [...endWords(why, names), hinted(why, first, names, { text: aboutWords(first, names), because: causesWords(first, names) }), ...others.map((reason) => reasonWords(reason, names, false)), ...bareWords(why, names)];
});

/** @type {(causes: string[]) => string} */
const inBrackets = (causes) => (causes.length ? ` (${causes.join("; ")})` : "");
/** @type {(reason: WhyReason, names: string[], before?: string[]) => string} */
const causesWords = (reason, names, before = []) => inBrackets([...before, ...reason.causes.map((cause) => causeWords(cause, names))]);

/** @type {(reason: WhyReason, names: string[], exact: boolean) => string} */
function reasonWords(reason, names, exact) {
  if (!exact) {
    const text = aboutWords(reason, names);
    return `${text[0].toUpperCase()}${text.slice(1)}${causesWords(reason, names)}.`;
  }
  const points = reason.points < 0 ? `−${ranged(-reason.points, reason.interval)}` : `+${ranged(reason.points, reason.interval)}`;
  const words = t(`why.${amountOf(reason, names)}`, sentenceOf(reason, names));
  return `${points}: ${words}${causesWords(reason, names, weightWords(reason, names))}.`;
}

/** Return a reason as a sentence with the points of the seat whose points differ.
    @type {(reason: SpokenReason, names: string[]) => string} */
function aboutWords(reason, names) {
  const share = reason.part === "others" ? names.length - 1 : 1; // the points of others count in part
  return t(`why.about.${amountOf(reason, names)}`, { ...sentenceOf(reason, names), count: share * Math.abs(reason.points) });
}

/** @type {(reason: SpokenReason, names: string[]) => string} */
function amountOf({ seat, is_more: isMore }, names) {
  if (isYou(names[seat])) return isMore ? "youMore" : "youFewer";
  return isMore ? "more" : "fewer";
}

/** @type {(reason: SpokenReason, names: string[]) => Params} */
const sentenceOf = ({ part, seat }, names) => ({ name: names[seat], when: t(`why.when.${part}`) });

/** Say with which weight the points of another seat count, if there are several other seats.
    @type {(reason: WhyReason, names: string[]) => string[]} */
function weightWords({ part }, names) {
  if (part !== "others" || names.length < 3) return [];
  return [names.length === 3 ? t("why.half") : t("why.third")];
}

/** Return a mean with its decimals, but 0 without them.
    @type {(mean: number) => string} */
const brief = (mean) => (round(mean) ? fixed(mean) : "0");

/** @type {(cause: WhyCause, names: string[]) => string} */
function causeWords({ kind, cards = [], seat = 0, city = null, value = 0, other = 0, others = [], is_played: isPlayed = false }, names) {
  const moves = isPlayed ? { best: t("why.bestMove"), other: t("why.playedMove") } : { best: t("why.betterMove"), other: t("why.otherMove") };
  if (kind === "card") return t("why.card", { card: cardName(cards[0]), value: brief(value), other: brief(other) });
  if (kind === "turn") return [turnWords("now", value), turnWords("later", round(round(value + other) - round(value)))].filter(Boolean).join("; "); // they add up
  if (kind === "turns") return round(value) ? t("why.turns", { value: fixed(value), other: brief(other) }) : t("why.noTurns", { other: fixed(other) });
  if (kind === "rest") return value > 0 ? t("why.rest.more", { value: fixed(value) }) : t("why.rest.fewer", { value: fixed(-value) });
  if (kind === "swap") {
    const shares = { name: names[seat], value: whole(value), other: whole(other) };
    return isYou(names[seat]) ? t("why.youSwap", shares) : t("why.swap", shares);
  }
  if (kind === "thisTurn") return value > 0 ? t("why.stillInHand", moves) : t("why.noLongerInHand");
  if (kind === "kept") return keptWords(cards, others, value, moves).join("; ");
  if (kind === "laterCity") return t("why.laterCity", { city: cityWords(city), value: whole(value), other: whole(other) });
  if (kind !== "city") return t(`why.${kind}`, { cards: cardNames(cards), ...moves }) + (value ? t("why.where", { space: value }) : "");
  const shares = { city: cityWords(city), value: whole(value), other: whole(other) };
  return isYou(names[seat]) ? t("why.youCity", shares) : t("why.city", { ...shares, name: names[seat] });
}

/** @type {(cards: string[], others: string[], more: number, moves: { best: string, other: string }) => string[]} */
function keptWords(cards, others, more, { best, other }) {
  const keeps = (/** @type {string} */ move, /** @type {string[]} */ held) => (held.length ? [t("why.keeps", { move, cards: cardNames(held) })] : []);
  const kept = [...keeps(best, cards), ...keeps(other, others)];
  if (!more) return kept;
  return [...kept, more > 0 ? t("why.hand.more", { count: more }) : t("why.hand.fewer", { count: -more })];
}

/** Say how many points more or fewer are scored in this turn or later, or return "" for none.
    @type {(when: string, points: number) => string} */
function turnWords(when, points) {
  return points ? t(`why.turn.${when}.${points > 0 ? "more" : "fewer"}`, { value: fixed(Math.abs(points)) }) : "";
}

/** Return sentences that say why the best move is better than each of some others, with intervals.
    @type {(why: Why[], names: string[]) => string[]} */
export const secondWords = (why, names) => why.flatMap((each) => [...(each.is_even ? [] : [t("why.second", { move: moveWords(each.against) })]), ...whyWords(each, names, true)]);

/** Return why the best move is better than each of some others, or that it hardly matters. One that differs in no part of
    the score is left out beside others.
    @type {(why: Why[], names: string[], mostLost: number | null) => HTMLElement[]} */
export function comparisons(why, names, mostLost) {
  if (mostLost !== null) return paragraphs(evenWords(mostLost));
  const told = why.filter(({ reasons, end }) => reasons.length || end);
  if (told.length) return told.flatMap((each) => headed(secondWords([each], names)));
  const [head, ...said] = secondWords(why.slice(0, 1), names);
  return head ? [make("p", {}, make("b", { textContent: head }), ...said.slice(0, 1).map((words) => ` – ${words}`))] : [];
}

/** Return the cards that seats may hold, with their chances.
    @type {(message: BeliefMessage, names: string[]) => HTMLElement[]} */
export const beliefParts = ({ guessed, seats }, names) => [make("h2", { textContent: guessed ? t("study.heldByChoices") : t("study.heldByUnseen") }),
  ...seats.map(({ seat, cards }) => make("p", {}, make("b", { textContent: names[seat] + ": " }),
    ...cards.map(([card, chance]) => make("span", { className: "chip" + (card.startsWith("city") ? "" : " land"), textContent: `${cardName(card)} ${percent(whole(chance))}` }))))];

/** @type {(next: Next | null, names: string[]) => string[]} */
export function nextWords(next, names) {
  if (!next) return [];
  const name = names[next.seat];
  const own = names[next.you];
  return [
    ...completesWords(next.completes, own),
    ...(next.piece ? [t("next.piece", { piece: pieceWords(next.piece), share: certainOr(next.piece.share) })] : []),
    ...(next.answer ? [isYou(name) ? t("next.youWall", wall(next.answer, name)) : t("next.wall", wall(next.answer, name))] : []),
    ...completesWords(next.answer_completes, name),
    ...(next.own ? [isYou(own) ? t("next.yourOwnWall", wall(next.own, own)) : t("next.ownWall", wall(next.own, own))] : []),
    ...(next.plays.length ? [t("next.plays", { cards: listed(next.plays.map(playWords)) })] : []),
    ...(next.keeps.length ? [t("next.keeps", { cards: cardNames(next.keeps) })] : []),
  ];
}

/** Return how likely something is in parentheses, or "" if it is certain.
    @type {(share: number) => string} */
const certainOr = (share) => (whole(share) < 100 ? t("next.share", { share: whole(share) }) : "");

/** @type {(wall: LikelyWall, name: string) => Params} */
const wall = ({ line, share }, name) => ({ name, line, share: whole(share) });

/** @type {(completed: LikelyCity | null, name: string) => string[]} */
function completesWords(completed, name) {
  if (!completed) return [];
  const params = { name, city: cityWords(completed.city), share: certainOr(completed.share) };
  return [isYou(name) ? t("next.youComplete", params) : t("next.completes", params)];
}

/** @type {(card: Next["plays"][number]) => string} */
const playWords = ([card, share, count]) => (count ? t("next.card", { card: cardName(card), share: whole(share), count })
  : t("next.cardNow", { card: cardName(card), share: whole(share) }));

/** Return a share in percent with its interval, without a percent sign.
    @type {(share: number, interval: number | null) => string} */
export const shareWords = (share, interval) => ranged(100 * share, 100 * (interval ?? 0));
