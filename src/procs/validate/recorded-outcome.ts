/** How the recorded run itself ended. */
import { join } from 'node:path';
import { Signal } from '../../linux/signals.ts';
import { readTrace } from '../../trace/reader.ts';
import type { Run } from '../../trace/run-directory.ts';
import type { RunOutcome } from '../check/outcome.ts';
import { Ending } from '../replay/ending.ts';

export interface RecordedOutcome {
  /** But for what it wrote, which went to where the user wanted it. */
  readonly outcome: RunOutcome;
  readonly milliseconds: number;
}

export function recordedOutcome(run: Run): RecordedOutcome {
  const { exit, files, reason } = run.info;
  const ending = new Ending();
  let began: number | undefined;
  let ended = 0;
  for (const record of readTrace(run.traceFile, { salvage: false })) {
    ending.note(record);
    const time = record.kind === 'call' ? record.leftAt : record.time;
    began ??= time;
    ended = Math.max(ended, time);
  }
  const layers = files?.in === 'sandbox' ? files.layers : [];
  const outcome: RunOutcome = {
    exit: exit && 'signal' in exit ? { signal: numberOf(exit.signal) } : { code: exit?.code ?? 0 },
    // A server that was recorded for a while: it does not end in any order.
    hung: reason !== undefined,
    deaths: ending.deaths,
    leftovers: ending.leftovers,
    stdout: '/dev/null',
    stderr: '/dev/null',
    layers: layers.map(({ place, changes }) => ({ place, upper: join(run.path, changes) })),
  };
  return { outcome, milliseconds: (ended - (began ?? ended)) / 1e6 };
}

/** `SIGSEGV`, or `signal 34` for one without a name. */
const numberOf = (name: string): number =>
  Signal[name as NodeJS.Signals] ?? Number(name.replace('signal ', ''));
