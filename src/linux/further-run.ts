/**
 * A program that is run once more, in which nobody wants to see its output again:
 *
 *   deadheat threads -- ./sort < words     the traced run reads words and prints; later runs read words from
 *                                          its start again, and what they print is thrown away
 *
 * What came from a pipe is gone: later runs find it empty.
 */
import { closeSync, fstatSync, openSync } from 'node:fs';
import type { Inheritance } from './own-inheritance.ts';

interface Program {
  readonly inheritance: Inheritance;
}

export interface FurtherRun<P extends Program> {
  readonly program: P;
  /** Its input cannot be had again. */
  readonly lacksInput: boolean;
  close(): void;
}

export function furtherRun<P extends Program>(program: P): FurtherRun<P> {
  const { inheritance } = program;
  const nothing = openSync('/dev/null', 'r+');
  const opened = [nothing];
  const sources = new Map(inheritance.sources);
  for (const fd of [1, 2]) if (inheritance.files.includes(fd)) sources.set(fd, nothing);
  const input = inheritance.files.includes(0) ? fstatSync(0) : undefined;
  const lacksInput = input !== undefined && (input.isFIFO() || input.isSocket());
  if (lacksInput) sources.set(0, nothing);
  if (input?.isFile()) {
    const again = openSync('/proc/self/fd/0', 'r');
    opened.push(again);
    sources.set(0, again);
  }
  return {
    program: { ...program, inheritance: { ...inheritance, sources } },
    lacksInput,
    close: () => {
      for (const fd of opened) closeSync(fd);
    },
  };
}
