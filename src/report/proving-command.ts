/**
 * What was put together from samples is a guess until somebody has caught it in the act:
 *
 *   deadheat analyze sample-1 --confirm
 *   deadheat analyze sample-2 --confirm --pid PID      of what ran already: it must run again, or still
 */
import type { Race, Report } from './model.ts';

type Sampled = Pick<Report, 'engine' | 'run' | 'command'>;

export function provingCommand(report: Sampled, { verdict }: Race): string | undefined {
  if (report.engine !== 'sample' || verdict !== 'predicted') return undefined;
  const runs = report.run.split(', ').join(' ');
  return `deadheat analyze ${runs} --confirm${report.command.length === 0 ? ' --pid PID' : ''}`;
}
