/**
 * Runs when any task has begun another program: sched_process_exec(task, former tid, binary), with
 * the new program's memory in place. The path is the one that was passed to execve.
 *
 *   execve("/bin/cat", ["cat", "f"])   ExecEvent: texts "/bin/cat\0cat\0f\0", lengths 9 and 6
 *
 * A thread that is not its process's first takes over the first one's number: its state moves too.
 */
import { BpfAssembler } from '../../../linux/bpf-assembler.ts';
import {
  CURRENT,
  end,
  fetch,
  findWorkspace,
  follow,
  KEY,
  lookUp,
  OUT,
  sendEvent,
  stampEvent,
} from './fragments.ts';
import type { KernelOffsets } from './kernel-offsets.ts';
import {
  EventKind,
  ExecEvent,
  INPUT_WANTED,
  LONGEST_TEXT,
  Phase,
  Shared,
  TaskState,
} from './layout.ts';
import type { RecorderMaps } from './recorder-maps.ts';

const FORMER_TID = 8;
const BINARY = 16;
const FORMER_KEY = -32;
const BEGINS = -40;
const ARGUMENTS_START = -48;

export function execProgram(maps: RecorderMaps, offsets: KernelOffsets): Buffer {
  const a = new BpfAssembler();
  a.move('r6', 'r1');
  a.load(8, 'r1', 'r6', FORMER_TID).store(8, 'fp', FORMER_KEY, 'r1').store(4, 'fp', KEY, 'r1');
  lookUp(a, maps.tasks);
  a.jumpIf('r0', '==', 0, OUT).move('r7', 'r0');
  a.callHelper('get_current_pid_tgid').store(8, 'fp', CURRENT, 'r0');
  begin(a, maps, offsets);
  takeOverNumber(a, maps);
  findWorkspace(a, 'r7', maps);
  a.load(8, 'r1', 'fp', FORMER_KEY).store(4, 'r7', ExecEvent.formerTask, 'r1');
  a.load(8, 'r1', 'fp', BEGINS).store(4, 'r7', ExecEvent.begins, 'r1');
  copyProgramPath(a, offsets);
  copyCommandLine(a, offsets);
  stampEvent(a, maps, EventKind.exec);
  a.move('r3', 'r9').add('r3', 'r8').add('r3', ExecEvent.texts);
  sendEvent(a, maps, 'r3');
  end(a);
  return a.assemble();
}

/** The root was still the shell that started it: what is recorded begins here. */
function begin(a: BpfAssembler, maps: RecorderMaps, offsets: KernelOffsets): void {
  a.store(8, 'fp', BEGINS, 0).load(4, 'r1', 'r7', TaskState.phase);
  a.jumpIf('r1', '!=', Phase.beforeExec, 'begun').store(8, 'fp', BEGINS, 1);
  a.store(4, 'r7', TaskState.phase, Phase.outsideCalls);
  findInput(a, maps, offsets);
  a.label('begun');
}

/** The open file that descriptor 0 stands for, if the recorder wants what is read from it. */
function findInput(a: BpfAssembler, maps: RecorderMaps, offsets: KernelOffsets): void {
  const { task, files, fdTable } = offsets;
  a.moveMapValue('r1', maps.shared).load(8, 'r1', 'r1', Shared.input);
  a.jumpIf('r1', '!=', INPUT_WANTED, 'begun').callHelper('get_current_task').move('r3', 'r0');
  follow(a, [task.files, files.table, fdTable.files, 0], 'begun');
  a.moveMapValue('r1', maps.shared).store(8, 'r1', Shared.input, 'r3');
}

function takeOverNumber(a: BpfAssembler, maps: RecorderMaps): void {
  a.load(4, 'r1', 'fp', CURRENT).load(4, 'r2', 'fp', FORMER_KEY);
  a.jumpIf('r1', '==', 'r2', 'same number');
  a.moveMap('r1', maps.tasks).move('r2', 'fp').add('r2', CURRENT).move('r3', 'r7').move('r4', 0);
  a.callHelper('map_update_elem');
  a.moveMap('r1', maps.tasks).move('r2', 'fp').add('r2', FORMER_KEY);
  a.callHelper('map_delete_elem').label('same number');
}

/** r9 = the length of the path, with its NUL. */
function copyProgramPath(a: BpfAssembler, { newProgram }: KernelOffsets): void {
  a.move('r9', 0).load(8, 'r3', 'r6', BINARY);
  follow(a, [newProgram.path], 'path copied');
  a.move('r1', 'r7').add('r1', ExecEvent.texts).move('r2', LONGEST_TEXT);
  a.callHelper('probe_read_kernel_str').jumpIf('r0', 's<=', 0, 'path copied');
  a.jumpIf('r0', '>', LONGEST_TEXT, 'path copied').move('r9', 'r0').label('path copied');
  a.store(4, 'r7', ExecEvent.pathLength, 'r9');
}

/** r8 = the length of the arguments, each with its NUL, as they stand in the new memory. */
function copyCommandLine(a: BpfAssembler, { task, memory }: KernelOffsets): void {
  a.move('r8', 0).callHelper('get_current_task').move('r3', 'r0');
  follow(a, [task.mm], 'command copied');
  a.move('r6', 'r3');
  fetch(a, 8, 'r1', memory.argumentsStart, 'command copied');
  a.store(8, 'fp', ARGUMENTS_START, 'r1').move('r3', 'r6');
  fetch(a, 8, 'r6', memory.argumentsEnd, 'command copied');
  a.load(8, 'r3', 'fp', ARGUMENTS_START).subtract('r6', 'r3');
  a.jumpIf('r6', '<=', LONGEST_TEXT, 'not cut').move('r6', LONGEST_TEXT).label('not cut');
  a.move('r1', 'r7').add('r1', 'r9').add('r1', ExecEvent.texts).move('r2', 'r6');
  a.callHelper('probe_read_user').jumpIf('r0', '!=', 0, 'command copied').move('r8', 'r6');
  a.label('command copied').store(4, 'r7', ExecEvent.commandLength, 'r8');
}
