/**
 * Talks with a guest over its serial port, whose other end is a socket here: waits until it is ready, lets it start,
 * hears that its workload has ended. A guest that has gone, hangs or says nonsense is told with what it said last.
 */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { printable } from '../../base/bytes.ts';
import { ExitStatus } from '../../base/exit-status.ts';
import { tryTo } from '../../base/result.ts';
import { UserError } from '../../base/user-error.ts';
import { type GuestMessage, GuestMessages } from './guest-messages.ts';
import type { VirtualMachine } from './virtual-machine.ts';

/** `lostBecause`: the machine itself is gone, which nobody asked for. */
export type GuestEnd = { readonly status: number } | { readonly lostBecause: string };

const LAST_LINES = 3;
const LOOK_EVERY_MS = 1000;

export class GuestHangs extends UserError {}

/** Whoever wanted a guest does not want it any more. */
export class GuestGivenUp extends UserError {
  constructor() {
    super('the guest was given up before it was ready', 'start it again');
  }
}

export class GuestTalk {
  readonly #machine: VirtualMachine;
  readonly #consoleFile: string;
  readonly #messages: GuestMessage[] = [];
  #socket: Socket | undefined;
  #broken: Error | undefined;
  #wake = (): void => {};

  constructor(server: Server, machine: VirtualMachine, consoleFile: string) {
    this.#machine = machine;
    this.#consoleFile = consoleFile;
    server.once('connection', (socket) => this.#listenTo(socket));
    void machine.gone.then(() => this.#stop(this.#lost()));
  }

  #listenTo(socket: Socket): void {
    const parser = new GuestMessages();
    this.#socket = socket;
    socket.on('data', (chunk) => {
      const taken = tryTo(() => parser.take(chunk));
      if (!taken.ok) return this.#stop(taken.error);
      this.#messages.push(...taken.value);
      this.#wake();
    });
    // The machine's end tells more.
    socket.on('error', () => {});
  }

  #stop(error: Error): void {
    this.#broken ??= error;
    this.#wake();
  }

  /** Whoever waits for the guest, waits no longer. */
  giveUp(): void {
    this.#stop(new GuestGivenUp());
  }

  say(word: string): void {
    this.#socket?.write(`${word}\n`);
  }

  async untilReady(symbolsFile: string, silenceLimitMs: number): Promise<void> {
    const looks = this.#watchForSilence(silenceLimitMs);
    try {
      for (;;) {
        const message = await this.#next();
        if (message.kind === 'ready') return;
        if (message.kind === 'symbols') {
          writeFileSync(symbolsFile, gunzipSync(message.compressed));
        } else {
          const why = message.kind === 'failed' ? message.why : 'it ended before it began';
          throw new UserError(
            `the guest does not start: ${printable(why)}`,
            'is the module built for this kernel?',
          );
        }
      }
    } finally {
      clearInterval(looks);
    }
  }

  async ended(): Promise<GuestEnd> {
    try {
      const message = await this.#next();
      return message.kind === 'ended'
        ? { status: message.status }
        : { lostBecause: `the guest said '${message.kind}' after it was ready` };
    } catch (error) {
      return { lostBecause: (error as Error).message };
    }
  }

  async #next(): Promise<GuestMessage> {
    for (;;) {
      const message = this.#messages.shift();
      if (message !== undefined) return message;
      if (this.#broken) throw this.#broken;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #lost(): UserError {
    const said = this.#machine.complaints || this.#lastLines() || 'it said nothing';
    return new UserError(
      `the guest has ended: ${printable(said)}`,
      'a kernel that panics ends it; its console is in the run directory',
      ExitStatus.unavailable,
    );
  }

  #watchForSilence(limitMs: number): NodeJS.Timeout {
    let printed = -1;
    let since = 0;
    return setInterval(() => {
      const now = statSync(this.#consoleFile, { throwIfNoEntry: false })?.size ?? 0;
      if (now !== printed) since = performance.now();
      else if (performance.now() - since > limitMs) this.#stop(this.#hangs(limitMs));
      printed = now;
    }, LOOK_EVERY_MS);
  }

  #hangs(limitMs: number): GuestHangs {
    return new GuestHangs(
      `the guest has said nothing for ${Math.round(limitMs / 1000)} s, and is not ready; its last lines: ${printable(this.#lastLines()) || '(none)'}`,
      'without --kvm it is slower, but works everywhere',
      ExitStatus.unavailable,
    );
  }

  #lastLines(): string {
    const text = tryTo(() => readFileSync(this.#consoleFile, 'utf8'));
    const lines = text.ok ? text.value.split('\n').filter((line) => line.trim() !== '') : [];
    return lines.slice(-LAST_LINES).join(' | ');
  }
}
