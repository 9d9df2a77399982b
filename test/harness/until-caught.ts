import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Report } from '../../src/report/model.ts';
import type { Ended } from './deadheat.ts';

/** What is seen now and then is a matter of luck, and a busy machine sees less: the program is given longer. */
const SECONDS = ['2', '4', '8', '16', '32'];

type Told = Pick<Ended, 'status' | 'stderr'>;
export type Caught = Told & { readonly report: Report };

/** `run` has a program run for so many seconds, and the report written to report.json, until a race is in it. */
export function untilCaught(cwd: string, run: (seconds: string) => Told): Caught {
  let caught: Caught | undefined;
  for (const seconds of SECONDS) {
    const { status, stderr } = run(seconds);
    const text = readFileSync(join(cwd, 'report.json'), 'utf8');
    caught = { status, stderr, report: JSON.parse(text) as Report };
    if (status !== 0) break;
  }
  return caught!;
}
