/**
 * Installs the Debian packages that the tests or the benchmarks need. Root gets them by apt-get;
 * anybody else gets the exact line to type.
 */
import { giveUp, output, run } from './run.mjs';

export const FOR_TESTS = {
  gcc: 'compiles the agent and the example programs',
  'libc6-dev': 'headers for the same',
  'g++': 'compiles programs with exceptions, whose tables are read and written again',
  make: 'is recorded by the tests',
  strace: 'is what the recorder is compared with',
  procps: 'ps is in an example',
  locate: 'is in an example, with updatedb',
  logrotate: 'is in an example',
  tcsh: 'is in an example',
  git: 'is in an example, and run as clones of its functions',
  sqlite3: 'is in an example, and run as clones of its functions',
  'redis-server': 'is run as clones of its functions',
  'redis-tools': 'talks to it',
  gdb: 'is run as clones of its functions: a large C++ program',
  gdbserver: 'is a gdb stub with a program that is watched',
  'groff-base': 'reads the manual page',
  chromium: 'shows the HTML report',
  'bash-completion': 'tries the shell completion',
  zsh: 'tries the shell completion',
  fish: 'tries the shell completion',
};

export const FOR_BENCHMARKS = {
  ...FOR_TESTS,
  zstd: 'computes with threads, while it is sampled',
  'xz-utils': 'the same',
  pbzip2: 'compresses with threads, while its sections are isolated',
  plzip: 'compresses in another way, for the same',
  valgrind: 'has the detectors that tracing threads is compared with',
  memcached: 'is sampled under load',
  'apache2-bin': 'is sampled under load',
  'apache2-utils': 'has the load for it',
};

/** @param {Record<string, string>} needed packages, and what for */
export function ensureDebianPackages(needed) {
  const lacking = installDebianPackages(needed);
  if (lacking) giveUp(lacking);
}

/**
 * @param {Record<string, string>} needed packages, and what for
 * @returns {string | undefined} what is lacking all the same, and what to do about it
 */
export function installDebianPackages(needed) {
  const missing = Object.keys(needed).filter((name) => !isInstalled(name));
  if (missing.length === 0) return undefined;
  const install = ['apt-get', 'install', '-y', '--no-install-recommends', ...missing];
  if (process.getuid?.() !== 0) {
    return `this needs Debian packages; type: sudo ${install.join(' ')}`;
  }
  console.error(`deadheat: installing Debian packages: ${missing.join(' ')} …`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const [command = '', ...args] = install;
  // A fresh machine knows no packages until its lists are fetched.
  const done =
    run(command, args, env) || (run('apt-get', ['update'], env) && run(command, args, env));
  return done ? undefined : `'${install.join(' ')}' failed (see above); these packages are needed`;
}

/**
 * @param {readonly string[]} names of packages
 * @returns {readonly { name: string, version: string }[]} those that are installed, with the version of the program
 */
export function installedVersions(names) {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query's own syntax.
  const format = '${Package} ${Version} ${db:Status-Status}\n';
  const told = names.flatMap((name) => output('dpkg-query', ['-W', `-f=${format}`, name]) ?? []);
  return told
    .map((line) => line.split(' '))
    .filter(([, , state]) => state === 'installed')
    .map(([name = '', version = '']) => ({
      name,
      // Without Debian's epoch and revision.
      version: version.replace(/^\d+:/, '').replace(/(\+dfsg.*)?(-[^-]*)?$/, ''),
    }));
}

/** @param {string} name */
function isInstalled(name) {
  return installedVersions([name]).length > 0;
}
