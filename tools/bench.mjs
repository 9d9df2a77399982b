/**
 * `npm run bench` runs every benchmark, `npm run bench -- trace` one of them. A benchmark is a file
 * in bench/ that exports `run(words)`; it measures things side by side and prints ratios. Words that
 * are no benchmark's name choose among its rows: `npm run bench -- record make eBPF`.
 */
import { mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBuilt } from './build.mjs';
import { ensureDebianPackages, FOR_BENCHMARKS } from './debian-packages.mjs';
import { giveUp, home, run } from './run.mjs';

ensureDebianPackages(FOR_BENCHMARKS);
ensureBuilt();
/** Not benchmarks, but what they are made of. */
const HELPERS = [
  'apache.ts',
  'attach-redis.ts',
  'branches.ts',
  'build-recording.ts',
  'c-project.ts',
  'example-runs.ts',
  'interleaved.ts',
  'logged-program.ts',
  'markdown-table.ts',
  'measure.ts',
  'memcached.ts',
  'other-detectors.ts',
  'redis.ts',
  'rewriting-speed.ts',
  'sample-analysis.ts',
  'sample-breakdown.ts',
  'sample-caught.ts',
  'sample-servers.ts',
  'sample-slowdown.ts',
  'sampled-report.ts',
  'sampled-work.ts',
  'sampling-agent.ts',
  'scenario-run.ts',
  'synthetic-samples.ts',
  'synthetic-trace.ts',
  'timed-command.ts',
  'traced-programs.ts',
  'validated-run.ts',
  'watch-kernel.ts',
  'without-vdso.ts',
];
const available = readdirSync(join(home, 'bench'))
  .filter((file) => file.endsWith('.ts') && !HELPERS.includes(file))
  .map((file) => basename(file, '.ts'));
const words = process.argv.slice(2);
const named = words.filter((word) => available.includes(word));
const rows = words.filter((word) => !available.includes(word));
if (words.length > 0 && named.length === 0) {
  giveUp(`no benchmark named '${words[0]}'; there are: ${available.join(', ')}`);
}
const wanted = named.length > 0 ? named : available;

const compiled = join(home, 'node_modules', '.cache', 'deadheat-bench');
mkdirSync(compiled, { recursive: true });
// The agent's sources stand beside ours.
rmSync(join(compiled, 'agent'), { force: true });
symlinkSync(join(home, 'agent'), join(compiled, 'agent'));
const tsc = join(home, 'node_modules', '.bin', 'tsc');
const compile = [
  '-p',
  'tsconfig.json',
  '--noEmit',
  'false',
  '--outDir',
  compiled,
  '--rootDir',
  home,
];
if (!run(tsc, compile)) giveUp('the benchmarks do not compile');
for (const name of wanted) {
  console.log(`\n## ${name}\n`);
  const module = pathToFileURL(join(compiled, 'bench', `${name}.js`)).href;
  const { run: measure } = await import(module);
  await measure(rows);
}
