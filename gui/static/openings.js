/* The opening explorer: the first walls that win most, by the number of seats and the cards that are held. */

import { clearArrows, drawArrows } from "./arrows.js";
import { button, byId, make } from "./dom.js";
import { t } from "./words.js";

const HAND = 6;
const REGIONS = ["", "I", "II", "III"];
const percent = (share) => (100 * share).toFixed(1);
const signed = (share) => (share < 0 ? "−" : "+") + Math.abs(100 * share).toFixed(1);

/** What the values come from. */
function source({ games: count, simulations: sims }) {
  return sims ? t("openings.searched", { count, sims }) : t("openings.played", { count });
}

export class Openings {
  constructor(board, say, home) {
    this.board = board;
    this.say = say;
    this.home = home;
    this.players = 2;
    this.hand = [];
  }

  ask(players = this.players, hand = this.hand) {
    this.say("openings", { players, hand });
  }

  /** Show what the server says, on the board and beside it; `cards`: all kinds. */
  show(message, cards) {
    const { players, hand, walls } = message;
    const focus = document.activeElement?.id;
    [this.players, this.hand] = [players, hand];
    const choices = walls.map(({ line }) => ({ move: `wall:${line}`, label: "" }));
    clearArrows(this.board);
    drawArrows(this.board, null, choices);
    this.board.offer(walls.map((wall, rank) => ({
      id: "l" + wall.line, kind: "line", number: wall.line, look: "legal", act: () => this.analyze(wall.line, cards),
      label: t("openings.wall", { rank: rank + 1, line: wall.line, win: percent(wall.win) }),
    })));
    const seats = make("select", { id: "openings-players", onchange: (event) => this.ask(Number(event.target.value)) },
      ...[2, 3, 4].map((count) => make("option", { value: count, textContent: t("openings.players", { count }) })));
    seats.value = players;
    byId("openings").replaceChildren(
      button(t("lesson.home"), this.home, { className: "back" }),
      make("h2", { textContent: t("openings.title") }),
      make("p", { textContent: t("openings.how", { fair: 100 / players }) }),
      make("label", { className: "row" }, t("openings.seats"), seats), this.cards(cards, hand),
      make("ol", { className: "ranked" }, ...walls.map((wall, rank) => this.row(wall, rank, cards))),
      make("p", { className: "evidence", textContent: source(message) }),
    );
    if (focus) byId(focus)?.focus();
  }

  /** The cards of the seat that begins, to be switched on and off. */
  cards(cards, hand) {
    const box = (card) => {
      const input = make("input", { type: "checkbox", id: "held-" + card, checked: hand.includes(card), disabled: !hand.includes(card) && hand.length === HAND });
      input.addEventListener("change", () => this.ask(this.players, input.checked ? [...hand, card] : hand.filter((other) => other !== card)));
      return make("label", { className: "check" }, input, make("span", { textContent: card }));
    };
    const details = make("details", { id: "openings-cards", open: this.isOpen || hand.length > 0 },
      make("summary", { textContent: t("openings.cards", { count: hand.length }) }), make("div", { className: "chips" }, ...cards.map(box)));
    details.addEventListener("toggle", () => { this.isOpen = details.open; });
    return details;
  }

  row(wall, rank, cards) {
    const where = [t("openings.region", { regions: wall.regions.map((region) => REGIONS[region]).join(", ") }),
      ...(wall.edge ? [t("openings.edge")] : []), ...(wall.shore ? [t("openings.shore")] : [])].join(", ");
    const counting = this.hand.length ? wall.cards.filter(([card]) => this.hand.includes(card)) : wall.cards;
    const gains = counting.map(([card, gain]) => `${card} ${signed(gain)}`).join(", ");
    const line = button(t("openings.line", { line: wall.line }), () => this.analyze(wall.line, cards), { className: "link", title: t("openings.analyze") });
    line.addEventListener("pointerenter", () => this.board.find("g" + wall.line).classList.add("near"));
    line.addEventListener("pointerleave", () => this.board.find("g" + wall.line).classList.remove("near"));
    return make("li", {}, line, make("span", { className: "num", textContent: `${percent(wall.win)} ± ${percent(wall.win_error)} %` }),
      make("span", { className: "loss", textContent: rank ? (wall.equal ? "= " : "") + `−${percent(wall.loss)}` : t("openings.best") }),
      make("small", { textContent: where + (gains ? `; ${t("openings.with", { gains })}` : "") }));
  }

  /** Analyze the beginning with the cards that are held; others are dealt at random. */
  analyze(line, cards) {
    const rest = [...cards, ...cards].filter((card) => !this.hand.includes(card));
    const hand = [...this.hand];
    while (hand.length < HAND) hand.push(...rest.splice(Math.floor(Math.random() * rest.length), 1));
    const others = Array.from({ length: this.players - 1 }, () => "/?6").join("");
    this.say("study", { text: `masons1 board=${this.board.name} players=${this.players} active=0 phase=wall hands=${hand.join("+")}${others}` });
    this.say("try", { move: `wall:${line}` });
  }
}
