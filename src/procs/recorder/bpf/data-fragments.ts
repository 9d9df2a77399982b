/**
 * Copies the memory that a call's arguments point at when the call ends, as the shape says:
 *
 *   poll(fds, 3, -1)   24 bytes at argument 0, and the event is longer by as much
 *
 * It stands where a path would, or behind the path if there is one.
 */
import type { BpfAssembler } from '../../../linux/bpf-assembler.ts';
import { LONGEST_DATA } from '../../model/recorded/shape.ts';
import { CallFlag, CallShape, FIXED, RESULT } from './call-table.ts';
import { describeDescriptor } from './file-fragments.ts';
import { WORD } from './fragments.ts';
import type { KernelOffsets } from './kernel-offsets.ts';
import { CallEvent, SHORT_PATH } from './layout.ts';
import { loadArgument } from './path-fragments.ts';

const LARGEST_COUNT = 0x7fff_ffff;

/** Uses r9 up. */
export function copyData(a: BpfAssembler): void {
  loadArgument(a, CallShape.data, 'no data');
  a.jumpIf('r0', '==', 0, 'no data').store(8, 'fp', WORD, 'r0');
  a.load(2, 'r1', 'r8', CallShape.flags).and('r1', CallFlag.dataIfSuccessful);
  a.jumpIf('r1', '==', 0, 'wanted').load(8, 'r1', 'r7', CallEvent.result);
  a.jumpIf('r1', 's<', 0, 'no data').label('wanted');
  findSize(a);
  a.jumpIf('r9', '<=', LONGEST_DATA, 'not cut').move('r9', LONGEST_DATA).label('not cut');
  a.move('r1', 'r7').add('r1', CallEvent.path).load(2, 'r2', 'r8', CallShape.flags);
  a.and('r2', CallFlag.dataAfterPath).jumpIf('r2', '==', 0, 'copy');
  a.add('r1', SHORT_PATH).label('copy').move('r2', 'r9').load(8, 'r3', 'fp', WORD);
  a.callHelper('probe_read_user').jumpIf('r0', '!=', 0, 'no data');
  a.store(4, 'r7', CallEvent.dataLength, 'r9').label('no data');
}

/** r9 = the number of bytes. */
function findSize(a: BpfAssembler): void {
  a.load(1, 'r2', 'r8', CallShape.dataUnit).load(1, 'r1', 'r8', CallShape.dataCount);
  a.move('r9', 'r2').jumpIf('r1', '==', FIXED, 'sized');
  a.load(8, 'r9', 'r7', CallEvent.result).jumpIf('r1', '==', RESULT, 'counted');
  loadArgument(a, CallShape.dataCount, 'no data');
  a.move('r9', 'r0').label('counted').shiftLeft('r9', 32).shiftRight('r9', 32);
  a.jumpIf('r9', '>', LARGEST_COUNT, 'no data').jumpIf('r9', '==', 0, 'no data');
  a.load(1, 'r2', 'r8', CallShape.dataUnit).jumpIf('r2', '==', 0, 'bits');
  a.multiply('r9', 'r2').jump('sized');
  a.label('bits').add('r9', 7).shiftRight('r9', 3).label('sized');
}

/** The two ends of a pipe, whose numbers are the data. */
export function describePair(a: BpfAssembler, offsets: KernelOffsets): void {
  a.load(2, 'r1', 'r8', CallShape.flags).and('r1', CallFlag.pair).jumpIf('r1', '==', 0, 'no pair');
  a.load(4, 'r1', 'r7', CallEvent.dataLength).jumpIf('r1', '==', 0, 'no pair');
  a.load(4, 'r9', 'r7', CallEvent.path);
  describeDescriptor(a, offsets, CallEvent.file);
  a.load(4, 'r9', 'r7', CallEvent.path + 4);
  describeDescriptor(a, offsets, CallEvent.file2);
  a.label('no pair');
}
