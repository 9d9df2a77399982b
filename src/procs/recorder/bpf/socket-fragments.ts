/**
 * connected-sockets.ts inside the kernel: which sockets are of interest, and how much more of what goes
 * through them. A socket has two entries in a map, by its inode times two, plus one for what is sent.
 */
import type { BpfAssembler } from '../../../linux/bpf-assembler.ts';
import {
  CONNECTING_RESULTS,
  INTERNET_FAMILIES,
  MOST_OF_ALL_SOCKETS,
  MOST_OF_SOCKET,
} from '../connected-sockets.ts';
import { CallFlag, CallShape, TakenInto } from './call-table.ts';
import { FileKind, loadFileKind } from './file-fragments.ts';
import { WORD } from './fragments.ts';
import { CallEvent, FileFields, InputPurpose, Shared } from './layout.ts';
import type { RecorderMaps } from './recorder-maps.ts';

/** On the stack, between what the program keeps there and the copy of an inode (file-fragments.ts). */
const KEY = -56;
const VALUE = -64;
/** Source: <linux/bpf.h>. */
const BPF_NOEXIST = 1;

/** The call that has just ended, if it is a connect; r7 and r8 as everywhere. */
export function noteConnected(a: BpfAssembler, maps: RecorderMaps): void {
  a.load(2, 'r1', 'r8', CallShape.flags).and('r1', CallFlag.connects);
  a.jumpIf('r1', '==', 0, 'not connected').load(8, 'r1', 'r7', CallEvent.result);
  for (const result of CONNECTING_RESULTS) a.jumpIf('r1', '==', result, 'connects');
  a.jump('not connected').label('connects');
  a.load(4, 'r1', 'r7', CallEvent.dataLength).jumpIf('r1', '<', 2, 'not connected');
  a.load(2, 'r1', 'r7', CallEvent.path);
  for (const family of INTERNET_FAMILIES) a.jumpIf('r1', '==', family, 'by internet');
  a.jump('not connected').label('by internet');
  loadFileKind(a, 'r1', CallEvent.file);
  a.jumpIf('r1', '!=', FileKind.socket, 'not connected').store(8, 'fp', VALUE, MOST_OF_SOCKET);
  for (const direction of [0, 1]) {
    a.load(8, 'r1', 'r7', CallEvent.file + FileFields.inode).shiftLeft('r1', 1);
    a.add('r1', direction).store(8, 'fp', KEY, 'r1').moveMap('r1', maps.sockets);
    a.move('r2', 'fp').add('r2', KEY).move('r3', 'fp').add('r3', VALUE).move('r4', BPF_NOEXIST);
    a.callHelper('map_update_elem');
  }
  a.label('not connected');
}

/**
 * If bytes went through such a socket, goes to `found`, with one of InputPurpose in r6 and at WORD how many of
 * those that were there are to be sent. r9 is one of TakenInto. Otherwise r6 is left as it is.
 */
export function findConversed(a: BpfAssembler, maps: RecorderMaps, found: string): void {
  a.jumpIf('r9', '==', TakenInto.elsewhere, 'not conversed');
  loadFileKind(a, 'r1', CallEvent.file);
  a.jumpIf('r1', '!=', FileKind.socket, 'not conversed');
  // The program's input is kept as such.
  a.moveMapValue('r1', maps.shared).load(8, 'r1', 'r1', Shared.input);
  a.load(8, 'r2', 'r7', CallEvent.file + FileFields.id).jumpIf('r1', '==', 'r2', 'not conversed');
  a.load(8, 'r1', 'r7', CallEvent.file + FileFields.inode).shiftLeft('r1', 1);
  a.move('r6', InputPurpose.received).load(2, 'r2', 'r8', CallShape.flags);
  a.and('r2', CallFlag.gives).jumpIf('r2', '==', 0, 'of direction');
  a.add('r1', 1).move('r6', InputPurpose.sent).label('of direction').store(8, 'fp', KEY, 'r1');
  a.moveMap('r1', maps.sockets).move('r2', 'fp').add('r2', KEY).callHelper('map_lookup_elem');
  a.jumpIf('r0', '==', 0, 'not conversed').load(8, 'r1', 'r0', 0);
  a.jumpIf('r1', 's<=', 0, 'not conversed').load(8, 'r2', 'fp', WORD);
  a.jumpIf('r2', '<=', 'r1', 'all of it').move('r2', 'r1').label('all of it');
  a.moveMapValue('r3', maps.shared).load(8, 'r4', 'r3', Shared.conversed).add('r4', 'r2');
  a.jumpIf('r4', '>', MOST_OF_ALL_SOCKETS, 'not conversed').store(8, 'fp', WORD, 'r2');
  a.subtract('r1', 'r2').store(8, 'r0', 0, 'r1').fetchAdd('r3', Shared.conversed, 'r2');
  a.jump(found).label('not conversed');
}
