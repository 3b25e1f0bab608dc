/** Counts the seconds in which the person works on the task: not while the tab is hidden, nor after a quiet minute. */

const IDLE_AFTER_MS = 60_000;
const SEND_EVERY_S = 30;

export class ActiveTime {
  /** @param {{url: string, seconds: number, ask: Function}} options `seconds` is what the server has stored */
  constructor(options) {
    Object.assign(this, options);
    this.known = options.seconds;
    this.unsent = 0;
    this.lastSign = Date.now();
    this.running = false;
    for (const name of ["pointermove", "pointerdown", "keydown", "scroll", "wheel", "touchmove"]) {
      document.addEventListener(name, () => (this.lastSign = Date.now()), { passive: true, capture: true });
    }
    setInterval(() => this.#tick(), 1000);
    document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && this.send());
  }

  setRunning(running) {
    this.running = running;
  }

  /** Adds what is unsent to the stored time, if that is still what this page last heard; a repeat adds nothing. */
  async send() {
    if (!this.unsent || this.sending) return;
    this.sending = true;
    const total = this.known + this.unsent;
    const sent = this.unsent;
    const { status, body } = await this.ask(this.url, "POST", { known_seconds: this.known, total_seconds: total });
    this.sending = false;
    if (status !== 200) return;
    if (body.active_seconds === total) this.unsent -= sent;
    this.known = body.active_seconds; // another tab may have added to it: the next send starts from there
  }

  #tick() {
    const active = document.visibilityState === "visible" && Date.now() - this.lastSign < IDLE_AFTER_MS;
    if (this.running && active) this.unsent += 1;
    if (this.unsent >= SEND_EVERY_S && this.unsent % SEND_EVERY_S === 0) this.send();
  }
}
