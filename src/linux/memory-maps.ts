/**
 * What is mapped in a process, from /proc/PID/maps:
 *
 *   7f3c1a228000-7f3c1a37d000 r-xp 00028000 08:01 1835 /usr/lib/x86_64-linux-gnu/libc.so.6
 *
 * Paths are byte strings (base/bytes.ts); the kernel writes a newline in one as `\012`.
 */
import { readFileSync } from 'node:fs';
import { decodeBytes } from '../base/bytes.ts';
import { tryTo } from '../base/result.ts';
import type { Pid, Tid } from './ids.ts';

export interface Mapping {
  readonly start: bigint;
  readonly end: bigint;
  readonly isExecutable: boolean;
  /** Of the file, at `start`. */
  readonly offset: number;
  /** 0 if it is no file. */
  readonly inode: number;
  /** '' for anonymous memory; `[stack]` and the like are no files either. */
  readonly path: string;
}

const LINE = /^([0-9a-f]+)-([0-9a-f]+) (\S+) ([0-9a-f]+) \S+ (\d+) *(.*)$/;

/** In the order of their addresses; none if the process is gone. */
export function mappingsOf(process: Pid | Tid): Mapping[] {
  const text = tryTo(() => readFileSync(`/proc/${process}/maps`));
  if (!text.ok) return [];
  return decodeBytes(text.value)
    .split('\n')
    .flatMap((line) => {
      const [, start, end, permissions, offset, inode, path] = LINE.exec(line) ?? [];
      if (start === undefined) return [];
      return {
        start: BigInt(`0x${start}`),
        end: BigInt(`0x${end}`),
        isExecutable: permissions?.[2] === 'x',
        offset: Number.parseInt(offset!, 16),
        inode: Number(inode),
        path: path!.replaceAll('\\012', '\n'),
      };
    });
}
