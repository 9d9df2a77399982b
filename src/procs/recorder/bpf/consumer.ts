/**
 * The recorder's side in user space: reads the ring, makes records of the events and passes them on
 * in the order of their sequence numbers.
 */
import type { Tid } from '../../../linux/ids.ts';
import { mapShared, type NativeMemory, release } from '../../../linux/native-memory.ts';
import { RingBuffer } from '../../../linux/ring-buffer.ts';
import type { CallRow } from '../../../trace/records/call.ts';
import type { TraceRecord } from '../../../trace/records/record.ts';
import { ProgramInput } from '../program-input.ts';
import { Backlog } from './backlog.ts';
import { eventNumberAt, u32 } from './event-fields.ts';
import { EventOrder } from './event-order.ts';
import { EventReader } from './event-reader.ts';
import { EventKind, Head, INPUT_WANTED, Shared } from './layout.ts';
import type { RecorderMaps } from './recorder-maps.ts';

const PAGE = 4096;
/** Programs that still run while they are detached need microseconds; this is for a stolen CPU. */
const LONGEST_WAIT_MS = 2000;

export interface BpfObserver {
  append(record: TraceRecord): void;
  /** The same for a call that encodes itself, which is quicker; absent: all calls come as records. */
  appendCall?(row: CallRow): void;
}

export class Consumer {
  readonly #ring: RingBuffer;
  readonly #backlog: Backlog;
  readonly #order: EventOrder;
  readonly #reader: EventReader;
  readonly #sharedMemory: NativeMemory;
  readonly #shared: BigInt64Array;
  readonly #appendCall: ((row: CallRow) => void) | undefined;

  /** `firstSequence` is the first number that the kernel gives out. */
  constructor(maps: RecorderMaps, observer: BpfObserver, firstSequence: number) {
    this.#ring = new RingBuffer(maps.ring);
    this.#backlog = new Backlog(this.#ring);
    this.#order = new EventOrder((record) => observer.append(record));
    this.#reader = new EventReader(Number(process.hrtime.bigint()));
    this.#appendCall = observer.appendCall?.bind(observer);
    this.#sharedMemory = mapShared(maps.shared.fd, PAGE);
    const { buffer, byteOffset } = this.#sharedMemory.bytes;
    this.#shared = new BigInt64Array(buffer, byteOffset, Shared.size / 8);
    this.#shared[Shared.stamps / 8] = BigInt(firstSequence);
    for (const [index, inode] of this.#reader.random.inodes.entries()) {
      this.#shared[Shared.random / 8 + index] = BigInt(inode);
    }
  }

  /** Empties the ring, without reading what was in it. */
  collect(): void {
    this.#backlog.collect();
  }

  /** A piece of what there is; how many events that were. */
  readPiece(): number {
    return this.#backlog.visitPiece(this.#visit);
  }

  /** All that there is. */
  poll(): number {
    let events = 0;
    for (let piece = this.readPiece(); piece > 0; piece = this.readPiece()) events += piece;
    // What is missing was dropped: waiting for it would hold up everything after it.
    if (this.#order.isWaiting && this.droppedEvents > 0) this.#order.giveUp();
    return events;
  }

  readonly #visit = (events: DataView, at: number, length: number): void => {
    const kind = u32(events, at + Head.kind);
    const number = eventNumberAt(events, at + Head.stamp);
    if (kind === EventKind.call && this.#appendCall) {
      const { row } = this.#reader;
      if (row.take(events, at) && this.#order.skip(number)) {
        this.#appendCall(row);
        return;
      }
    }
    const records = this.#reader.read(new DataView(events.buffer, events.byteOffset + at, length));
    if (kind !== EventKind.text) this.#order.add(number, records);
  };

  /** Once no program can start any more: the rest. How many events were lost. */
  finish(): number {
    const deadline = Date.now() + LONGEST_WAIT_MS;
    do this.poll();
    while ((this.#ring.backlog > 0 || this.#order.isWaiting) && Date.now() < deadline);
    this.#order.giveUp();
    return this.droppedEvents;
  }

  /** How much of the ring is full, from 0 to 1. */
  get fullness(): number {
    return this.#ring.backlog / this.#ring.size;
  }

  /** Bytes that were collected and not read. */
  get collected(): number {
    return this.#backlog.bytes;
  }

  get droppedEvents(): number {
    return this.#count(Shared.dropped);
  }

  get aliveTasks(): number {
    return this.#count(Shared.alive);
  }

  get living(): ReadonlySet<Tid> {
    return this.#reader.living;
  }

  /** What this task, the first one, reads from its standard input is kept if it cannot be read twice. */
  expectInput(root: Tid): void {
    const input = ProgramInput.of(root);
    if (!input) return;
    this.#reader.expectInput(input);
    Atomics.store(this.#shared, Shared.input / 8, BigInt(INPUT_WANTED));
  }

  count(task: Tid): void {
    this.#reader.learn(task);
    Atomics.add(this.#shared, Shared.alive / 8, 1n);
  }

  discount(task: Tid): void {
    this.#reader.living.delete(task);
    Atomics.sub(this.#shared, Shared.alive / 8, 1n);
  }

  close(): void {
    this.#ring.close();
    release(this.#sharedMemory);
  }

  #count(at: number): number {
    return Number(Atomics.load(this.#shared, at / 8));
  }
}
