/**
 * Runs when any task ends: sched_process_exit(task), in the task itself, before its parent can know.
 * It is no longer recorded afterwards, since its number may be given to another.
 */
import { BpfAssembler } from '../../../linux/bpf-assembler.ts';
import {
  addShared,
  CURRENT,
  end,
  KEY,
  lookUp,
  OUT,
  readKernel,
  sendEvent,
  stampEvent,
} from './fragments.ts';
import type { KernelOffsets } from './kernel-offsets.ts';
import { EventKind, ExitEvent, Phase, Shared, TaskState } from './layout.ts';
import type { RecorderMaps } from './recorder-maps.ts';

export function taskExitProgram(maps: RecorderMaps, offsets: KernelOffsets): Buffer {
  const a = new BpfAssembler();
  a.callHelper('get_current_pid_tgid').store(8, 'fp', CURRENT, 'r0').store(4, 'fp', KEY, 'r0');
  lookUp(a, maps.tasks);
  a.jumpIf('r0', '==', 0, OUT).move('r7', 'r0');
  a.load(4, 'r1', 'r7', TaskState.phase).jumpIf('r1', '==', Phase.beforeExec, 'forget');
  a.store(4, 'r7', ExitEvent.status, 0).callHelper('get_current_task').move('r3', 'r0');
  readKernel(a, ['r7', ExitEvent.status], 4, offsets.task.exitCode, 'status read');
  a.label('status read');
  // The call that it was in, if any, will not end: its state is free for this event.
  stampEvent(a, maps, EventKind.exit);
  sendEvent(a, maps, ExitEvent.size);
  a.label('forget').moveMap('r1', maps.tasks).move('r2', 'fp').add('r2', KEY);
  a.callHelper('map_delete_elem');
  addShared(a, maps, Shared.alive, -1);
  end(a);
  return a.assemble();
}
