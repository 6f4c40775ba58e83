/* What can be given to others: a link, pictures, the record, and the reviewed game as one page. */

import { close, open } from "./dialogs.js";
import { button, byId, download, make, toast } from "./dom.js";
import { t } from "./words.js";

/** @typedef {{ say: Say, link: string, text: string, isGame: boolean, isOver: boolean, isVariation: boolean }} Shared */

const LAST = 6; // the turns of a short animated picture

/** @type {(sign: string, title: string, about: string, act: () => void) => HTMLElement} */
const row = (sign, title, about, act) => {
  const one = button("", act, { className: "offered" });
  one.append(make("span", { textContent: sign, "aria-hidden": "true" }), make("span", {}, make("b", { textContent: title }), make("small", { textContent: about })));
  return one;
};

/** Offer what can be given to others.
    @type {(shared: Shared) => void} */
export function shareDialog({ say, link, text, isGame, isOver, isVariation }) {
  const copy = (/** @type {string} */ what, /** @type {string} */ said) => () => {
    close();
    navigator.clipboard?.writeText(what).then(() => toast(said), () => toast(what));
  };
  const ask = (/** @type {Requests["picture"]} */ wanted) => () => {
    say("picture", wanted);
    byId("dialog-title").textContent = t("share.making");
    for (const one of byId("dialog").querySelectorAll("button.offered")) one.setAttribute("disabled", "");
  };
  open(t("share.title"), [
    row("↗", t("study.copyLink"), t("share.linkAbout"), copy(link, t("study.linkCopied"))),
    row("▦", t("share.png"), t("share.pngAbout"), ask({ kind: "png" })),
    row("◇", t("share.svg"), t("share.svgAbout"), ask({ kind: "svg" })),
    isGame ? row("▶", t("share.last"), t("share.lastAbout", { count: LAST }), ask({ kind: "gif", turns: LAST })) : null,
    isGame ? row("»", t("share.game"), t("share.gameAbout"), ask({ kind: "gif" })) : null,
    isOver ? row("☰", t("share.page"), t("share.pageAbout"), ask({ kind: "html" })) : null,
    isGame ? row("✎", isVariation ? t("study.saveVariation") : t("game.save"), t("share.recordAbout"), () => { close(); say("save"); }) : null,
    row("¶", t("study.copy"), t("share.copyAbout"), copy(text, t("study.copied"))),
    make("div", { className: "buttons" }, button(t("page.close"), () => close())),
  ], { kind: "sharing" });
}

/** Let the browser save what was asked for.
    @type {(message: PictureMessage) => void} */
export function shared({ kind, data }) {
  close("sharing");
  const bytes = Uint8Array.from(window.atob(data), (letter) => letter.charCodeAt(0));
  const type = { svg: "image/svg+xml", png: "image/png", gif: "image/gif", html: "text/html" }[kind];
  download(bytes, type, `masons.${kind}`);
}
