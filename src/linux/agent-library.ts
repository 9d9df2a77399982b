/**
 * The agents' shared libraries: one that traces and one that samples. The build compiles them; if one
 * is missing (built on a machine without a compiler, or installed as a package), it is compiled on
 * first use into the user's cache, under a name that changes with its sources.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ExitStatus } from '../base/exit-status.ts';
import { UserError } from '../base/user-error.ts';
import { userCache } from './user-cache.ts';

/** Which agent: `tracing` is the one that stands in `agent/` itself. */
export type AgentName = 'tracing' | 'sampling';

const LIBRARIES: Readonly<Record<AgentName, string>> = {
  tracing: 'libdeadheat.so',
  sampling: 'libdeadheat-sampling.so',
};
export const AGENTS = Object.keys(LIBRARIES) as AgentName[];

/** Beside `agent/sampling/`, the one that samples is made of these. */
const SHARED = [
  ...['real.c', 'channel.c', 'hello.c', 'log-file.c', 'thread-numbers.c'],
  'hooks/early-memory.c',
];

const thisFolder = dirname(fileURLToPath(import.meta.url));
/** `agent/` stands beside both `src/` and `dist/`. */
const SOURCES = join(thisFolder, '..', '..', 'agent');

/**
 * Only hooks are visible to the target. Without `-fno-builtin` the compiler would turn the body of a
 * hook such as memcpy's into a call of memcpy; `-z now` spares the loader's lock in signal handlers.
 * Clones call the agent while vector registers are in use, so it has none for itself.
 */
const FLAGS = [
  ...['-shared', '-fPIC', '-std=gnu11', '-O2', '-Wall', '-Wextra', '-Werror'],
  ...['-fvisibility=hidden', '-fno-builtin', '-mgeneral-regs-only', '-Wl,-z,now'],
];

/** The path of a library that is there; throws a `UserError` if it cannot be compiled. */
export function agentLibrary(agent: AgentName = 'tracing'): string {
  const built = join(thisFolder, '..', 'agent', LIBRARIES[agent]);
  if (existsSync(built)) return built;
  const cached = join(userCache(), sourceHash(), LIBRARIES[agent]);
  if (!existsSync(cached)) compileAgent(dirname(cached), agent);
  return cached;
}

/** Puts the library into a folder. */
export function compileAgent(folder: string, agent: AgentName): void {
  const output = join(folder, LIBRARIES[agent]);
  mkdirSync(dirname(output), { recursive: true });
  // CC may hold options, as in `CC="gcc -m64"`.
  const [compiler = 'cc', ...options] = (process.env.CC ?? '').split(/\s+/).filter(Boolean);
  // Renamed into place when complete: a second process must not load half a library.
  const unfinished = `${output}.${process.pid}`;
  const sources = sourceFiles().filter((file) => /\.[cS]$/.test(file) && isPartOf(agent, file));
  const exports = `-Wl,--version-script=${join(SOURCES, 'exports.map')}`;
  const args = [...options, ...FLAGS, exports, '-o', unfinished, ...sources];
  const { status, error, stderr } = spawnSync(compiler, args, { encoding: 'utf8' });
  if (error || status !== 0) {
    const found = error ? `no C compiler (${compiler})` : `${compiler} failed: ${stderr.trim()}`;
    throw new UserError(
      `cannot compile the agent: ${found}`,
      'install one (Debian: apt-get install gcc libc6-dev) or set CC',
      ExitStatus.unavailable,
    );
  }
  renameSync(unfinished, output);
}

function isPartOf(agent: AgentName, file: string): boolean {
  const name = relative(SOURCES, file);
  const isSampling = name.startsWith('sampling/');
  return agent === 'tracing' ? !isSampling : isSampling || SHARED.includes(name);
}

function sourceFiles(): string[] {
  const entries = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).sort();
  return entries.filter((name) => /\.(c|h|S|map)$/.test(name)).map((name) => join(SOURCES, name));
}

function sourceHash(): string {
  const hash = createHash('sha256');
  for (const file of sourceFiles()) hash.update(readFileSync(file));
  return hash.digest('hex').slice(0, 16);
}
