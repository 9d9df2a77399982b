/**
 * QEMU, for watching kernels: started with its processor held, then asked over its gdb stub why it
 * stands still. The packet `$?#3f` must be answered with something like `$T05thread:01;#07`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { tryTo } from '../../base/result.ts';
import { findEmulator } from '../../watch/qemu/guest-parts.ts';
import { runCommand } from '../command.ts';
import { missing, type Probe, works } from '../probe.ts';
import { withScratchFolder } from '../scratch-folder.ts';

const QEMU = 'qemu-system-x86_64';
const HELD_AND_SILENT = ['-S', '-nodefaults', '-no-user-config', '-display', 'none', '-m', '16'];
const WHY_STOPPED = '$?#3f';
const RETRY_MS = 20;
/** Of what the packages of a guest have, without installing anything. */
export const FETCH = 'let it be fetched, without installing it: `deadheat watch --qemu --fetch`';

export const qemuProbe: Probe = {
  name: 'QEMU',
  usedBy: 'watch on kernels (--qemu)',
  needed: `${QEMU} with its gdb stub`,
  run: (signal) =>
    withScratchFolder(async (folder) => {
      const { command = QEMU, options = [], environment } = findEmulator() ?? {};
      const env = environment ?? process.env;
      const version = await runCommand(command, ['--version'], { signal, env });
      if (version.code !== 0) return missing(version.complaint, FETCH);
      const answer = await askHeldMachine([command, ...options], env, join(folder, 'gdb'), signal);
      const release = version.stdout.split('\n')[0]!.replace('QEMU emulator ', '');
      if (!/\$[TS]05.*#[0-9a-f]{2}/.test(answer)) {
        return missing(`${release}, but its gdb stub says: ${answer || 'nothing'}`, FETCH);
      }
      return works(`${release} answered through its gdb stub; ${kvm()}`);
    }),
};

async function askHeldMachine(
  [emulator = '', ...options]: readonly string[],
  env: NodeJS.ProcessEnv,
  socket: string,
  signal: AbortSignal,
): Promise<string> {
  const stub = `unix:${socket},server=on,wait=off`;
  const machine = spawn(emulator, [...options, ...HELD_AND_SILENT, '-gdb', stub], {
    ...{ env, stdio: ['ignore', 'ignore', 'pipe'] },
  });
  let complaint = '';
  machine.stderr.on('data', (text) => {
    complaint += text;
  });
  // Without a listener, a failed start would end doctor itself.
  machine.on('error', (error) => {
    complaint += error.message;
  });
  const gone = once(machine, 'close');
  try {
    while (isRunning(machine) && !signal.aborted) {
      const answer = await ask(socket, signal).catch(() => undefined);
      if (answer !== undefined) return answer;
      await sleep(RETRY_MS);
    }
    return complaint.trim();
  } finally {
    machine.kill('SIGKILL');
    await gone;
  }
}

/** Rejects while nobody listens on the socket yet. */
async function ask(path: string, signal: AbortSignal): Promise<string> {
  const socket = connect(path);
  try {
    await once(socket, 'connect', { signal });
    socket.write(WHY_STOPPED);
    let answer = '';
    while (!/#[0-9a-f]{2}/.test(answer)) answer += (await once(socket, 'data', { signal }))[0];
    return answer;
  } finally {
    socket.destroy();
  }
}

const isRunning = (child: ChildProcess): boolean =>
  child.pid !== undefined && child.exitCode === null && child.signalCode === null;

function kvm(): string {
  const opened = tryTo(() => closeSync(openSync('/dev/kvm', constants.O_RDWR)));
  if (opened.ok) return '/dev/kvm opens';
  const { code } = opened.error as NodeJS.ErrnoException;
  return `without /dev/kvm (${code}) it emulates, which is slower`;
}
