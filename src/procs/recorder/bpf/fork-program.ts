/**
 * Runs when any task has made another: sched_process_fork(parent, child), in the parent, before the
 * child runs its first instruction. The child of a recorded task is recorded from here on.
 *
 *   vfork()   StartEvent: task 15, process 15, parent 14, cloneFlags CLONE_VFORK
 *
 * A child in a pid namespace of its own has several numbers, and waits inside speak of those; they
 * are listed from the outermost but one inwards.
 */
import { BpfAssembler } from '../../../linux/bpf-assembler.ts';
import { syscallNumber } from '../../../linux/syscalls.ts';
import {
  addShared,
  CURRENT,
  end,
  fetch,
  findCurrentTask,
  findWorkspace,
  follow,
  KEY,
  OUT,
  readKernel,
  sendEvent,
  stampEvent,
} from './fragments.ts';
import type { KernelOffsets } from './kernel-offsets.ts';
import { DEEPEST_NAMESPACE, EventKind, Head, Shared, StartEvent, TaskState } from './layout.ts';
import type { RecorderMaps } from './recorder-maps.ts';

const CHILD = 8;
/** Source: <linux/sched.h>. */
export const CLONE_VFORK = 0x4000;
/** Where the flags of the clone are kept meanwhile. */
const FLAGS = -40;

export function forkProgram(maps: RecorderMaps, offsets: KernelOffsets): Buffer {
  const a = new BpfAssembler();
  a.move('r6', 'r1');
  findCurrentTask(a, maps);
  findCloneFlags(a);
  findWorkspace(a, 'r7', maps);
  a.load(8, 'r1', 'fp', FLAGS).store(8, 'r7', StartEvent.cloneFlags, 'r1');
  a.load(8, 'r1', 'fp', CURRENT).store(4, 'r7', StartEvent.parent, 'r1');
  a.load(8, 'r3', 'r6', CHILD);
  readKernel(a, ['fp', KEY], 4, offsets.task.tid, OUT);
  a.load(8, 'r3', 'r6', CHILD);
  readKernel(a, ['r7', StartEvent.process], 4, offsets.task.process, OUT);
  listNumbers(a, offsets);
  track(a, maps);
  stampEvent(a, maps, EventKind.start);
  a.load(4, 'r1', 'fp', KEY).store(4, 'r7', Head.task, 'r1');
  sendEvent(a, maps, StartEvent.size);
  end(a);
  return a.assemble();
}

/** From the call that the parent is in: clone3's flags are the first word of its structure. */
function findCloneFlags(a: BpfAssembler): void {
  a.store(8, 'fp', FLAGS, 0).load(4, 'r1', 'r7', TaskState.cloneNumber);
  a.load(8, 'r3', 'r7', TaskState.cloneArgument);
  a.jumpIf('r1', '==', syscallNumber('vfork'), 'vfork');
  a.jumpIf('r1', '==', syscallNumber('clone'), 'clone');
  a.jumpIf('r1', '!=', syscallNumber('clone3'), 'flags found');
  a.move('r1', 'fp').add('r1', FLAGS).move('r2', 8).callHelper('probe_read_user');
  a.jump('flags found');
  a.label('vfork').move('r3', CLONE_VFORK);
  a.label('clone').store(8, 'fp', FLAGS, 'r3').label('flags found');
}

/** The child becomes one of the recorded tasks; if there are too many, that is a dropped event. */
function track(a: BpfAssembler, maps: RecorderMaps): void {
  a.moveMap('r1', maps.tasks).move('r2', 'fp').add('r2', KEY).moveMapValue('r3', maps.blank);
  a.move('r4', 0).callHelper('map_update_elem').jumpIf('r0', '==', 0, 'tracked');
  addShared(a, maps, Shared.dropped, 1);
  a.jump(OUT).label('tracked');
  addShared(a, maps, Shared.alive, 1);
}

function listNumbers(a: BpfAssembler, { task, pid, pidNumberSize }: KernelOffsets): void {
  a.store(4, 'r7', StartEvent.depth, 0).load(8, 'r3', 'r6', CHILD);
  follow(a, [task.numbers], 'listed');
  a.move('r6', 'r3');
  fetch(a, 4, 'r9', pid.depth, 'listed');
  a.jumpIf('r9', '==', 0, 'listed').store(4, 'r7', StartEvent.depth, 'r9');
  for (let depth = 1; depth <= DEEPEST_NAMESPACE; depth++) {
    a.jumpIf('r9', '<', depth, 'listed').move('r3', 'r6');
    const place = ['r7', StartEvent.numbers + 4 * (depth - 1)] as const;
    readKernel(a, place, 4, pid.numbers + depth * pidNumberSize, 'listed');
  }
  a.label('listed');
}
