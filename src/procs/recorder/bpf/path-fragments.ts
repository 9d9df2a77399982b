/**
 * Copies the paths that a call's arguments point at. Most are short and go into the event itself;
 * one of 256 bytes or more is sent ahead of it, in an event of its own. The page may not be in
 * memory when the call begins, and a program in the kernel cannot wait for it: then it is read
 * when the call ends, since the kernel has needed it meanwhile.
 */

import type { BpfAssembler } from '../../../linux/bpf-assembler.ts';
import { AT_FDCWD } from '../../../linux/fcntl.ts';
import { CallShape, NO_START } from './call-table.ts';
import { describeDescriptor, describeWorkingDirectory } from './file-fragments.ts';
import { CURRENT, findWorkspace, OUT, sendEvent, WORD } from './fragments.ts';
import type { KernelOffsets } from './kernel-offsets.ts';
import {
  CallEvent,
  EventKind,
  Head,
  LONGEST_TEXT,
  PathLength,
  SHORT_PATH,
  TextEvent,
} from './layout.ts';
import type { RecorderMaps } from './recorder-maps.ts';

const LAST_ARGUMENT = 5;
const SLASH = 47;
/** Where the state of the task is kept while r7 is the text event. */
const STATE = -40;

export interface PathPlace {
  index: 0 | 1;
  shape: number;
  directory: number;
  length: number;
  path: number;
  file: number;
}

export const FIRST_PATH: PathPlace = {
  index: 0,
  shape: CallShape.path,
  directory: CallShape.directory,
  length: CallEvent.length,
  path: CallEvent.path,
  file: CallEvent.file,
};
export const SECOND_PATH: PathPlace = {
  index: 1,
  shape: CallShape.path2,
  directory: CallShape.directory2,
  length: CallEvent.length2,
  path: CallEvent.path2,
  file: CallEvent.file2,
};
export const PATH_PLACES = [FIRST_PATH, SECOND_PATH] as const;

/** r0 = the argument whose index stands at `shape`; goes to `otherwise` if there is none. */
export function loadArgument(a: BpfAssembler, shape: number, otherwise: string): void {
  a.load(1, 'r1', 'r8', shape).jumpIf('r1', '>', LAST_ARGUMENT, otherwise);
  a.shiftLeft('r1', 3).move('r2', 'r7').add('r2', 'r1').load(8, 'r0', 'r2', CallEvent.args);
}

/** Copies one path; `ifUnreadable` becomes its length if its page is not there. */
export function copyPath(
  a: BpfAssembler,
  maps: RecorderMaps,
  place: PathPlace,
  ifUnreadable: number,
): void {
  const done = a.newLabel('copied');
  const unreadable = a.newLabel('unreadable');
  loadArgument(a, place.shape, done);
  a.store(8, 'fp', WORD, 'r0').move('r3', 'r0');
  a.move('r1', 'r7').add('r1', place.path).move('r2', SHORT_PATH);
  a.callHelper('probe_read_user_str').jumpIf('r0', 's<=', 0, unreadable);
  a.store(4, 'r7', place.length, 'r0').jumpIf('r0', '<', SHORT_PATH, done);
  a.store(4, 'r7', place.length, PathLength.sentAhead);
  sendAhead(a, maps, place);
  a.jump(done);
  a.label(unreadable).store(4, 'r7', place.length, ifUnreadable).label(done);
}

/** Describes the directory that a path starts at, unless the path is absolute. */
export function describeStart(a: BpfAssembler, offsets: KernelOffsets, place: PathPlace): void {
  const done = a.newLabel('started');
  const relative = a.newLabel('relative');
  const current = a.newLabel('current');
  a.load(1, 'r1', 'r8', place.shape).jumpIf('r1', '>', LAST_ARGUMENT, done);
  a.load(1, 'r1', 'r8', place.directory).jumpIf('r1', '==', NO_START, done);
  a.load(4, 'r1', 'r7', place.length).jumpIf('r1', '==', PathLength.unread, relative);
  a.load(1, 'r1', 'r7', place.path).jumpIf('r1', '==', SLASH, done).label(relative);
  loadArgument(a, place.directory, current);
  // The kernel looks at 32 bits.
  a.move('r9', 'r0').shiftLeft('r9', 32).shiftRight('r9', 32);
  a.moveLong('r1', BigInt(AT_FDCWD >>> 0)).jumpIf('r9', '==', 'r1', current);
  describeDescriptor(a, offsets, place.file);
  a.jump(done).label(current);
  describeWorkingDirectory(a, offsets, place.file);
  a.label(done);
}

/** The user address is at WORD. A text event takes no stamp: it belongs to the call after it. */
function sendAhead(a: BpfAssembler, maps: RecorderMaps, { index }: PathPlace): void {
  const unreadable = a.newLabel('unreadable');
  a.store(8, 'fp', STATE, 'r7');
  findWorkspace(a, 'r7', maps);
  a.store(4, 'r7', Head.kind, EventKind.text).load(8, 'r1', 'fp', CURRENT);
  a.store(4, 'r7', Head.task, 'r1').store(4, 'r7', TextEvent.index, index);
  a.move('r1', 'r7').add('r1', TextEvent.text).move('r2', LONGEST_TEXT).load(8, 'r3', 'fp', WORD);
  a.callHelper('probe_read_user_str').jumpIf('r0', 's<=', 0, unreadable);
  a.jumpIf('r0', '>', LONGEST_TEXT, OUT).store(4, 'r7', TextEvent.length, 'r0');
  a.move('r3', 'r0').add('r3', TextEvent.text);
  sendEvent(a, maps, 'r3');
  a.label(unreadable).load(8, 'r7', 'fp', STATE);
}
