/** Why two threads have not met, for people: `T2 waits in pthread_mutex_lock at bank.c:20`. */
import { basename } from 'node:path';
import { printable } from '../../base/bytes.ts';
import { type ImageFiles, LoadedImages } from '../../debugger/loaded-images.ts';
import { sitesAt, sleepingRegisters, stackTrace } from '../../debugger/stack-trace.ts';
import { LOG_OP_NAMES } from '../../linux/agent-log.ts';
import type { Divergence, OpenReason } from '../../linux/agent-schedule.ts';
import type { Pid, Tid } from '../../linux/ids.ts';
import { readProcFile } from '../../linux/proc-file.ts';
import { signalName } from '../../linux/signals.ts';
import { parseWaitStatus } from '../../linux/wait.ts';
import type { Site } from '../../report/model.ts';
import type { Gate } from './gate.ts';
import type { CodePlace } from './side.ts';

/** As many threads as are named one by one. */
const MOST_NAMED = 4;

export function placeName({ path, address }: CodePlace, files: ImageFiles): string {
  const image = files.get(path);
  const [site] = image ? sitesAt(image, address) : [];
  return site ? siteName(site) : `${basename(path)}+0x${address.toString(16)}`;
}

function siteName({ file, line, function: name, module, address }: Site): string {
  if (file !== undefined && line !== undefined) return printable(`${basename(file)}:${line}`);
  return printable(name === undefined ? `${module}+${address}` : `${name} (${module}+${address})`);
}

export const threadName = (task: Tid, gate: Gate | undefined): string => {
  const number = gate?.numberOf(task);
  return number === undefined ? `thread ${task}` : `T${number}`;
};

/** Where threads sleep that nobody holds. */
export function sleepersText(
  process: Pid,
  tasks: readonly Tid[],
  gate: Gate | undefined,
  files: ImageFiles,
): string {
  const images = new LoadedImages(process, files);
  const atGate = new Map(gate?.waiting().map((progress) => [progress.tid, progress]));
  const texts = tasks.slice(0, MOST_NAMED).map((task) => {
    const name = threadName(task, gate);
    const waiting = atGate.get(task);
    if (waiting?.at === undefined) return `${name} ${sleepText(task, images)}`;
    const { op, caller } = waiting.at;
    const what = `${LOG_OP_NAMES[op] ?? 'an operation'}${callerText(caller, images)}`;
    return waiting.standing === 'held'
      ? `${name} has come to ${what} instead`
      : `${name} waits for its turn to ${what}`;
  });
  const more = tasks.length - texts.length;
  return [...texts, ...(more > 0 ? [`${more} more wait`] : [])].join(', ');
}

function sleepText(task: Tid, images: LoadedImages): string {
  const line = readProcFile(`/proc/${task}/syscall`)?.toString('latin1') ?? '';
  const words = line.trim().split(' ');
  const [stack, instruction] = words.slice(-2);
  if (words.length < 9 || !stack || !instruction) return 'runs';
  const registers = sleepingRegisters(BigInt(instruction), BigInt(stack));
  const frames = stackTrace(task, registers, images);
  const own = frames.findIndex(({ file }) => file !== undefined);
  const called = frames[(own < 0 ? frames.length : own) - 1]?.function;
  const where = own < 0 ? '' : ` at ${siteName(frames[own]!)}`;
  return `waits${called ? ` in ${called}` : ''}${where}`;
}

/** `caller`: where a call returns to. */
function callerText(caller: number, images: LoadedImages): string {
  const at = BigInt(caller) - 1n;
  const loaded = images.at(at);
  const [site] = loaded ? sitesAt(loaded.image, Number(at - loaded.bias)) : [];
  return site ? ` at ${siteName(site)}` : '';
}

export function divergenceText(
  { thread, turn, op, caller }: Divergence,
  expected: string | undefined,
  process: Pid,
  files: ImageFiles,
): string {
  const where = callerText(caller, new LoadedImages(process, files));
  const found = `T${thread} came to ${LOG_OP_NAMES[op] ?? 'an operation'}${where}`;
  return expected === undefined
    ? `${found}, which the schedule does not have`
    : `${found}, where the schedule has ${expected} (step ${turn! + 1})`;
}

const GIVEN_UP: Readonly<Record<OpenReason, string>> = {
  'by-deadheat': 'it was no use any more',
  diverged: 'a thread did something else',
  orphaned: 'deadheat was gone',
  late: 'time was up before its last step',
};

export const givenUpText = (reason: OpenReason): string =>
  `the schedule was given up: ${GIVEN_UP[reason]}`;

export function endText(status: number): string {
  const end = parseWaitStatus(status);
  return end.kind === 'killed'
    ? `the program was killed by ${signalName(end.signal)}`
    : `the program ended${end.kind === 'exited' && end.code !== 0 ? ` with status ${end.code}` : ''}`;
}

/** Which of the two instructions anybody has come to. */
export function comingsText(seen: readonly boolean[], names: readonly string[]): string {
  if (seen.every((one) => !one)) return `no thread came to ${names[0]} or ${names[1]} in time`;
  const missing = seen.indexOf(false);
  return missing < 0
    ? 'both threads came to their accesses, but never at once and to the same bytes'
    : `no thread came to ${names[missing]} in time`;
}
