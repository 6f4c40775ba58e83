/* The line to the server: messages both ways, opened again when it breaks. */

export class Line {
  constructor(hear, state) {
    this.hear = hear;
    this.state = state;
    this.attempts = 0;
    this.open();
  }

  open() {
    const here = new URL("socket", window.location.href);
    here.protocol = here.protocol === "https:" ? "wss:" : "ws:";
    this.socket = new WebSocket(here);
    this.socket.addEventListener("open", () => {
      this.attempts = 0;
      this.state("open");
    });
    this.socket.addEventListener("message", (event) => this.hear(JSON.parse(event.data)));
    this.socket.addEventListener("close", () => this.again());
  }

  again() {
    this.state("closed");
    this.attempts += 1;
    window.setTimeout(() => this.open(), Math.min(250 * 2 ** this.attempts, 5000));
  }

  /** Whether it could be said. */
  say(type, fields = {}) {
    if (this.socket.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify({ type, ...fields }));
    return true;
  }
}
