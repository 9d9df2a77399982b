/** How much longer programs take while they are sampled at the default setting. */
import { metOrMissed } from './asked.ts';
import { plotPrograms } from './comparison.ts';
import { AGAIN, between, inTurns, type Ratios, spread } from './interleaved.ts';
import { markdownTable, type TableRow } from './markdown-table.ts';
import { chosen } from './measure.ts';
import { LOCK_BOUND, MAIN, roundsIn, sampledWork, type Work } from './sampled-work.ts';

const ROUNDS = 9;
const ASKED = 1.03;
const NATIVE = 'native';
const SAMPLED = 'sampled';

export async function slowdown(folder: string, words: readonly string[]): Promise<void> {
  const work = sampledWork(folder);
  const measured = new Map<string, Measured>();
  for (const name of chosen([...work.keys()], words)) {
    measured.set(name, await measure(folder, work.get(name)!, roundsIn(words, ROUNDS)));
  }
  console.log(markdownTable([...measured].map(([name, one]) => row(name, one))));
  plotPrograms(
    'sampled at the default setting',
    new Map([...measured].map(([name, { sampled }]) => [`${name}, sampled`, sampled])),
  );
}

interface Measured {
  readonly native: Ratios;
  readonly again: Ratios;
  readonly sampled: Ratios;
}

async function measure(folder: string, work: Work, rounds: number): Promise<Measured> {
  const sampling = [process.execPath, MAIN, 'sample', '-q', '-o', 'run', '--'];
  const ways = new Map([
    [NATIVE, work([])],
    [SAMPLED, work(sampling)],
  ]);
  const ratios = await inTurns(ways, rounds, folder);
  const [native, again, sampled] = [NATIVE, `${NATIVE}${AGAIN}`, SAMPLED].map(
    (way) => ratios.get(way)!,
  ) as [Ratios, Ratios, Ratios];
  return { native, again, sampled };
}

function row(name: string, { native, again, sampled }: Measured): TableRow {
  return {
    program: name,
    'native ms': native.ms.toFixed(0),
    ...{ sampled: sampled.ratio.toFixed(3), '90 % sure': between(sampled.limits) },
    'half of the rounds': spread(sampled),
    lowest: sampled.lowest.toFixed(3),
    ...{ 'native again': again.ratio.toFixed(3), 'half of these': spread(again) },
    'processor time': sampled.processor.toFixed(3),
    '90 % sure ': between(sampled.processorLimits),
    'native again ': again.processor.toFixed(3),
    [`asked ${ASKED}`]: name in LOCK_BOUND ? '' : metOrMissed(sampled.ratio <= ASKED),
  };
}
