/**
 * All kinds of records: the union `TraceRecord`, and the table that finds a kind by its name (to
 * write) or by its code (to read).
 *
 * To add a kind: write its file beside this one, put it into the table, and raise `formatVersion`,
 * so that an older deadheat says that it is too old instead of calling the file damaged. Files of
 * older versions stay readable, since what a code stands for is never changed: a kind that gets
 * more fields gets another code, and what it was before stays in `olderKinds`, to be read only.
 */
import { call, callOfFormat1 } from './call.ts';
import { exec } from './exec.ts';
import { exit } from './exit.ts';
import { note } from './note.ts';
import type { RecordKind } from './record-kind.ts';
import { signal } from './signal.ts';
import { received, sent } from './socket-bytes.ts';
import { start, startOfFormat1 } from './start.ts';
import { input, random } from './taken-bytes.ts';

export const formatVersion = 3;

const table = [start, exec, call, exit, signal, note, input, random, received, sent] as const;
const olderKinds = [startOfFormat1, callOfFormat1] as readonly unknown[] as readonly AnyKind[];

type RecordOf<Kind> = Kind extends RecordKind<infer R> ? R : never;
export type TraceRecord = RecordOf<(typeof table)[number]>;

/** One of them, when it does not matter which. */
export type AnyKind = RecordKind<TraceRecord>;

export const recordKinds = table as readonly unknown[] as readonly AnyKind[];

/** A kind by its code; holes where no kind has that code. */
export const kindOfCode: readonly (AnyKind | undefined)[] = byCode();

const kindOfName = new Map(recordKinds.map((kind) => [kind.name, kind]));

export function kindOf(record: TraceRecord): AnyKind {
  return kindOfName.get(record.kind)!;
}

function byCode(): (AnyKind | undefined)[] {
  const kinds: (AnyKind | undefined)[] = [];
  for (const kind of [...olderKinds, ...recordKinds]) kinds[kind.code] = kind;
  return kinds;
}
