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
export const language = preferred.find((name) => Object.hasOwn(LANGUAGES, name)) || "en";
document.documentElement.lang = language;

const { default: texts } = await import(`./words-${language}.js`);
const plurals = new Intl.PluralRules(language);
const numbers = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });

const shownOf = (number) => Math.round(10 * number) / 10; // as `numbers` shows it, so that 1.04 has no plural

/** Return a text with its parameters filled in. */
export function t(key, params = {}) {
  const entry = texts[key];
  if (entry === undefined) throw new Error(`words-${language}.js has no ${key}`);
  const text = typeof entry === "string" ? entry : entry[plurals.select(shownOf(params.count))] ?? entry.other;
  const filled = text.replace(/\{(\w+)\}/g, (_, name) => (typeof params[name] === "number" ? numbers.format(params[name]) : params[name]));
  return filled.replaceAll(" %", "\u00a0%"); // so that no line breaks between a number and its percent sign
}

/** Add texts that the server sends: the names and meanings of the cards, which it has in English. Other languages have
    these texts in their files. */
export const learn = (more) => Object.assign(texts, { ...more, ...texts });

const times = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
const days = new Intl.DateTimeFormat(language, { dateStyle: "medium" });
const moment = (text) => new Date(text.replace(" ", "T"));

/** Return a date and time, such as 2026-11-25 20:31, in words. */
export const timeWords = (text) => times.format(moment(text));

/** Return the day of a date and time in words. */
export const dayWords = (text) => days.format(moment(text));

/** Return a number with fixed decimals. */
export function fixed(number, digits = 1) {
  return number.toLocaleString(language, { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Return the half width of an interval, which is never shown as 0. */
export const halfWidth = (number) => fixed(Math.max(number, 0.1));

/** Return a number with its sign and fixed decimals. */
export function signed(number, digits = 1) {
  const text = fixed(Math.abs(number), digits);
  const sign = text === fixed(0, digits) ? "" : number < 0 ? "−" : "+";
  return sign + text;
}

for (const element of document.querySelectorAll("[data-t]")) element.textContent = t(element.dataset.t);
for (const element of document.querySelectorAll("[data-t-title]")) element.title = t(element.dataset.tTitle);
for (const element of document.querySelectorAll("[data-t-label]")) element.setAttribute("aria-label", t(element.dataset.tLabel));
