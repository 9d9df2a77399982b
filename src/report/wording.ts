/**
 * The words all formats share, so that a race is called the same in a terminal and on GitHub:
 *
 *   load-store race on /home/me/project/obj in cc1 and sh
 *   data race on jobs_done in add_job and report_progress
 *
 * Everything here is safe to print: names may hold any bytes.
 */
import { printable } from '../base/printable.ts';
import { framesOf, sourcePosition } from './frames.ts';
import type { Access, Race, Report, Verdict } from './model.ts';

/** `load-store` is a "load-store race", `data-race` a "data race". */
export function raceName(kind: string): string {
  return printable(kind.endsWith('race') ? kind.replaceAll('-', ' ') : `${kind} race`);
}

export function raceSummary(race: Race): string {
  const parties = joinWords(race.accesses.map((access) => partyName(race, access)));
  return `${raceName(race.kind)} on ${printable(race.object.name)} in ${parties}`;
}

/** What is only detected was not tried yet between processes, and could not be tolerated in a section. */
export function verdictWords(verdict: Verdict, engine: Report['engine']): string {
  if (verdict !== 'detected') return verdict;
  return engine === 'tolerate' ? 'not tolerated' : 'not validated yet';
}

/** Whether the racing accesses are threads of one process: then the pid does not tell them apart. */
export function isWithinOneProcess(race: Race): boolean {
  return race.accesses.every(({ pid }) => pid === race.accesses[0]?.pid);
}

/**
 * `process cc1 (pid 14)`, or `thread 22 of pool (pid 20)` when threads of one process race. In a trace that was
 * imported, processes have no number, and there is nothing to say about them.
 */
export function accessorName(race: Race, access: Access): string {
  const process = processName(access);
  if (!isWithinOneProcess(race)) return `process ${process}`;
  const thread = `thread ${threadName(hasOwnName(race, access) ? access : { thread: access.thread })}`;
  return access.pid === 0 ? thread : `${thread} of ${process}`;
}

export function threadName({ threadName, thread }: Pick<Access, 'threadName' | 'thread'>): string {
  return threadName === undefined ? `${thread}` : printable(threadName);
}

/** `worker`; or `thread 42`, where the other side is called the same. */
export const threadWords = (race: Pick<Race, 'accesses'>, access: Access): string =>
  access.threadName !== undefined && hasOwnName(race, access)
    ? access.threadName
    : `thread ${access.thread}`;

/** Threads of a pool often have one name, which does not tell them apart. */
const hasOwnName = (
  { accesses }: Pick<Race, 'accesses'>,
  { thread, threadName }: Access,
): boolean => accesses.every((other) => other.thread === thread || other.threadName !== threadName);

/** Who changed what a critical section works on is not always known; no thread has the number 0. */
export const isKnownThread = ({
  threadName,
  thread,
}: Pick<Access, 'threadName' | 'thread'>): boolean => thread !== 0 || threadName !== undefined;

/** How a program ended. */
export function exitWords({ code, signal }: NonNullable<Report['exit']>): string {
  return signal === undefined
    ? `exit status ${code ?? 'unknown'}`
    : `killed by ${printable(signal)}`;
}

export function processName({ process, pid }: { process: string; pid: number }): string {
  return `${printable(process)} (pid ${pid})`;
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A variable on the heap: `heap block of 24 bytes, at +8`. */
export const heapPlace = (size: number, offset: number): string =>
  `heap block of ${plural(size, 'byte')}, at +${offset}`;

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The program, or within one program the code that tells the two sides apart. */
function partyName(race: Race, access: Access): string {
  if (!isWithinOneProcess(race)) return printable(access.process);
  const [top] = framesOf(access);
  if (top?.function !== undefined) return printable(top.function);
  if (top?.file !== undefined) return printable(sourcePosition(top.file, top.line));
  return printable(access.threadName ?? access.process);
}

function joinWords(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/** `05 00 00 00` of `05000000`. */
export const spacedHex = (hex: string): string => hex.replace(/(..)(?=.)/g, '$1 ');

/** Why some races have no verdict. */
export const untried = (left: number, all: number, isInterrupted: boolean): string =>
  isInterrupted
    ? `interrupted: ${left} of ${all} races were not tried`
    : `there was no time left for ${left} of ${all} races`;
