/**
 * An apache2 of our own, as anybody but root may start it: its settings, pages and logs are in a folder of ours, and it
 * listens on this machine only. `ab` is the load.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Loopback only; chosen so that nobody else's server is met. */
const PORT = '16380';
const MODULES = ['mpm_event', 'authz_core', 'dir', 'mime', 'status', 'alias'];
const MODULES_FOLDER = '/usr/lib/apache2/modules';
const LONGEST_START_MS = 20_000;
const NAP = new Int32Array(new SharedArrayBuffer(4));

/** root's apache2 would become somebody else in the middle, and then not be allowed to write our files. */
export const AS_PLAIN_USER: readonly string[] =
  process.getuid?.() === 0
    ? ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups']
    : [];

function settings(folder: string): string {
  return [
    `ServerRoot ${folder}`,
    `ServerName localhost`,
    `Listen 127.0.0.1:${PORT}`,
    `PidFile ${folder}/pid`,
    ...MODULES.map((name) => `LoadModule ${name}_module ${MODULES_FOLDER}/mod_${name}.so`),
    'TypesConfig /dev/null',
    `DefaultRuntimeDir ${folder}`,
    `DocumentRoot ${folder}/pages`,
    'DirectoryIndex index.html',
    'StartServers 1',
    'ServerLimit 1',
    'ThreadsPerChild 8',
    'MaxRequestWorkers 8',
    'KeepAlive On',
    'MaxKeepAliveRequests 50',
    'ExtendedStatus On',
    'BufferedLogs On',
    `ErrorLog ${folder}/error.log`,
    'LogFormat "%h %t \\"%r\\" %>s %b" common',
    `CustomLog ${folder}/access.log common`,
    '<Location /status>',
    '  SetHandler server-status',
    '</Location>',
    '',
  ].join('\n');
}

/** The command that serves until it is told to end, and does not leave its terminal. */
export function apacheIn(folder: string): readonly string[] {
  const pages = join(folder, 'pages');
  mkdirSync(pages, { recursive: true });
  for (const one of [folder, pages]) chmodSync(one, 0o777);
  writeFileSync(join(pages, 'index.html'), `<p>${'a page '.repeat(100)}</p>\n`);
  writeFileSync(join(folder, 'httpd.conf'), settings(folder));
  return ['apache2', '-f', join(folder, 'httpd.conf'), '-DFOREGROUND'];
}

/** Serves so many requests, with and without keep-alive, and those for its status. */
export async function serveApache(
  prefix: readonly string[],
  folder: string,
  requests: number,
): Promise<void> {
  const [program = '', ...args] = [...AS_PLAIN_USER, ...prefix, ...apacheIn(folder)];
  const child = spawn(program, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(child, 'exit');
  const pid = pidOnceServing(join(folder, 'pid'));
  const load = (path: string, share: number, ...how: string[]): void => {
    const url = `http://127.0.0.1:${PORT}${path}`;
    const count = Math.ceil(requests * share);
    spawnSync('ab', ['-q', '-n', `${count}`, '-c', '8', ...how, url], { stdio: 'ignore' });
  };
  try {
    load('/', 0.6, '-k');
    load('/', 0.3);
    load('/status', 0.05, '-k');
    load('/missing', 0.05, '-k');
  } finally {
    process.kill(pid, 'SIGTERM');
    await ended;
  }
}

function pidOnceServing(file: string): number {
  const deadline = Date.now() + LONGEST_START_MS;
  while (!existsSync(file) || readFileSync(file, 'utf8').trim() === '') {
    if (Date.now() > deadline) throw new Error('apache2 does not start');
    Atomics.wait(NAP, 0, 0, 20);
  }
  return Number(readFileSync(file, 'utf8'));
}
