/**
 * Programs that keep to their locks, and print the same each time. What isolation must never do is to change that: so
 * these are run isolated, again and again, and compared with a native run (`npm test`: a few times; `npm run test:long`
 * and `npm run bench -- tolerate correct`: many).
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { IsolatedProgram, type IsolatedRun } from './isolated-program.ts';

/** A command, whose program comes first, by its path. */
export type CorrectCommand = readonly string[];

/** Both tests and benchmarks are run from there. */
const HOME = process.cwd();
const EXAMPLES = join(HOME, 'examples', 'tolerate');

/** Name → how it is made in a folder, where it is then run. */
export const CORRECT_PROGRAMS: ReadonlyMap<string, (folder: string) => CorrectCommand> = new Map([
  ...readdirSync(EXAMPLES, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => [`${name}, fixed`, (folder: string) => fixedTwin(name, folder)] as const),
  ['correct.c', (folder) => [compiled('test/tolerate/correct.c', folder), '60']],
  ['published.c', (folder) => [compiled('test/tolerate/published.c', folder), '3000']],
  ['parcels.c', (folder) => [compiled('test/tolerate/parcels.c', folder), '300']],
  ['heap-atomics.cc', (folder) => [compiled('test/tolerate/heap-atomics.cc', folder), '300']],
  ['exceptions.cc', (folder) => [compiled('test/tolerate/exceptions.cc', folder)]],
  ['sort', (folder) => ['/usr/bin/sort', '--parallel=4', '-S', '1M', linesIn(folder)]],
  ['git index-pack', packedIn],
]);

/** Of these, those that are so large that `npm test` leaves them to `npm run test:long`. */
export const LARGE_PROGRAMS: ReadonlySet<string> = new Set(['git index-pack']);

/** What the benchmarks have packages for. */
export const FURTHER_PROGRAMS: typeof CORRECT_PROGRAMS = new Map([
  ['zstd', (folder) => ['/usr/bin/zstd', '-q', '-c', '-T3', '-B512KiB', linesIn(folder)]],
  ['pbzip2', (folder) => ['/usr/bin/pbzip2', '-c', '-k', '-p3', '-b1', linesIn(folder)]],
]);

function fixedTwin(name: string, folder: string): CorrectCommand {
  const path = `examples/tolerate/${name}`;
  const source = readdirSync(join(HOME, path)).find((file) => file.startsWith('fixed.'))!;
  return [compiled(`${path}/${source}`, folder), '2000'];
}

function compiled(path: string, folder: string): string {
  const output = join(folder, path.replaceAll(/[/.]/g, '-'));
  const compiler = path.endsWith('.cc') ? 'c++' : 'cc';
  execFileSync(compiler, ['-O2', '-g', '-pthread', join(HOME, path), '-o', output]);
  return output;
}

const LINES = 60_000;

/** Neither all the same nor noise. */
function linesIn(folder: string): string {
  let random = 1;
  const lines = Array.from({ length: LINES }, (_, line) => {
    random = (Math.imul(random, 1_103_515_245) + 12_345) >>> 0;
    return `${random % 100_000} request ${line % 977} from client ${random % 89}`;
  });
  writeFileSync(join(folder, 'lines'), `${lines.join('\n')}\n`);
  return 'lines';
}

const VERSIONS = 40;

/** A pack whose deltas are resolved by several threads. */
function packedIn(folder: string): CorrectCommand {
  const repository = join(folder, 'repository');
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', repository, ...IDENTITY, ...args], { encoding: 'utf8' });
  execFileSync('git', ['init', '-q', repository]);
  linesIn(repository);
  for (let version = 0; version < VERSIONS; version++) {
    for (const name of ['one', 'two', 'three']) {
      const lines = Array.from({ length: 300 }, (_, line) => `${name} ${line % (version + 7)}`);
      writeFileSync(join(repository, name), lines.join('\n'));
    }
    git('add', 'one', 'two', 'three');
    git('commit', '-q', '-m', `${version}`);
  }
  git('repack', '-q', '-a', '-d');
  const packs = join(repository, '.git', 'objects', 'pack');
  const pack = readdirSync(packs).find((file) => file.endsWith('.pack'))!;
  const args = ['index-pack', '--threads=3', '-o', join(folder, 'index'), join(packs, pack)];
  return ['/usr/bin/git', ...args];
}

const IDENTITY = ['-c', 'user.name=nobody', '-c', 'user.email=nobody@localhost'];

/** What came of runs that should all be as the native one. */
export interface ComparedRuns {
  readonly program: IsolatedProgram;
  readonly same: number;
  /** The first of the others. */
  readonly other: IsolatedRun | undefined;
  /** Runs that a race was told of. */
  readonly told: number;
}

export function compareRuns(
  make: (folder: string) => CorrectCommand,
  folder: string,
  runs: number,
): ComparedRuns {
  const [path = '', ...args] = make(folder);
  const expected = execFileSync(path, args, {
    ...{ cwd: folder, encoding: 'latin1', maxBuffer: 1 << 28 },
  });
  const program = new IsolatedProgram(path, folder);
  let [same, told] = [0, 0];
  let other: IsolatedRun | undefined;
  for (let run = 0; run < runs; run++) {
    const done = program.run(args, {}, folder);
    if (done.status === 0 && done.stdout === expected && done.prepared > 0) same++;
    else other ??= done;
    if (done.events.length > 0) told++;
  }
  return { program, same, other, told };
}
