/* The page's texts in the reader's language. `t` looks a text up by its key in words-LANGUAGE.js:

     t("start.lessonsDone", { count: 3, total: 10 })

   `{total}` in a text stands for a parameter; numbers are written as the language writes them. A text with
   plural forms, { one: "…", other: "…" }, is chosen by the parameter `count` (Intl.PluralRules).
   A key is written in full or begins with a fixed part: t(`phase.${phase}`). In index.html, data-t, data-t-title
   and data-t-label name the keys of an element's text, title and aria-label. tests/gui/test_words.py checks
   that each key exists. A new language is a new file and a line in LANGUAGES. */

import { setting } from "./settings.js";

/** The languages that have a file, each with its own name for itself. */
export const LANGUAGES = { en: "English", de: "Deutsch", es: "Español" };

const preferred = [setting("language"), ...navigator.languages.map((tag) => tag.split("-")[0])];
export const language = preferred.find((name) => name && Object.hasOwn(LANGUAGES, name)) || "en";
document.documentElement.lang = language;

/** @type {{ default: Record<string, string | Record<string, string>> }} */
const { default: texts } = await import(`./words-${language}.js`);
const plurals = new Intl.PluralRules(language);
const numbers = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });

const PERCENT = language === "en" ? "%" : "\u00a0%"; // English has no space before it; no line breaks at the others' space

/** Return a number, which may have an interval, as a percentage.
    @type {(number: string | number) => string} */
export const percent = (number) => number + PERCENT;

/** @type {(number: number) => number} */
const shownOf = (number) => Math.round(10 * number) / 10; // as `numbers` shows it, so that 1.04 has no plural

/** Return a text with its parameters filled in.
    @type {(key: string, params?: Params) => string} */
export function t(key, params = {}) {
  const entry = texts[key];
  if (entry === undefined) throw new Error(`words-${language}.js has no ${key}`);
  const text = typeof entry === "string" ? entry : entry[plurals.select(shownOf(Number(params.count)))] ?? entry.other;
  const shown = (/** @type {string | number | undefined} */ value) => (typeof value === "number" ? numbers.format(value) : String(value));
  return text.replace(/(?<=[}\d]) %/g, PERCENT).replace(/\{(\w+)\}/g, (_, name) => shown(params[name]));
}

/** Add texts that the server sends: the names and meanings of the cards, which it has in English. Other languages have
    these texts in their files.
    @type {(more: Record<string, string>) => void} */
export const learn = (more) => { Object.assign(texts, { ...more, ...texts }); };

const times = new Intl.DateTimeFormat(language, { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const days = new Intl.DateTimeFormat(language, { dateStyle: "medium" });
/** @type {(text: string) => Date} */
const moment = (text) => new Date(text.replace(" ", "T"));

/** Return a date and time, such as 2026-11-25 20:31, in words; of another year, only the day.
    @type {(text: string) => string} */
export const timeWords = (text) => (moment(text).getFullYear() === new Date().getFullYear() ? times : days).format(moment(text));

const ago = new Intl.RelativeTimeFormat(language, { numeric: "auto", style: "short" });
/** @type {["day" | "hour" | "minute", number][]} */
const UNITS = [["day", 1440], ["hour", 60], ["minute", 1]]; // in minutes

/** Return how long ago a date and time was, or the date if that was more than a week ago.
    @type {(text: string) => string} */
export function agoWords(text) {
  const minutes = Math.max((Date.now() - moment(text).getTime()) / 60_000, 0);
  const [unit, long] = UNITS.find(([, each]) => minutes >= each) ?? UNITS[2];
  if (minutes < 1) return ago.format(0, "second");
  return minutes > 7 * 1440 ? timeWords(text) : ago.format(-Math.floor(minutes / long), unit);
}

/** Return the day of a date and time in words.
    @type {(text: string) => string} */
export const dayWords = (text) => days.format(moment(text));

/** Round a number as all numbers on the page are rounded.
    @type {(number: number, digits?: number) => number} */
export const round = (number, digits = 1) => Math.round(number * 10 ** digits) / 10 ** digits;

/** Return a number with fixed decimals.
    @type {(number: number, digits?: number) => string} */
export function fixed(number, digits = 1) {
  return round(number, digits).toLocaleString(language, { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Return the half width of an interval, which is never shown as 0. One of 3 or more is a whole number, as its decimals say
    nothing.
    @type {(number: number) => string} */
export const halfWidth = (number) => (number < 0.05 ? "<" + fixed(0.1) : fixed(number, number < 2.95 ? 1 : 0));

/** Return a number with its interval, which is left out if it is smaller than the decimals shown: the number is certain.
    @type {(number: number, interval: number) => string} */
export const ranged = (number, interval) => fixed(number) + (interval < 0.05 ? "" : ` ± ${halfWidth(interval)}`);

/** Return a number with its sign and fixed decimals.
    @type {(number: number, digits?: number) => string} */
export function signed(number, digits = 1) {
  const text = fixed(Math.abs(number), digits);
  const sign = text === fixed(0, digits) ? "" : number < 0 ? "−" : "+";
  return sign + text;
}

/** Set the texts of elements whose attribute `name` has the key.
    @type {(name: string, set: (element: Element, text: string) => void) => void} */
function fill(name, set) {
  for (const element of document.querySelectorAll(`[${name}]`)) set(element, t(element.getAttribute(name) ?? ""));
}

fill("data-t", (element, text) => { element.textContent = text; });
fill("data-t-title", (element, text) => element.setAttribute("title", text));
fill("data-t-label", (element, text) => element.setAttribute("aria-label", text));
