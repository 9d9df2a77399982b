/**
 * The events of load-store detection: accesses, that is, a step and one of its operations, told
 * apart by all that matters to a conflict.
 */
import { syscallName } from '../../../linux/syscalls.ts';
import type { Slot } from '../../../order/ids.ts';
import type { Operation } from '../../model/operation.ts';
import type { Access } from '../race.ts';
import { verbOf } from '../verbs.ts';

/** Accesses in one slot by one program that are alike: either all of them conflict with another, or none. */
export interface Stretch {
  slot: Slot;
  /** One of them, for all. */
  operation: Operation;
  program: string;
  verb: string;
  accesses: Access[];
}

/** What a step does to its object, in words. */
export function accessVerb({ step, operation }: Access): string {
  const { record } = step;
  return verbOf(operation, record.kind === 'call' ? syscallName(record.number) : record.kind);
}
