/**
 * From the race that a trace predicts to what a stand-off needs: where both instructions are in their files,
 * whose turn it is to come there, and which atomic accesses have a turn before.
 */
import { LogOp } from '../../linux/agent-protocol.ts';
import { isStore, NONE, Op } from '../model/op.ts';
import type { ThreadTrace } from '../model/trace.ts';
import type { Schedule } from './schedule.ts';
import type { AtomicStep, CodePlace, RacingSides, Side } from './side.ts';

/** undefined if nobody knows where one of the accesses is, as in an imported trace. */
export function racingSidesOf(trace: ThreadTrace, schedule: Schedule): RacingSides | undefined {
  const [first, second] = schedule.sides.map(({ event, thread }): Side | undefined => {
    const op = trace.opAt(event);
    const code = codePlaceOf(trace, event);
    const isAtomic = op !== Op.read && op !== Op.write;
    return code && { code, isStore: isStore(op), isAtomic, thread };
  });
  if (first === undefined || second === undefined) return undefined;
  const { address, size } = trace.tables.variables.row(trace.targetAt(schedule.sides[0].event));
  return {
    sides: [first, second],
    variable: address === 0 ? undefined : { address, size },
    atomics: atomicSteps(trace, schedule),
  };
}

/** One whose place is not known cannot be held back: it is left to chance. */
function atomicSteps(trace: ThreadTrace, { steps }: Schedule): AtomicStep[] {
  return steps.flatMap(({ op, event, thread }, turn) => {
    const code = op === LogOp.DH_OP_ATOMIC ? codePlaceOf(trace, event) : undefined;
    return code === undefined ? [] : [{ turn, thread, code }];
  });
}

function codePlaceOf(trace: ThreadTrace, event: number): CodePlace | undefined {
  const { tables } = trace;
  const site = trace.siteAt(event);
  if (site === NONE) return undefined;
  const { module, address } = tables.sites.row(site);
  if (module === NONE) return undefined;
  const { path, buildId } = tables.modules.row(module);
  return { path, buildId, address };
}
