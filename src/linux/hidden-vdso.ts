/**
 * Takes the vDSO away from a traced program that stands at its exec, so that it reads the clock by
 * system calls. The kernel tells a program of it in a vector above its stack, of pairs of words:
 *
 *   rsp:  argc  argv…  0  envp…  0  AT_SYSINFO_EHDR address  AT_… …  AT_NULL 0
 */
import { type Tid, traceeAddress } from './ids.ts';
import { readMemory, writeMemory } from './process-memory.ts';
import { readRegisters } from './ptrace.ts';

/** Source: <linux/auxvec.h>, <asm/auxvec.h>. */
const AT_IGNORE = 1;
const AT_SYSINFO_EHDR = 33;

const WORD = 8;
/** Most programs have no longer an environment. */
const PIECE = 2048;
/** The kernel allows arguments and environment six megabytes, with a word for each of them. */
const MOST_PIECES = 4096;

/** Nothing happens to a program that has none, or is a 32-bit one. */
export function hideVdso(task: Tid): void {
  const place = findEntry(task, readRegisters(task).get('rsp'));
  if (place === undefined) return;
  const ignored = Buffer.alloc(WORD);
  ignored.writeBigUInt64LE(BigInt(AT_IGNORE));
  writeMemory(task, traceeAddress(place), ignored);
}

/** It is the first of the vector, wherever there is one. */
function findEntry(task: Tid, stack: bigint): bigint | undefined {
  const words = wordsFrom(task, stack);
  let at = stack;
  const next = (): bigint | undefined => {
    at += BigInt(WORD);
    const { value, done } = words.next();
    return done ? undefined : value;
  };
  const argc = next();
  if (argc === undefined) return undefined;
  // The words of a 32-bit program are half as long: two of them look like a number that no stack holds.
  for (let index = 0n; index <= argc; index++) if (next() === undefined) return undefined;
  for (let word = next(); word !== 0n; word = next()) if (word === undefined) return undefined;
  return next() === BigInt(AT_SYSINFO_EHDR) ? at - BigInt(WORD) : undefined;
}

function* wordsFrom(task: Tid, start: bigint): Generator<bigint, undefined> {
  for (let piece = 0; piece < MOST_PIECES; piece++) {
    const bytes = readMemory(task, traceeAddress(start + BigInt(piece * PIECE)), PIECE);
    for (let at = 0; at + WORD <= bytes.length; at += WORD) yield bytes.readBigUInt64LE(at);
    if (bytes.length < PIECE) return;
  }
}
