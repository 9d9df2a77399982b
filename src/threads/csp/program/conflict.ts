/**
 * Which accesses of two threads to a variable are a race: at least one changes it, and not both are
 * atomic. What a thread can do at one place is a set of these, as bits.
 */
import { Op } from '../../model/op.ts';

export const Access = { read: 1, write: 2, atomicRead: 4, atomicWrite: 8 } as const;

export function accessOf(op: number): number {
  switch (op) {
    case Op.read:
      return Access.read;
    case Op.write:
      return Access.write;
    case Op.atomicRead:
      return Access.atomicRead;
    default:
      return Access.atomicWrite;
  }
}

/** Whether one of the first set and one of the second are a race. */
export function isConflict(first: number, second: number): boolean {
  const { read, write, atomicWrite } = Access;
  if ((first & write) !== 0 && second !== 0) return true;
  if ((second & write) !== 0 && first !== 0) return true;
  if ((first & read) !== 0 && (second & atomicWrite) !== 0) return true;
  return (second & read) !== 0 && (first & atomicWrite) !== 0;
}
