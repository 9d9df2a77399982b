/**
 * A call event that becomes a row of the recording without becoming an object first, which would
 * cost more than all the rest. Says the same as CallReader does, in the order of `call.encode`;
 * what needs something that came before the event is left to CallReader.
 */
import { type Tid, tid } from '../../../linux/ids.ts';
import type { CallRow } from '../../../trace/records/call.ts';
import type { FieldWriter } from '../../../trace/records/fields.ts';
import { hasPosition } from '../../model/file-type.ts';
import {
  CALL_NUMBERS,
  dataSize,
  hasOpened,
  keptArgument,
  type RecordedCall,
  recordedCall,
  usesPosition,
} from '../../model/recorded-calls.ts';
import type { NamespacedPids } from '../task-numbers.ts';
import {
  type CallReader,
  collectedBy,
  isAboutFile,
  isAboutFile2,
  shownMode,
  userDevice,
} from './call-reader.ts';
import { sequenceAt, signed64, u32 } from './event-fields.ts';
import { CallEvent, FILE_IS_THERE, FileFields, Head, SHORT_PATH } from './layout.ts';
import { TextCache } from './text-cache.ts';

const ARGUMENTS = 6;
const SLASH = 47;
/** In place of a mode: no file. */
const NO_FILE = -1;

/** What is recorded of such a call depends on its arguments. */
const BY_ARGUMENTS = 0xff;
/** By number: a bit for each argument that is kept, whatever the others are; or BY_ARGUMENTS. */
const ALWAYS_KEPT = Uint8Array.from({ length: CALL_NUMBERS }, (_, number) => {
  const shape = recordedCall(number);
  return shape ? alwaysKept(shape) : BY_ARGUMENTS;
});

function alwaysKept({ kept, opens, position, data, orFolder }: RecordedCall): number {
  const isPlain = (opens ?? true) === true && position?.argument === undefined && !data;
  if (!isPlain || orFolder || kept.includes('option')) return BY_ARGUMENTS;
  return kept.reduce((bits, keep, index) => bits | (keep === 'always' ? 1 << index : 0), 0);
}

export class EventRow implements CallRow {
  readonly #began: number;
  readonly #namespaced: NamespacedPids;
  readonly #calls: CallReader;
  readonly #outcome = { args: new Array<number>(ARGUMENTS).fill(0), result: 0 };
  #texts = new TextCache(() => 0);
  /** Whose numbers the texts have. */
  #writer: FieldWriter | undefined;
  #events: DataView = new DataView(new ArrayBuffer(0));
  #at = 0;

  constructor(began: number, namespaced: NamespacedPids, calls: CallReader) {
    this.#began = began;
    this.#namespaced = namespaced;
    this.#calls = calls;
  }

  /** Becomes the row of the event at `at`; false if that is not for us. */
  take(events: DataView, at: number): boolean {
    if (u32(events, at + CallEvent.length) > SHORT_PATH) return false;
    if (u32(events, at + CallEvent.length2) > SHORT_PATH) return false;
    if (this.#calls.hasAhead(tid(u32(events, at + Head.task)))) return false;
    this.#events = events;
    this.#at = at;
    return true;
  }

  encode(to: FieldWriter): void {
    const events = this.#events;
    const at = this.#at;
    const number = u32(events, at + CallEvent.number);
    const shape = recordedCall(number)!;
    const kept = ALWAYS_KEPT[number]!;
    const outcome = this.#readOutcome(kept === BY_ARGUMENTS);
    const { args, result } = outcome;
    const task = tid(u32(events, at + Head.task));
    to.u32(task);
    to.u32(number);
    to.sequence(sequenceAt(events, at + CallEvent.entry));
    to.sequence(sequenceAt(events, at + Head.stamp));
    to.time(signed64(events, at + CallEvent.enteredAt) - this.#began);
    to.time(signed64(events, at + Head.time) - this.#began);
    if (kept === BY_ARGUMENTS) {
      for (let index = 0; index < ARGUMENTS; index++) to.i64(keptArgument(shape, args, index));
    } else {
      for (let index = 0; index < ARGUMENTS; index++) {
        to.i64((kept >> index) & 1 ? signed64(events, at + CallEvent.args + 8 * index) : 0);
      }
    }
    to.i64(shape.addressResult && result > 0 ? 0 : result);
    to.u32(this.#reaped(shape, task, result));
    const length = u32(events, at + CallEvent.length);
    this.#text(to, at + CallEvent.path, length - 1);
    this.#text(to, at + CallEvent.path2, u32(events, at + CallEvent.length2) - 1);
    const opened = hasOpened(shape, outcome);
    const isRelative = this.#isRelative(CallEvent.length, CallEvent.path);
    const isRelative2 = this.#isRelative(CallEvent.length2, CallEvent.path2);
    const mode = isAboutFile(shape, isRelative, length, args)
      ? this.#file(to, at + CallEvent.file)
      : noFile(to);
    if (isAboutFile2(shape, isRelative2, opened)) this.#file(to, at + CallEvent.file2);
    else noFile(to);
    to.u32(opened && shape.creates && u32(events, at + CallEvent.created) === 1 ? 1 : 0);
    const isPositioned = mode !== NO_FILE && usesPosition(shape, outcome) && hasPosition({ mode });
    to.i64(isPositioned ? Math.max(0, signed64(events, at + CallEvent.position) + 1) : 0);
    const dataLength = u32(events, at + CallEvent.dataLength);
    const hasData = dataLength > 0 && dataSize(shape, outcome) > 0;
    const dataAt = shape.paths.length > 0 ? CallEvent.path2 : CallEvent.path;
    this.#text(to, at + dataAt, hasData ? dataLength : 0);
  }

  #readOutcome(withArguments: boolean) {
    const outcome = this.#outcome;
    for (let index = 0; withArguments && index < ARGUMENTS; index++) {
      outcome.args[index] = signed64(this.#events, this.#at + CallEvent.args + 8 * index);
    }
    outcome.result = signed64(this.#events, this.#at + CallEvent.result);
    return outcome;
  }

  #reaped(shape: RecordedCall, task: Tid, result: number): number {
    const noted = u32(this.#events, this.#at + CallEvent.collected);
    const collected = collectedBy(shape, noted, result);
    return collected > 0 ? this.#namespaced.ours(task, collected) : 0;
  }

  #isRelative(lengthAt: number, pathAt: number): boolean | undefined {
    if (u32(this.#events, this.#at + lengthAt) <= 1) return undefined;
    return this.#events.getUint8(this.#at + pathAt) !== SLASH;
  }

  #text(to: FieldWriter, start: number, length: number): void {
    if (length <= 0) {
      to.u32(0);
      return;
    }
    if (this.#writer !== to) {
      this.#writer = to;
      this.#texts = new TextCache((text) => to.numberOf(text));
    }
    to.u32(this.#texts.at(this.#events, start, start + length));
  }

  /** The mode of the file, as it is shown. */
  #file(to: FieldWriter, at: number): number {
    const events = this.#events;
    const inKernel = u32(events, at + FileFields.mode);
    if ((inKernel & FILE_IS_THERE) === 0) return noFile(to);
    const device = userDevice(u32(events, at + FileFields.device));
    const mode = shownMode(inKernel & ~FILE_IS_THERE, device);
    to.file(
      signed64(events, at + FileFields.id),
      device,
      signed64(events, at + FileFields.inode),
      mode,
    );
    return mode;
  }
}

function noFile(to: FieldWriter): number {
  to.u32(0);
  return NO_FILE;
}
