/** Which of several threads is next: a heap of their keys. Where keys are equal, the lower thread is first. */
export class KeyHeap {
  readonly #keys: number[] = [];
  readonly #threads: number[] = [];

  get size(): number {
    return this.#keys.length;
  }

  get key(): number {
    return this.#keys[0]!;
  }

  get thread(): number {
    return this.#threads[0]!;
  }

  push(key: number, thread: number): void {
    let at = this.#keys.push(key) - 1;
    this.#threads.push(thread);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#isBefore(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  /** The first one comes later than it did. */
  delayFirst(key: number): void {
    this.#keys[0] = key;
    this.#sink();
  }

  removeFirst(): void {
    const [key, thread] = [this.#keys.pop()!, this.#threads.pop()!];
    if (this.#keys.length === 0) return;
    this.#keys[0] = key;
    this.#threads[0] = thread;
    this.#sink();
  }

  #sink(): void {
    let at = 0;
    for (;;) {
      let first = at;
      const [left, right] = [2 * at + 1, 2 * at + 2];
      if (left < this.#keys.length && this.#isBefore(left, first)) first = left;
      if (right < this.#keys.length && this.#isBefore(right, first)) first = right;
      if (first === at) return;
      this.#swap(at, first);
      at = first;
    }
  }

  #isBefore(a: number, b: number): boolean {
    const difference = this.#keys[a]! - this.#keys[b]!;
    return difference < 0 || (difference === 0 && this.#threads[a]! < this.#threads[b]!);
  }

  #swap(a: number, b: number): void {
    const [key, thread] = [this.#keys[a]!, this.#threads[a]!];
    this.#keys[a] = this.#keys[b]!;
    this.#threads[a] = this.#threads[b]!;
    this.#keys[b] = key;
    this.#threads[b] = thread;
  }
}
