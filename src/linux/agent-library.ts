/**
 * The agent's shared libraries, one for each purpose. The build compiles them; if one is missing (built on a
 * machine without a compiler, or installed as a package), it is compiled on first use into the user's
 * cache, under a name that changes with its sources.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ExitStatus } from '../base/exit-status.ts';
import { UserError } from '../base/user-error.ts';
import { userCache } from './user-cache.ts';

/**
 * `tracing` logs what threads do; `sampling` where they are, now and then; `tolerate` keeps critical sections to
 * themselves. `tracer` is for deadheat itself, while somebody stands and waits for it (quick-look.ts).
 */
export type AgentPurpose = 'tracing' | 'sampling' | 'tolerate' | 'tracer';

interface AgentSources {
  readonly library: string;
  /** By its path below `agent/`. */
  readonly isPart: (file: string) => boolean;
  /** Names a version script below `agent/`. */
  readonly exports: string;
}

const TOLERATE = /^(tolerate\/|(blob-file|real|real-mapping)\.|syscalls\.h)/;
const SAMPLING =
  /^(sampling\/|(real|channel|hello|log-file|thread-numbers|hooks\/early-memory)\.c$)|\.(h|map)$/;

const AGENTS: Readonly<Record<AgentPurpose, AgentSources>> = {
  tracing: {
    library: 'libdeadheat.so',
    isPart: (file) => !/^(tolerate|sampling|tracer)\//.test(file),
    exports: 'exports.map',
  },
  sampling: {
    library: 'libdeadheat-sampling.so',
    isPart: (file) => SAMPLING.test(file),
    exports: 'exports.map',
  },
  tolerate: {
    library: 'libdeadheat-tolerate.so',
    isPart: (file) => TOLERATE.test(file),
    exports: 'tolerate/exports.map',
  },
  tracer: {
    library: 'libdeadheat-tracer.so',
    isPart: (file) => file.startsWith('tracer/'),
    exports: 'tracer/exports.map',
  },
};
export const AGENT_PURPOSES = Object.keys(AGENTS) as readonly AgentPurpose[];

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
export function agentLibrary(purpose: AgentPurpose): string {
  const { library } = AGENTS[purpose];
  const built = join(thisFolder, '..', 'agent', library);
  if (existsSync(built)) return built;
  const cached = join(userCache(), sourceHash(purpose), library);
  if (!existsSync(cached)) compileAgent(dirname(cached), purpose);
  return cached;
}

/** The variable by which the loader puts it into programs, before what the user has there. */
export function preloadVariable(purpose: AgentPurpose): Readonly<{ LD_PRELOAD: string }> {
  const others = process.env.LD_PRELOAD;
  const library = preloadable(agentLibrary(purpose));
  return { LD_PRELOAD: others ? `${library}:${others}` : library };
}

/** The loader takes a list of names, and knows no quotes. */
function preloadable(library: string): string {
  if (!/[ :$]/.test(library)) return library;
  throw new UserError(
    `cannot load ${library} into programs: its path has a space, a colon or a dollar sign in it`,
    'move deadheat to another folder',
    ExitStatus.unavailable,
  );
}

/** Into this folder. */
export function compileAgent(folder: string, purpose: AgentPurpose): void {
  const { library, exports } = AGENTS[purpose];
  const output = join(folder, library);
  mkdirSync(folder, { recursive: true });
  // CC may hold options, as in `CC="gcc -m64"`.
  const [compiler = 'cc', ...options] = (process.env.CC ?? '').split(/\s+/).filter(Boolean);
  // Renamed into place when complete: a second process must not load half a library.
  const unfinished = `${output}.${process.pid}`;
  const sources = sourceFiles(purpose).filter((file) => /\.[cS]$/.test(file));
  const script = `-Wl,--version-script=${join(SOURCES, exports)}`;
  const args = [...options, ...FLAGS, script, '-o', unfinished, ...sources];
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

function sourceFiles(purpose: AgentPurpose): string[] {
  const entries = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).sort();
  return entries
    .filter((name) => /\.(c|h|S|map)$/.test(name) && AGENTS[purpose].isPart(name))
    .map((name) => join(SOURCES, name));
}

function sourceHash(purpose: AgentPurpose): string {
  const hash = createHash('sha256');
  for (const file of sourceFiles(purpose)) hash.update(readFileSync(file));
  return hash.digest('hex').slice(0, 16);
}
