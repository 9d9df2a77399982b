/** What is reported of memcached and apache2 under load: docs/sample-reports.md has what came of looking at each. */
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Race } from '../src/report/model.ts';
import { serveApache } from './apache.ts';
import { chosen } from './measure.ts';
import { serveMemcached } from './memcached.ts';
import { analysed, samplingInto } from './sampled-report.ts';
import { compileProgram } from './traced-programs.ts';

const MEMCACHED_REQUESTS = 3_000_000;
const APACHE_REQUESTS = 200_000;

export async function servers(folder: string, words: readonly string[]): Promise<void> {
  const load = compileProgram('memcached-load', folder);
  const serve: Readonly<Record<string, (own: string, run: string) => Promise<unknown>>> = {
    memcached: (own, run) => serveMemcached(samplingInto(run), own, load, MEMCACHED_REQUESTS),
    apache2: (own, run) => serveApache(samplingInto(run), own, APACHE_REQUESTS),
  };
  for (const name of chosen(Object.keys(serve), words)) {
    const own = join(folder, name);
    mkdirSync(own);
    chmodSync(own, 0o777);
    const run = join(own, 'run');
    await serve[name]!(own, run);
    const { races, stats } = analysed(folder, run);
    console.log(`${name}: ${races.length} reports, ${JSON.stringify(stats)}\n`);
    for (const race of races) console.log(told(race));
    console.log('');
  }
}

function told({ id, title, accesses, occurrences, evidence, benign }: Race): string {
  const sides = accesses.map(({ op, site }) => {
    const { function: name, file, line, module, address } = site;
    return `    ${op} ${name ?? '?'} ${file ?? module ?? ''}:${line ?? address ?? ''}`;
  });
  const remark = benign === undefined ? '' : ` [${benign}]`;
  return [`${id} ${title} × ${occurrences}${remark}: ${evidence ?? ''}`, ...sides].join('\n');
}
