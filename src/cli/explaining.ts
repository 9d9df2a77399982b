/** What `tolerate --explain` tells of a program, without running it. */
import { basename } from 'node:path';
import { printable } from '../base/bytes.ts';
import { imageAddress } from '../binary/image-address.ts';
import { describePlaces } from '../tolerate/describe-places.ts';
import { explainedSections, explainSections } from '../tolerate/explain.ts';
import { programSections } from '../tolerate/program-sections.ts';
import { readProgram } from '../tolerate/read-program.ts';
import { judgedPlans, rewriteSections } from '../tolerate/rewrite/rewrite-sections.ts';
import { unseenLocks } from '../tolerate/unseen-locks.ts';
import type { Outcome } from './outcome.ts';
import { showingProgress } from './progress.ts';
import type { Terminal } from './terminal.ts';
import { writeOutput } from './write-output.ts';

export async function explain(
  command: string,
  json: string | undefined,
  terminal: Terminal,
): Promise<Outcome> {
  const { path, elf } = readProgram(command);
  const plans = await showingProgress(terminal, () => {
    const found = programSections({ path, elf });
    return judgedPlans(found, rewriteSections(elf, found));
  });
  const places = describePlaces(path, elf);
  const describe = (address: number): string => places(imageAddress(address));
  if (json !== undefined) {
    writeOutput(json, `${JSON.stringify(explainedSections(plans, describe), null, 2)}\n`);
  }
  if (json !== '-') terminal.print(explainSections(printable(basename(path)), plans, describe));
  if (plans.length === 0) {
    const unseen = unseenLocks(elf);
    if (unseen !== undefined) terminal.warn(`nothing of ${printable(path)} is isolated: ${unseen}`);
    else {
      terminal.remark(
        `${printable(path)} itself takes no lock that deadheat knows (pthread_mutex_lock and its kin): nothing is isolated`,
      );
    }
  }
  return { status: 0 };
}
