/** Says once for each task that it makes 32-bit (or x32) calls, which are not recorded. */
import type { BpfAssembler } from '../../../linux/bpf-assembler.ts';
import { OUT, sendEvent, stampEvent } from './fragments.ts';
import { EventKind, Head, Phase, TaskState } from './layout.ts';
import type { RecorderMaps } from './recorder-maps.ts';

/** The label `foreign`. The event is made in the task's state, which is between two calls. */
export function noteForeignCall(a: BpfAssembler, maps: RecorderMaps): void {
  a.label('foreign').load(4, 'r1', 'r7', TaskState.noted).jumpIf('r1', '!=', 0, OUT);
  a.store(4, 'r7', TaskState.noted, 1).store(4, 'r7', TaskState.phase, Phase.outsideCalls);
  stampEvent(a, maps, EventKind.note);
  sendEvent(a, maps, Head.size);
}
