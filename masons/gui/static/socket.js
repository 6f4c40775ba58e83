/* The connection to the server, which is opened again when it breaks. */

import { isReturning } from "./place.js";

const REFUSED = 403;
const BEAT = 10000; // ms between two questions whether the connection works
const PATIENCE = 8000; // ms without an answer, after which it counts as lost

export class Line {
  attempts = 0;
  lost = false;
  patience = 0; // the timer of an answer that is awaited; 0 if none is
  /** @type {WebSocket | null} */
  socket = null;

  /** @param {(message: Answer) => void} hear
      @param {(state: "open" | "closed" | "refused") => void} state */
  constructor(hear, state) {
    this.hear = hear;
    this.state = state; // called with "open", "closed" or "refused"
    this.open();
    window.setInterval(() => this.ping(), BEAT);
    window.addEventListener("online", () => this.ping());
  }

  open() {
    const here = new URL("socket", window.location.href);
    here.protocol = here.protocol === "https:" ? "wss:" : "ws:";
    here.hash = "";
    if (this.lost || isReturning()) here.searchParams.set("again", "1");
    const socket = new WebSocket(here);
    this.socket = socket;
    socket.addEventListener("open", () => {
      this.attempts = 0;
      this.state("open");
    });
    socket.addEventListener("message", (event) => {
      if (socket !== this.socket) return;
      this.settle();
      this.hear(JSON.parse(event.data));
    });
    socket.addEventListener("close", () => { if (socket === this.socket) this.again(); });
  }

  /** Ask whether the connection works. A browser does not notice that the network is gone. */
  ping() {
    if (!this.say("ping") || this.patience) return;
    this.patience = window.setTimeout(() => {
      const { socket } = this;
      this.socket = null;
      socket?.close();
      this.again();
    }, PATIENCE);
  }

  settle() {
    window.clearTimeout(this.patience);
    this.patience = 0;
  }

  async again() {
    this.settle();
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
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify({ type, ...fields }));
    return true;
  }
}
