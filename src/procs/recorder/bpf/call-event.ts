/** Pieces of code for call events, which the programs at both ends of a call hold. */
import type { BpfAssembler } from '../../../linux/bpf-assembler.ts';
import { sendEvent, stampEvent } from './fragments.ts';
import { CallEvent, EventKind, FileFields, PathLength, SHORT_PATH } from './layout.ts';
import type { RecorderMaps } from './recorder-maps.ts';

/** What no part of the programs may find: things of the call before. */
export function clearCall(a: BpfAssembler): void {
  a.store(4, 'r7', CallEvent.created, 0).store(4, 'r7', CallEvent.collected, 0);
  for (const file of [CallEvent.file, CallEvent.file2]) a.store(4, 'r7', file + FileFields.mode, 0);
  a.store(4, 'r7', CallEvent.length, PathLength.none);
  a.store(4, 'r7', CallEvent.length2, PathLength.none);
  clearData(a);
}

/** What is found out at the end of a call, which a signal may put off. */
export function clearData(a: BpfAssembler): void {
  a.store(4, 'r7', CallEvent.dataLength, 0).store(8, 'r7', CallEvent.position, -1);
}

/** Sends the call that r7 points at; it ends now. */
export function sendCall(a: BpfAssembler, maps: RecorderMaps): void {
  stampEvent(a, maps, EventKind.call);
  sizeOfCall(a);
  sendEvent(a, maps, 'r3');
}

/**
 * r3 = the size of the event, only as long as its paths and its data are. Those stand in two
 * places; the first is sent whole if anything is in the second.
 */
function sizeOfCall(a: BpfAssembler): void {
  const [sized, first, data, second] = ['sized', 'first', 'data', 'second'].map((name) =>
    a.newLabel(name),
  ) as [string, string, string, string];
  a.load(4, 'r3', 'r7', CallEvent.length2).jumpIf('r3', '==', PathLength.none, data);
  a.jumpIf('r3', '>', SHORT_PATH, first);
  a.label(second).add('r3', CallEvent.path2).jump(sized);
  a.label(data).load(4, 'r3', 'r7', CallEvent.dataLength).jumpIf('r3', '==', 0, first);
  a.jumpIf('r3', '>', SHORT_PATH, first);
  a.load(4, 'r1', 'r7', CallEvent.length).jumpIf('r1', '!=', PathLength.none, second);
  a.add('r3', CallEvent.path).jump(sized);
  const short = a.newLabel('short');
  a.label(first).load(4, 'r3', 'r7', CallEvent.length).jumpIf('r3', '<=', SHORT_PATH, short);
  a.move('r3', 0).label(short).add('r3', CallEvent.path).label(sized);
}
