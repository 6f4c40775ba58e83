/* The connection to the server, which is opened again when it breaks. */

import { isReturning } from "./place.js";

const REFUSED = 403;

export class Line {
  attempts = 0;
  lost = false;
  /** @type {WebSocket} */
  socket;

  /** @param {(message: Answer) => void} hear
      @param {(state: "open" | "closed" | "refused") => void} state */
  constructor(hear, state) {
    this.hear = hear;
    this.state = state; // called with "open", "closed" or "refused"
    this.open();
  }

  open() {
    const here = new URL("socket", window.location.href);
    here.protocol = here.protocol === "https:" ? "wss:" : "ws:";
    here.hash = "";
    if (this.lost || isReturning()) here.searchParams.set("again", "1");
    this.socket = new WebSocket(here);
    this.socket.addEventListener("open", () => {
      this.attempts = 0;
      this.state("open");
    });
    this.socket.addEventListener("message", (event) => this.hear(JSON.parse(event.data)));
    this.socket.addEventListener("close", () => this.again());
  }

  async again() {
    this.lost = true;
    this.attempts += 1;
    const refused = await this.isRefused();
    this.state(refused ? "refused" : "closed");
    if (!refused) window.setTimeout(() => this.open(), Math.min(250 * 2 ** this.attempts, 5000));
  }

  /** Return whether the server runs but no longer accepts this address. */
  async isRefused() {
    try {
      return (await fetch(window.location.pathname, { cache: "no-store" })).status === REFUSED;
    } catch {
      return false; // the server does not run
    }
  }

  /** Send a message, and return whether the connection is open.
      @type {<K extends keyof Requests>(type: K, ...fields: Fields<K>) => boolean} */
  say(type, ...[fields]) {
    if (this.socket.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify({ type, ...fields }));
    return true;
  }
}
