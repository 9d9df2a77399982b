/**
 * Asks a stub that may be gone at any time, or begin to speak nonsense: why it was lost is kept, and from then on
 * nothing has an answer. Whoever waits for the next event is told; the others need not care.
 *
 *   const bytes = await answers.to(() => stub.read(0x5040n, 4), new Uint8Array(0));
 */
import { StubLost } from './connection.ts';
import { NotGdbProtocol } from './packets.ts';

export class StubAnswers {
  readonly #stubName: string;
  #lostBecause: string | undefined;

  constructor(stubName: string) {
    this.#stubName = stubName;
  }

  get lostBecause(): string | undefined {
    return this.#lostBecause;
  }

  async to<T>(ask: () => Promise<T>, otherwise: T): Promise<T> {
    try {
      return await ask();
    } catch (thrown) {
      if (!(thrown instanceof StubLost) && !(thrown instanceof NotGdbProtocol)) throw thrown;
      this.#lostBecause ??= this.#why(thrown);
      return otherwise;
    }
  }

  #why(thrown: Error): string {
    if (thrown instanceof StubLost) return thrown.message;
    return `the gdb stub at ${this.#stubName} has stopped speaking the GDB remote protocol: ${thrown.message}`;
  }
}
