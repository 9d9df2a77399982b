/**
 * Stack frames the way ThreadSanitizer writes them:
 *
 *   #0 add_job /home/me/pool/queue.c:41 (pool+0x1a2c)
 *   #1 ?? (libc.so.6+0x8ff3)
 */
import { printable } from '../base/printable.ts';
import type { Site } from './model.ts';

export interface Place {
  readonly site?: Site | undefined;
  readonly stack?: Site[] | undefined;
}

/** All frames, innermost first, whether or not the engine repeated the site in the stack. */
export function framesOf(place: Place): Site[] {
  const stack = place.stack ?? [];
  const { site } = place;
  if (site === undefined || isEmpty(site)) return stack;
  const [top] = stack;
  return top !== undefined && sameSite(site, top) ? stack : [site, ...stack];
}

/** A frame of which only the module is known says no more than the name of the program does. */
export function frameLines(place: Place): string[] {
  const worthShowing = framesOf(place).filter(
    ({ function: name, file, address }) => (name ?? file ?? address) !== undefined,
  );
  return worthShowing.map((frame, index) => `    ${formatFrame(frame, index)}`);
}

function formatFrame(frame: Site, index: number): string {
  const parts = [`#${index}`, frame.function ?? '??'];
  if (frame.file !== undefined) parts.push(sourcePosition(frame.file, frame.line));
  const position = [frame.module, frame.address].filter((part) => part !== undefined).join('+');
  if (position !== '') parts.push(`(${position})`);
  return printable(parts.join(' '));
}

export function sourcePosition(file: string, line: number | undefined): string {
  return line === undefined ? file : `${file}:${line}`;
}

function isEmpty(site: Site): boolean {
  return Object.values(site).every((value) => value === undefined);
}

function sameSite(a: Site, b: Site): boolean {
  return (
    a.function === b.function &&
    a.file === b.file &&
    a.line === b.line &&
    a.module === b.module &&
    a.address === b.address
  );
}
