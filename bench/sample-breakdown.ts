/**
 * What of the cost of sampling comes from where, as in the RACEZ paper's Figure 12. The agent is loaded without deadheat
 * beside it, and told what to leave out.
 *
 *   locks          it keeps locksets, and logs what threads synchronise with
 *   + allocation   it logs what is allocated and freed
 *   + signals      it samples: all that there is
 */
import { join } from 'node:path';
import { SamplingOption } from '../src/linux/agent-protocol.ts';
import { AGAIN, inTurns, spread } from './interleaved.ts';
import { markdownTable, type TableRow } from './markdown-table.ts';
import { chosen } from './measure.ts';
import { roundsIn, sampledWork, type Work } from './sampled-work.ts';
import { withSamplingAgent } from './sampling-agent.ts';
import type { Starter } from './turns.ts';

const ROUNDS = 9;
const NATIVE = 'native';
const { DH_SAMPLING_NO_ALLOCATIONS, DH_SAMPLING_NO_SIGNALS } = SamplingOption;

/** What is left out. */
const CAUSES: Readonly<Record<string, number>> = {
  locks: DH_SAMPLING_NO_ALLOCATIONS | DH_SAMPLING_NO_SIGNALS,
  '+ allocation': DH_SAMPLING_NO_SIGNALS,
  '+ signals': 0,
};

export async function breakdown(folder: string, words: readonly string[]): Promise<void> {
  const work = sampledWork(folder);
  const rows: TableRow[] = [];
  for (const name of chosen([...work.keys()], words)) {
    rows.push(await row(folder, name, work.get(name)!, roundsIn(words, ROUNDS)));
  }
  console.log(markdownTable(rows));
}

async function row(folder: string, name: string, work: Work, rounds: number): Promise<TableRow> {
  const without =
    (options: number): Starter =>
    (cwd) =>
      work(withSamplingAgent(join(cwd, 'samples'), options))(cwd);
  const ways = Object.entries(CAUSES).map(([cause, out]) => [cause, without(out)] as const);
  const ratios = await inTurns(new Map([[NATIVE, work([])], ...ways]), rounds, folder);
  const cells = [...Object.keys(CAUSES), `${NATIVE}${AGAIN}`].map((way) => {
    const found = ratios.get(way)!;
    return [
      way,
      `${found.ratio.toFixed(3)} (${spread(found)}, lowest ${found.lowest.toFixed(3)}), processor time ${found.processor.toFixed(3)}`,
    ] as const;
  });
  return { program: name, ...Object.fromEntries(cells) };
}
