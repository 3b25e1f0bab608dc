/** Undo and redo: each step is a list of changes {key, before, after}; null stands for "no mark". */

export class History {
  constructor(store, undoButton, redoButton) {
    Object.assign(this, { store, undoButton, redoButton, done: [], undone: [], enabled: true });
    undoButton.addEventListener("click", () => this.undo());
    redoButton.addEventListener("click", () => this.redo());
  }

  setEnabled(enabled) {
    this.enabled = enabled;
    this.#show();
  }

  apply(step) {
    if (!step.length) return;
    for (const { key, after } of step) this.store.set(key, after);
    this.done.push(step);
    this.undone = [];
    this.#show();
  }

  undo() {
    const step = this.enabled && this.done.pop();
    if (!step) return;
    for (const { key, before } of step) this.store.set(key, before);
    this.undone.push(step);
    this.#show();
  }

  redo() {
    const step = this.enabled && this.undone.pop();
    if (!step) return;
    for (const { key, after } of step) this.store.set(key, after);
    this.done.push(step);
    this.#show();
  }

  #show() {
    this.undoButton.disabled = !this.enabled || !this.done.length;
    this.redoButton.disabled = !this.enabled || !this.undone.length;
  }
}
