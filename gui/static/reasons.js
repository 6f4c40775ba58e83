/* Explanations in words: why a move is better than another, and what is likely to follow. */

import { cityWords, listed, moveWords, pieceWords } from "./gamewords.js";
import { fixed, signed, t } from "./words.js";

const whole = (share) => Math.round(100 * share);
const isYou = (name) => name === t("name.You");

/** The reasons of a `why` as sentences; `names` are those of the seats. */
export function whyWords(why, names) {
  if (!why) return [];
  if (!why.reasons.length) return [why.is_clear ? t("why.sum") : t("why.equal")];
  return why.reasons.map((reason) => reasonWords(reason, names));
}

function reasonWords(reason, names) {
  const gain = `${signed(reason.points)} ± ${fixed(reason.interval)}`;
  const causes = [...weightWords(reason, names), ...reason.causes.map((cause) => causeWords(cause, names))];
  const text = partWords(reason, names);
  return `${gain}: ${text}${causes.length ? ` (${causes.join("; ")})` : ""}.`;
}

function partWords({ part, seat, is_more: isMore }, names) {
  const many = isMore ? "more" : "fewer";
  if (part !== "others") return t(`why.${part}.${many}`);
  const name = names[seat];
  return isYou(name) ? t(`why.you.${many}`) : t(`why.others.${many}`, { name });
}

/** What the points of another seat count, if there are several others. */
function weightWords({ part }, names) {
  if (part !== "others" || names.length < 3) return [];
  return [names.length === 3 ? t("why.half") : t("why.third")];
}

function causeWords({ kind, cards = [], seat = 0, city = null, value = 0, other = 0 }, names) {
  if (kind === "card") return t("why.card", { card: cards[0], value: fixed(value), other: fixed(other) });
  if (kind !== "city") return t(`why.${kind}`, { cards: listed(cards) });
  const shares = { city: cityWords(city), value: whole(value), other: whole(other) };
  return isYou(names[seat]) ? t("why.youCity", shares) : t("why.city", { ...shares, name: names[seat] });
}

/** Why the best move is better than the second, and what is likely to follow, as sentences. */
export function explainedWords({ why, next }, names) {
  const reasons = why.flatMap((each) => [t("why.second", { move: moveWords(each.against) }), ...whyWords(each, names)]);
  return [...reasons, ...nextWords(next, names)];
}

function nextWords(next, names) {
  if (!next) return [];
  const name = names[next.seat];
  const own = names.at(next.seat - 1);
  return [
    ...completesWords(next.completes, own),
    ...(next.piece ? [t("next.piece", { piece: pieceWords(next.piece), share: whole(next.piece.share) })] : []),
    ...(next.answer ? [t("next.wall", wall(next.answer, name))] : []),
    ...completesWords(next.answer_completes, name),
    ...(next.own ? [t("next.ownWall", wall(next.own, own))] : []),
    ...(next.plays.length ? [t("next.plays", { cards: listed(next.plays.map(playWords)) })] : []),
    ...(next.keeps.length ? [t("next.keeps", { cards: listed(next.keeps) })] : []),
  ];
}

const wall = ({ line, share }, name) => ({ name, line, share: whole(share) });

function completesWords(completed, name) {
  if (!completed) return [];
  const params = { name, city: cityWords(completed.city), share: whole(completed.share) };
  return [isYou(name) ? t("next.youComplete", params) : t("next.completes", params)];
}

const playWords = ([card, share, count]) => (count ? t("next.card", { card, share: whole(share), count })
  : t("next.cardNow", { card, share: whole(share) }));

/** A hint as sentences: the move is named by the caller. */
export function hintWords({ choices, equal, scores, why, next }, { decider, names }) {
  const [best] = choices;
  const sentences = [];
  if (best.win !== null) sentences.push(t("hint.wins", { win: shareWords(best.win, best.interval) }));
  if (equal > 1) sentences.push(t("hint.equal", { count: equal }));
  if (scores.length) {
    const others = Math.max(...scores.filter((_, seat) => seat !== decider));
    sentences.push(t("hint.points", { mine: Math.round(scores[decider]), others: Math.round(others) }));
  }
  return [sentences.join(" "), ...explainedWords({ why, next }, names)].filter(Boolean);
}

/** A share in percent with its interval, without the sign of percent. */
export function shareWords(share, interval) {
  return fixed(100 * share) + (interval === null ? "" : ` ± ${fixed(Math.max(100 * interval, 0.1))}`);
}
