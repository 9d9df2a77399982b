/**
 * Keeps the bytes that calls have taken from where they cannot be taken again: the program's input,
 * devices that make them up, and sockets that it has connected; and what it has sent there.
 */
import { decodeBytes } from '../../base/bytes.ts';
import type { Tid } from '../../linux/ids.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import type { KernelFile } from '../../trace/records/kernel-file.ts';
import { ConnectedSockets } from './connected-sockets.ts';
import type { OpenCall } from './open-call.ts';
import { INPUT_NOTE, ProgramInput } from './program-input.ts';
import { LONGEST_RANDOM, RandomDevices } from './random-devices.ts';
import type { UnstampedRecord } from './stamps.ts';
import { movesBytes, takenInput } from './taken-input.ts';

type Append = (record: UnstampedRecord) => void;

export class KeptBytes {
  readonly #input: ProgramInput | undefined;
  readonly #random = new RandomDevices();
  readonly #sockets = new ConnectedSockets();
  readonly #append: Append;

  /** `root` has not read anything yet. */
  constructor(root: Tid, append: Append) {
    this.#input = ProgramInput.of(root);
    this.#append = append;
  }

  /** The task stands at the end of the call. */
  keep(task: Tid, call: OpenCall, result: number): void {
    this.#keepConversed(task, call, result);
    if (!call.shape.takes) return;
    if (this.#input && call.file) this.#keepInput(task, this.#input, call, result);
    const random = takenInput(task, this.#isRandom, call, result, LONGEST_RANDOM);
    for (const bytes of random?.pieces ?? []) {
      if (!this.#random.take(bytes.length)) return;
      this.#append({ kind: 'random', tid: task, data: decodeBytes(bytes) });
    }
  }

  /** The record of a call that is over. */
  note(record: CallRecord): void {
    this.#sockets.note(record);
  }

  #keepConversed(task: Tid, call: OpenCall, result: number): void {
    const { file, shape } = call;
    if (result <= 0 || !file || !movesBytes(call) || this.#input?.is(file)) return;
    const kind = shape.takes ? 'received' : 'sent';
    const longest = this.#sockets.take(file, kind, result);
    const taken = longest > 0 ? takenInput(task, () => true, call, result, longest) : undefined;
    for (const bytes of taken?.pieces ?? []) {
      this.#append({ kind, tid: task, socket: file.inode, data: decodeBytes(bytes) });
    }
  }

  readonly #isRandom = (file: KernelFile | undefined): boolean => this.#random.has(file);

  #keepInput(task: Tid, input: ProgramInput, call: OpenCall, result: number): void {
    const taken = takenInput(task, (file) => input.is(file), call, result);
    if (!taken) return;
    const kept = taken.pieces.filter((bytes) => input.take(bytes.length));
    for (const bytes of kept) {
      this.#append({ kind: 'input', tid: task, data: decodeBytes(bytes) });
    }
    if ((!taken.isWhole || kept.length < taken.pieces.length) && input.mustNote()) {
      this.#append({ kind: 'note', tid: task, text: INPUT_NOTE });
    }
  }
}
