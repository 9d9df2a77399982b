/**
 * What the program we run is to inherit: exactly what we were given. Node has changed some of it
 * before our first line runs (it resets ignored signals, marks descriptors close-on-exec, raises
 * the limit of open files), and the shell that launched us has dropped environment variables with
 * unusual names, such as bash's exported functions. The launcher therefore notes how things were,
 * in two variables that never reach the program:
 *
 *   DEADHEAT_INHERITED='0 1 2 5 : 0000000000000000 0000000000000001 : 1024'
 *                       descriptors : blocked and ignored signals   : open files
 *   DEADHEAT_ENVIRONMENT=<base64 of /proc/PID/environ>
 *
 * Started in another way, we make do with what can still be seen.
 */
import { lstatSync, readFileSync } from 'node:fs';
import { byteStrings } from '../base/bytes.ts';
import { signalsIn } from './signal-sets.ts';
import { Signal } from './signals.ts';

export interface Inheritance {
  files: readonly number[];
  /** For some of them, under which number we have what the program is to have under its own. */
  sources?: ReadonlyMap<number, number>;
  /** Bit n-1 stands for signal n. */
  blockedSignals: bigint;
  ignoredSignals: readonly number[];
  openFileLimit?: number;
}

export const PLAIN_INHERITANCE: Inheritance = {
  files: [0, 1, 2],
  blockedSignals: 0n,
  ignoredSignals: [],
};

const NOTE = 'DEADHEAT_INHERITED';
const ENVIRONMENT_NOTE = 'DEADHEAT_ENVIRONMENT';
/** The C library keeps these for itself, <signal.h>. */
export const RESERVED_SIGNALS: readonly number[] = [32, 33];

export function ownInheritance(note = process.env[NOTE]): Inheritance {
  const parts = note?.split(':').map((part) => part.trim());
  const [files, signals, limit] = parts ?? [];
  if (files === undefined || !signals || !limit) return PLAIN_INHERITANCE;
  const [blocked = '0', ignored = '0'] = signals.split(' ');
  return {
    // A process between the launcher and us may have closed some.
    files: files.split(' ').filter(Boolean).map(Number).filter(isOpen),
    blockedSignals: BigInt(`0x${blocked}`),
    ignoredSignals: ignorable(BigInt(`0x${ignored}`)),
    ...(/^\d+$/.test(limit) && { openFileLimit: Number(limit) }),
  };
}

/** `NAME=value` each, as byte strings, without our own notes. */
export function ownEnvironment(): string[] {
  const encoded = process.env[ENVIRONMENT_NOTE];
  const block = encoded ? Buffer.from(encoded, 'base64') : readFileSync('/proc/self/environ');
  return byteStrings(block).filter(
    (entry) => !entry.startsWith(`${NOTE}=`) && !entry.startsWith(`${ENVIRONMENT_NOTE}=`),
  );
}

const isOpen = (fd: number): boolean =>
  lstatSync(`/proc/self/fd/${fd}`, { throwIfNoEntry: false }) !== undefined;

function ignorable(mask: bigint): number[] {
  const neverIgnored: number[] = [Signal.SIGKILL, Signal.SIGSTOP, ...RESERVED_SIGNALS];
  return signalsIn(mask).filter((signal) => !neverIgnored.includes(signal));
}
