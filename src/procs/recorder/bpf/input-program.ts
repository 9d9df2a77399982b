/**
 * Sends what a call has taken from the program's input, or moved through a socket that is of interest
 * (socket-fragments.ts), in pieces, each an event of its own, and then the call's:
 *
 *   readv(0, [{a, 100}, {b, 9000}], 2) = 5000     100 bytes at a, 4096 at b, 804 behind them
 *
 * A program of its own, which exit-program.ts goes on with for such calls, so that others pay for no
 * more than a look at their shape. It takes one step and then goes on with itself: a loop would be
 * more than the kernel is willing to check. What it has to remember stands in the task's state,
 * where paths would be, since these calls have none.
 */
import { BpfAssembler } from '../../../linux/bpf-assembler.ts';
import { LONGEST_DATA } from '../../model/recorded/shape.ts';
import { INPUT_PIECE, MOST_STEPS } from '../program-input.ts';
import { LONGEST_RANDOM } from '../random-devices.ts';
import { sendCall } from './call-event.ts';
import { CallFlag, CallShape, TakenInto } from './call-table.ts';
import { FileKind, loadFileKind } from './file-fragments.ts';
import { end, findCurrentTask, findWorkspace, sendEvent, stampEvent, WORD } from './fragments.ts';
import { CallEvent, EventKind, FileFields, InputEvent, InputPurpose, Shared } from './layout.ts';
import { loadArgument } from './path-fragments.ts';
import type { RecorderMaps } from './recorder-maps.ts';
import { findConversed } from './socket-fragments.ts';

const MSG_PEEK = 2;
const IOVEC_SIZE = 16;
/** msg_iov and msg_iovlen in struct msghdr, <linux/socket.h>. */
const VECTORS_IN_MESSAGE = 16;

/** A struct iovec; where the next one is and how many there are; what is left to be sent. */
const Progress = {
  buffer: CallEvent.path,
  bufferLeft: CallEvent.path + 8,
  vectors: CallEvent.path + 16,
  vectorsLeft: CallEvent.path + 24,
  totalLeft: CallEvent.path + 32,
  steps: CallEvent.path + 40,
  purpose: CallEvent.path + 48,
} as const;

/** Goes on with `inputProgram`, if something is to be sent; `context` is what the tracepoint passed. */
export function goOnWithInput(a: BpfAssembler, maps: RecorderMaps, context: number): void {
  a.load(1, 'r9', 'r8', CallShape.takes).jumpIf('r9', '==', TakenInto.nowhere, 'no input');
  a.load(8, 'r1', 'r7', CallEvent.result).jumpIf('r1', 's<=', 0, 'no input');
  a.store(8, 'fp', WORD, 'r1');
  loadArgument(a, CallShape.takesFlags, 'not peeked');
  a.and('r0', MSG_PEEK).jumpIf('r0', '!=', 0, 'no input').label('not peeked');
  findConversed(a, maps, 'to be sent');
  a.load(2, 'r1', 'r8', CallShape.flags)
    .and('r1', CallFlag.gives)
    .jumpIf('r1', '!=', 0, 'no input');
  findRandom(a, maps);
  a.moveMapValue('r1', maps.shared).load(8, 'r1', 'r1', Shared.input);
  a.jumpIf('r1', '==', 0, 'no input').load(8, 'r2', 'r7', CallEvent.file + FileFields.id);
  a.jumpIf('r1', '==', 'r2', 'input').jumpIf('r9', '!=', TakenInto.elsewhere, 'no input');
  a.load(8, 'r2', 'r7', CallEvent.file2 + FileFields.id).jumpIf('r1', '!=', 'r2', 'no input');
  a.label('input').move('r6', InputPurpose.input).label('to be sent');
  findBuffers(a);
  a.load(8, 'r6', 'fp', context);
  goOn(a, maps);
  a.label('no input');
}

/** Goes to `input` with made-up bytes, of which so many are enough. */
function findRandom(a: BpfAssembler, maps: RecorderMaps): void {
  a.load(8, 'r1', 'fp', WORD).jumpIf('r9', '!=', TakenInto.data, 'of a file');
  a.jumpIf('r1', '<=', LONGEST_DATA, 'no input').store(4, 'r7', CallEvent.dataLength, 0);
  a.jump('random').label('of a file');
  loadFileKind(a, 'r1', CallEvent.file);
  a.jumpIf('r1', '!=', FileKind.device, 'no device').load(
    8,
    'r2',
    'r7',
    CallEvent.file + FileFields.inode,
  );
  a.moveMapValue('r1', maps.shared)
    .load(8, 'r3', 'r1', Shared.random)
    .jumpIf('r2', '==', 'r3', 'random');
  a.load(8, 'r3', 'r1', Shared.random2).jumpIf('r2', '!=', 'r3', 'no device');
  a.label('random').load(8, 'r1', 'fp', WORD).jumpIf('r1', '<=', LONGEST_RANDOM, 'input');
  a.store(8, 'fp', WORD, LONGEST_RANDOM).jump('input').label('no device');
}

