/**
 * What the model has nothing to say about: calls are counted by name and told in the report, so that
 * nobody takes silence for safety.
 */
import { syscallName, syscallNumber } from '../linux/syscalls.ts';
import type { CallRecord } from '../trace/records/call.ts';
import type { TraceRecord } from '../trace/records/record.ts';
import { isModelledRequest } from './model/families/controls.ts';
import { isModelled, isRefused } from './model/recorded-calls.ts';

export interface UnmodelledCalls {
  /** How often each was called. */
  counts: Record<string, number>;
  warnings: string[];
}

const IOCTL = syscallNumber('ioctl');

function hasModel({ number, args }: CallRecord): boolean {
  return isModelled(number) && (number !== IOCTL || isModelledRequest((args[1] ?? 0) >>> 0));
}

export function unmodelledCalls(records: readonly TraceRecord[]): UnmodelledCalls {
  const counts = new Map<number, number>();
  for (const record of records) {
    if (record.kind !== 'call' || hasModel(record)) continue;
    counts.set(record.number, (counts.get(record.number) ?? 0) + 1);
  }
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  const told = (list: readonly [number, number][]): string =>
    list.map(([number, count]) => `${syscallName(number)} (${count})`).join(', ');
  const refused = sorted.filter(([number]) => isRefused(number));
  const unknown = sorted.filter(([number]) => !isRefused(number));
  return {
    counts: Object.fromEntries(sorted.map(([number, count]) => [syscallName(number), count])),
    warnings: [
      ...(refused.length > 0
        ? [`refused with ENOSYS, since what it does cannot be recorded: ${told(refused)}`]
        : []),
      ...(unknown.length > 0
        ? [`not modelled, so races in what these calls do are not found: ${told(unknown)}`]
        : []),
    ],
  };
}
