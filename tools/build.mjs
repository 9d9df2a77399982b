/**
 * Builds dist/ from src/, web/ and agent/, after installing what that takes. Two builds at once wait for
 * each other; a failed one leaves the old dist/ in place.
 */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ensureNpmPackages } from './npm-packages.mjs';
import { giveUp, home, output, run } from './run.mjs';

const LOCKED = 'DEADHEAT_BUILD_LOCKED';
const dist = join(home, 'dist');

export function ensureBuilt() {
  const self = fileURLToPath(import.meta.url);
  const lock = join(home, 'tools', 'fingerprint.sh');
  const env = { ...process.env, [LOCKED]: '1' };
  const { status } = spawnSync('flock', [lock, process.execPath, self], { stdio: 'inherit', env });
  if (status !== 0) process.exit(status ?? 70);
}

async function build() {
  ensureNpmPackages();
  const wanted = fingerprint();
  if (wanted === builtFingerprint()) return;
  console.error('deadheat: building …');
  const fresh = join(home, 'dist.new');
  try {
    rmSync(fresh, { recursive: true, force: true });
    mkdirSync(fresh);
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    giveUp(`cannot build in ${home} (${code}); let its owner run ./deadheat --version once`);
  }
  const tsc = join(home, 'node_modules', '.bin', 'tsc');
  if (!run(tsc, ['-p', 'tsconfig.build.json', '--outDir', fresh])) giveUp('the build failed');
  await bundle(fresh);
  await bundlePage(fresh);
  await buildAgent(fresh);
  await writeManPage(fresh);
  writeFileSync(join(fresh, '.fingerprint'), `${wanted}\n`);
  const old = join(home, 'dist.old');
  rmSync(old, { recursive: true, force: true });
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(fresh, dist);
  rmSync(old, { recursive: true, force: true });
}

/** A worker thread's file in `dist/workers/`, and the module that it starts with. */
const WORKERS = {
  record: 'procs/recorder/worker.js',
  analyse: 'procs/analyse-worker.js',
  validate: 'procs/validate/worker.js',
  clone: 'threads/tracing/blob-worker.js',
  predict: 'threads/predict-worker.js',
  sample: 'sample/analyse-worker.js',
};

/**
 * Puts the modules of the command line, and the packages that they need, into a few files, and those
 * of each worker thread into one: to find and load two hundred takes Node longer than all the rest of
 * starting a recording, and half a second in each thread. The modules themselves stay beside them.
 * @param {string} fresh
 */
async function bundle(fresh) {
  const { build: bundleUp } = await import('rolldown');
  /** @type {Pick<import('rolldown').BuildOptions, 'platform' | 'external' | 'logLevel'>} */
  const common = {
    platform: 'node',
    // They find a part of theirs, native or wasm, by where they stand.
    external: ['koffi', 'iced-x86'],
    logLevel: 'warn',
  };
  const main = join(fresh, 'cli');
  await bundleUp({
    ...common,
    input: join(main, 'main.js'),
    output: {
      dir: main,
      entryFileNames: 'main.js',
      chunkFileNames: 'bundled-[hash].js',
      sourcemap: true,
    },
  });
  for (const [name, module] of Object.entries(WORKERS)) {
    const file = join(fresh, 'workers', `${name}.js`);
    await bundleUp({ ...common, input: join(fresh, module), output: { file, sourcemap: true } });
  }
}

/**
 * The page of the HTML report: its script, with preact inside, and its style sheets as one.
 * @param {string} fresh
 */
async function bundlePage(fresh) {
  const { build: bundleUp } = await import('rolldown');
  await bundleUp({
    platform: 'browser',
    logLevel: 'warn',
    input: join(home, 'web', 'main.tsx'),
    tsconfig: join(home, 'web', 'tsconfig.json'),
    output: { file: join(fresh, 'web', 'page.js'), format: 'iife', minify: true },
  });
  const styles = join(home, 'web', 'style');
  const sheets = readdirSync(styles)
    .sort()
    .map((name) => readFileSync(join(styles, name), 'utf8'));
  writeFileSync(join(fresh, 'web', 'page.css'), sheets.join('\n'));
}

/**
 * Without a C compiler the rest still works; what needs the agent says so when it is used.
 * @param {string} fresh
 */
async function buildAgent(fresh) {
  const module = pathToFileURL(join(fresh, 'linux', 'agent-library.js')).href;
  const { AGENT_PURPOSES, compileAgent } = await import(module);
  try {
    for (const purpose of AGENT_PURPOSES) compileAgent(join(fresh, 'agent'), purpose);
  } catch (error) {
    console.error(`deadheat: built without the agent: ${/** @type {Error} */ (error).message}`);
  }
}

/** @param {string} fresh */
async function writeManPage(fresh) {
  /** @param {string} name */
  const load = (name) => import(pathToFileURL(join(fresh, 'cli', name)).href);
  const { manPage } = await load('man-page.js');
  const { createProgram } = await load('program.js');
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  mkdirSync(join(fresh, 'man'));
  writeFileSync(join(fresh, 'man', 'deadheat.1'), manPage(createProgram(), version));
}

function fingerprint() {
  return output('sh', ['-c', '. tools/fingerprint.sh; fingerprint .']);
}

function builtFingerprint() {
  return output('cat', [join(dist, '.fingerprint')]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.env[LOCKED]) await build();
  else ensureBuilt();
}
