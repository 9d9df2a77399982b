/**
 * What a function without branches and calls returns, if that is always the same: `__gthread_active_p` of C++'s
 * library says 1, and what hangs on it is half of std::mutex where nothing is inlined.
 */
import { Result, resultAfter, resultReturned } from './lock-result.ts';
import type { ProgramCode, ProgramFunction } from './program-code.ts';

const LONGEST = 16;

export function constantResult(program: ProgramCode, { first, code }: ProgramFunction): Result {
  let result: Result = Result.unknown;
  const end = first + Math.min(code.instructions.length, LONGEST);
  for (let spot = first; spot < end; spot++) {
    const flow = program.flow(spot);
    if (flow.kind === 'returns') return resultReturned(result);
    if (flow.kind !== 'goes' || flow.to.length !== 1 || flow.to[0] !== spot + 1) break;
    result = resultAfter(result, program.instruction(spot), program.bytesOf(spot));
  }
  return Result.unknown;
}
