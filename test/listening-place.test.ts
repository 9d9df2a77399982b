/** In the network of a sandbox, we can listen at any address, and nobody outside of it hears of that. */
import { chmodSync, existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { nodeAsPlainUser, PROJECT, runToEnd, type Surroundings } from './harness/deadheat.ts';
import { scratchFolder } from './harness/scratch.ts';

const hasV6 = existsSync('/proc/net/if_inet6');
if (!hasV6) console.warn('skipped: the places with IPv6, which this kernel has not');

const PLACES = [
  { host: '192.0.2.7', port: 80 },
  { host: '192.0.2.7', port: 443 },
  { host: '198.51.100.1', port: 80 },
  { host: '127.3.2.1', port: 80 },
  ...(hasV6 ? ['2001:db8::7', '::1'] : []).map((host) => ({ host, port: 80 })),
];

/** Runs a shell in a sandbox that says "hello" to each of them; prints what was heard, and at which place. */
const program = (cwd: string, places: typeof PLACES): string => `
  import { mkdirSync } from 'node:fs';
  import { createServer } from 'node:net';
  import { PLAIN_INHERITANCE } from '${PROJECT}dist/linux/own-inheritance.js';
  import { detach } from '${PROJECT}dist/linux/ptrace.js';
  import { prepareSandbox } from '${PROJECT}dist/linux/sandbox/prepare.js';
  import { startProgram } from '${PROJECT}dist/linux/start-traced.js';
  const changes = ${JSON.stringify(cwd)} + '/changes-${places.length}';
  mkdirSync(changes);
  const at = ${JSON.stringify(places)};
  const heard = [];
  const servers = [];
  const opened = (place, fd) => {
    servers.push(createServer((socket) => {
      socket.on('data', (bytes) => heard.push(place + ' ' + bytes.toString().trim()));
    }).listen({ fd }));
  };
  const place = { cwd: ${JSON.stringify(cwd)}, changes, hidden: changes };
  const plan = { ...prepareSandbox(place), isAlone: true, listening: { at, opened } };
  const script = at.map(({ host, port }) => 'echo hello >/dev/tcp/' + host + '/' + port + ';').join('') +
    'ls /proc/self/fd | wc -l; (echo >/dev/tcp/192.0.2.8/80) 2>/dev/null && echo a neighbour';
  const started = startProgram({
    path: '/bin/bash',
    args: ['bash', '--norc', '-c', script],
    environment: ['PATH=/usr/bin:/bin'],
    inheritance: PLAIN_INHERITANCE,
    sandbox: { plan, built() {} },
  }, () => {});
  detach(started.task);
  const timer = setInterval(() => {
    if (started.status() === undefined || heard.length < at.length) return;
    clearInterval(timer);
    console.log(heard.sort().join(', '));
    for (const server of servers) server.close();
    started.kill();
  }, 10);`;

it.each([
  [
    'root',
    (args: readonly string[], around: Surroundings) => runToEnd(process.execPath, args, around),
  ],
  ['a plain user', nodeAsPlainUser],
])('as %s', (_, run) => {
  const cwd = scratchFolder();
  chmodSync(cwd, 0o777);
  const told = (places: typeof PLACES): string => {
    const { stdout, stderr } = run(['--input-type=module', '-e', program(cwd, places)], { cwd });
    expect(stderr).toBe('');
    return stdout;
  };
  // Our sockets are none of the program's.
  const [open] = told([]).split('\n');
  const heard = PLACES.map((_place, index) => `${index} hello`).join(', ');
  expect(told(PLACES)).toBe(`${open}\n${heard}\n`);
});
