/** Undo and redo: each step is a list of changes {key, before, after}; null stands for "no mark". */

export class History {
  constructor(store, undoButton, redoButton) {
    Object.assign(this, { store, undoButton, redoButton, done: [], undone: [] });
    undoButton.addEventListener("click", () => this.undo());
    redoButton.addEventListener("click", () => this.redo());
  }

  apply(step) {
    if (!step.length) return;
    for (const { key, after } of step) this.store.set(key, after);
    this.done.push(step);
    this.undone = [];
    this.#show();
  }

  undo() {
    const step = this.done.pop();
    if (!step) return;
    for (const { key, before } of step) this.store.set(key, before);
    this.undone.push(step);
    this.#show();
  }

  redo() {
    const step = this.undone.pop();
    if (!step) return;
    for (const { key, after } of step) this.store.set(key, after);
    this.done.push(step);
    this.#show();
  }

  #show() {
    this.undoButton.disabled = !this.done.length;
    this.redoButton.disabled = !this.undone.length;
  }
}
