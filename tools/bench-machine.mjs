/** What a benchmark was measured on: the machine, the versions of all programs, and the sources of deadheat itself. */
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism, cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { installedVersions } from './debian-packages.mjs';
import { home, output } from './run.mjs';

const PEERS = ['strace', 'valgrind', 'libtsan2'];
/** What is recorded, traced, watched and sampled, and what compiles it. */
const PROGRAMS = [
  ...['gcc', 'make', 'bash', 'coreutils', 'git', 'gdb', 'sqlite3', 'redis-server', 'memcached'],
  ...['apache2-bin', 'zstd', 'xz-utils', 'pbzip2', 'plzip', 'chromium'],
];

/** As a table. */
export function machine() {
  const packages = new Map(
    installedVersions([...PEERS, ...PROGRAMS]).map(({ name, version }) => [name, version]),
  );
  const version = (/** @type {string} */ name) => packages.get(name) ?? 'not here';
  const [, system = 'Linux'] = /PRETTY_NAME="(.*)"/.exec(osRelease()) ?? [];
  const rows = {
    processors: processors(),
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    system: `${system}, Linux ${release()}`,
    'Node.js': process.version.slice(1),
    deadheat: JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')).version,
    strace: version('strace'),
    'Helgrind and DRD': `Valgrind ${version('valgrind')}`,
    ThreadSanitizer: `of GCC ${version('libtsan2')}`,
    programs: PROGRAMS.map((name) => `${name} ${version(name)}`).join(', '),
  };
  const lines = Object.entries(rows).map(([what, which]) => `| ${what} | ${which} |`);
  return ['| | |', '| --- | --- |', ...lines].join('\n');
}

/** `2 × AMD EPYC`. */
export const processors = () => `${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown'}`;

function osRelease() {
  return existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
}

/** Benchmarks write these themselves. */
const MADE_BY_BENCHMARKS = ['bench/results.md', 'bench/results', 'docs'];

/**
 * `0a1b2c3`, or `0a1b2c3 with changes` if that commit is not what is measured.
 * @param {string} folder of the sources
 */
export function sourcesIn(folder) {
  const git = (/** @type {string[]} */ ...args) => output('git', ['-C', folder, ...args]);
  const commit = git('rev-parse', '--short', 'HEAD');
  if (!commit) return 'no commit';
  const others = MADE_BY_BENCHMARKS.map((path) => `:(exclude)${path}`);
  return git('status', '--porcelain', '--', '.', ...others) ? `${commit} with changes` : commit;
}
