/**
 * Which bytes a thread is about to touch that stands before a call of memcpy or one of its kin, by its arguments
 * and by what is in memory then:
 *
 *   memcpy(to, from, 12)        12 bytes at `from` are read, and as many at `to` written
 *   strcpy(to, "abc")           4 and 4
 *   strcmp("abc", "axe")        2 of each are read
 *
 * Those that are not here touch something that only they know.
 */
import type { TouchedBytes } from './touched-memory.ts';

export interface CallArguments {
  /** From 0. */
  argument(index: number): bigint;
  /** As many of these bytes as there are. */
  bytes(address: bigint, most: number): Uint8Array;
}

type Effect = (call: CallArguments) => TouchedBytes[];

/** No string is followed further. */
const LONGEST_STRING = 1 << 16;

const read = (address: bigint, size: number): TouchedBytes[] =>
  size === 0 ? [] : [{ address, size, isRead: true, isWritten: false }];
const written = (address: bigint, size: number): TouchedBytes[] =>
  size === 0 ? [] : [{ address, size, isRead: false, isWritten: true }];

const copied: Effect = ({ argument }) => {
  const size = Number(argument(2));
  return [...written(argument(0), size), ...read(argument(1), size)];
};

/** With its end; 0 if it has none that is near. */
function lengthOf({ bytes }: CallArguments, address: bigint): number {
  return bytes(address, LONGEST_STRING).indexOf(0) + 1;
}

const textCopied: Effect = (call) => {
  const [to, from] = [call.argument(0), call.argument(1)];
  const size = lengthOf(call, from);
  return [...written(to, size), ...read(from, size)];
};

const textAdded: Effect = (call) => {
  const [to, from] = [call.argument(0), call.argument(1)];
  const present = lengthOf(call, to);
  const size = lengthOf(call, from);
  if (present === 0) return [];
  const end = to + BigInt(present - 1);
  return [...read(to, present), ...written(end, size), ...read(from, size)];
};

const compared =
  (endsAtZero: boolean, hasLimit: boolean): Effect =>
  (call) => {
    const [a, b] = [call.argument(0), call.argument(1)];
    const most = hasLimit ? Number(call.argument(2)) : LONGEST_STRING;
    const [one, other] = [a, b].map((address) =>
      call.bytes(address, Math.min(most, LONGEST_STRING)),
    );
    const end = Math.min(one!.length, other!.length);
    let size = 0;
    while (size < end && one![size] === other![size] && !(endsAtZero && one![size] === 0)) size++;
    const touched = Math.min(size + 1, end);
    return [...read(a, touched), ...read(b, touched)];
  };

const EFFECTS: ReadonlyMap<string, Effect> = new Map<string, Effect>([
  ...['memcpy', 'memmove', 'mempcpy'].map((name) => [name, copied] as const),
  ['memset', ({ argument }) => written(argument(0), Number(argument(2)))],
  ['bzero', ({ argument }) => written(argument(0), Number(argument(1)))],
  ...['strcpy', 'stpcpy'].map((name) => [name, textCopied] as const),
  ['strcat', textAdded],
  ['strlen', (call) => read(call.argument(0), lengthOf(call, call.argument(0)))],
  ...['strdup', '__strdup'].map(
    (name) =>
      [
        name,
        (call: CallArguments) => read(call.argument(0), lengthOf(call, call.argument(0))),
      ] as const,
  ),
  ...['memcmp', 'bcmp'].map((name) => [name, compared(false, true)] as const),
  ['strcmp', compared(true, false)],
  ['strncmp', compared(true, true)],
]);

/** `__memcpy_chk` does what memcpy does, after a look at the room. */
const plainName = (name: string): string => /^__(\w+)_chk$/.exec(name)?.[1] ?? name;

export const isTouchingCall = (name: string): boolean => EFFECTS.has(plainName(name));

export function touchedByCall(name: string, call: CallArguments): TouchedBytes[] {
  return EFFECTS.get(plainName(name))?.(call) ?? [];
}