export function inputProgram(maps: RecorderMaps): Buffer {
  const a = new BpfAssembler();
  a.move('r6', 'r1');
  findCurrentTask(a, maps);
  a.load(8, 'r9', 'r7', Progress.totalLeft).jumpIf('r9', '==', 0, 'all sent');
  a.load(8, 'r1', 'r7', Progress.steps).jumpIf('r1', '>=', MOST_STEPS, 'cut').add('r1', 1);
  a.store(8, 'r7', Progress.steps, 'r1');
  a.load(8, 'r1', 'r7', Progress.bufferLeft).jumpIf('r1', '!=', 0, 'in buffer');
  takeVector(a);
  a.jump('go on').label('in buffer');
  sendPiece(a, maps);
  a.label('go on');
  goOn(a, maps);
  a.label('cut');
  stampEvent(a, maps, EventKind.inputCut);
  // As far as it says of which files.
  sendEvent(a, maps, CallEvent.length);
  a.label('all sent');
  sendCall(a, maps);
  end(a);
  return a.assemble();
}

/** Comes back only if it has gone on too often. */
function goOn(a: BpfAssembler, maps: RecorderMaps): void {
  a.move('r1', 'r6').moveMap('r2', maps.called).move('r3', 0).callHelper('tail_call');
}

/** r9 is one of TakenInto (into none of these, nothing will be sent of it); WORD has how much to send, r6 why. */
function findBuffers(a: BpfAssembler): void {
  for (const at of Object.values(Progress)) a.store(8, 'r7', at, 0);
  a.store(8, 'r7', Progress.purpose, 'r6');
  a.load(8, 'r1', 'fp', WORD).store(8, 'r7', Progress.totalLeft, 'r1');
  a.load(8, 'r3', 'r7', CallEvent.args).jumpIf('r9', '==', TakenInto.data, 'one buffer');
  a.load(8, 'r3', 'r7', CallEvent.args + 8).jumpIf('r9', '!=', TakenInto.buffer, 'no buffer');
  a.label('one buffer');
  a.store(8, 'r7', Progress.buffer, 'r3').store(8, 'r7', Progress.bufferLeft, 'r1');
  a.label('no buffer').load(8, 'r1', 'r7', CallEvent.args + 16);
  a.jumpIf('r9', '!=', TakenInto.vectors, 'no vectors').store(8, 'r7', Progress.vectors, 'r3');
  a.store(8, 'r7', Progress.vectorsLeft, 'r1').label('no vectors');
  a.jumpIf('r9', '!=', TakenInto.message, 'found').add('r3', VECTORS_IN_MESSAGE);
  a.move('r1', 'r7').add('r1', Progress.vectors).move('r2', IOVEC_SIZE);
  a.callHelper('probe_read_user').label('found');
}

/** The next struct iovec becomes the buffer. */
function takeVector(a: BpfAssembler): void {
  a.load(8, 'r1', 'r7', Progress.vectorsLeft).jumpIf('r1', '==', 0, 'cut').add('r1', -1);
  a.store(8, 'r7', Progress.vectorsLeft, 'r1').load(8, 'r3', 'r7', Progress.vectors);
  a.move('r1', 'r7').add('r1', Progress.buffer).move('r2', IOVEC_SIZE);
  a.callHelper('probe_read_user').jumpIf('r0', '!=', 0, 'cut');
  a.load(8, 'r1', 'r7', Progress.vectors).add('r1', IOVEC_SIZE);
  a.store(8, 'r7', Progress.vectors, 'r1');
}

/** r9 is what is left of all, r1 what is left of the buffer. */
function sendPiece(a: BpfAssembler, maps: RecorderMaps): void {
  a.jumpIf('r9', '<=', 'r1', 'not more').move('r9', 'r1').label('not more');
  a.jumpIf('r9', '<=', INPUT_PIECE, 'one piece').move('r9', INPUT_PIECE).label('one piece');
  a.move('r8', 'r7');
  findWorkspace(a, 'r7', maps);
  a.move('r1', 'r7').add('r1', InputEvent.bytes).move('r2', 'r9');
  a.load(8, 'r3', 'r8', Progress.buffer).callHelper('probe_read_user').move('r1', 'r0');
  a.jumpIf('r1', '==', 0, 'piece read').move('r7', 'r8').jump('cut').label('piece read');
  for (let at = 0; at < FileFields.size; at += 8) {
    a.load(8, 'r1', 'r8', CallEvent.file + at).store(8, 'r7', InputEvent.file + at, 'r1');
  }
  a.store(4, 'r7', InputEvent.length, 'r9').load(8, 'r1', 'r8', Progress.purpose);
  a.store(4, 'r7', InputEvent.purpose, 'r1');
  a.load(8, 'r1', 'r8', Progress.buffer).add('r1', 'r9').store(8, 'r8', Progress.buffer, 'r1');
  for (const left of [Progress.bufferLeft, Progress.totalLeft]) {
    a.load(8, 'r1', 'r8', left).subtract('r1', 'r9').store(8, 'r8', left, 'r1');
  }
  stampEvent(a, maps, EventKind.input);
  a.move('r3', 'r9').add('r3', InputEvent.bytes);
  sendEvent(a, maps, 'r3');
  a.move('r7', 'r8');
}
