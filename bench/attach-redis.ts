/** redis-server under load, attached to and let go again and again: does it answer every request? */
import { spawn, spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const ATTACHES = 50;
/** How long each of them lasts. */
const WATCHED = '300ms';
const REQUESTS = 5000;
const LONGEST_START_MS = 20_000;

/** `main`: deadheat's own, as a script. */
export async function attachToRedis(folder: string, main: string): Promise<void> {
  const socket = join(folder, 'redis.sock');
  const enough = join(folder, 'enough');
  const quiet = ['--port', '0', '--save', '', '--dir', folder, '--io-threads', '2'];
  const server = spawn('redis-server', ['--unixsocket', socket, ...quiet], { stdio: 'ignore' });
  const load = spawn('sh', ['-c', loadScript(socket, enough)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let sent = '';
  load.stdout.on('data', (piece) => {
    sent += piece;
  });
  let failures = 0;
  for (let time = 0; time < ATTACHES; time++) {
    const run = join(folder, 'run');
    const options = ['--duration', WATCHED, '-q', '-o', run, '--pid', String(server.pid)];
    const done = spawnSync(process.execPath, [main, 'watch', ...options], { stdio: 'ignore' });
    if (done.status !== 0 && done.status !== 66) failures++;
    rmSync(run, { recursive: true, force: true });
    // The load's output is read in between.
    await sleep(1);
  }
  const isAlive = server.exitCode === null && server.signalCode === null;
  writeFileSync(enough, '');
  await new Promise((resolve) => load.once('close', resolve));
  const counted = spawnSync('redis-cli', ['-s', socket, 'get', 'counter:__rand_int__'], {
    encoding: 'utf8',
  });
  spawnSync('redis-cli', ['-s', socket, 'shutdown', 'nosave']);
  const answered = Number(counted.stdout) === Number(sent) ? 'all' : `${counted.stdout.trim()}`;
  console.log(
    `redis-server attached to ${ATTACHES} times (${failures} failed): ${answered} of ${sent.trim()} requests ` +
      `answered, ${isAlive ? 'still running' : 'gone'}\n`,
  );
}

/** Counts what it has sent; ends early if a connection is lost. */
const loadScript = (socket: string, enough: string): string => `
  for wait in $(seq ${LONGEST_START_MS / 10}); do test -S ${socket} && break; sleep 0.01; done
  sent=0
  while ! test -e ${enough}; do
    redis-benchmark -s ${socket} -n ${REQUESTS} -c 10 -t incr -q >/dev/null || break
    sent=$((sent + ${REQUESTS}))
  done
  echo $sent`;
