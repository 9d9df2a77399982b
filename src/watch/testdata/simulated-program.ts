/** Programs for the simulated machine, and which of their accesses really race. */
import { CODE, FUNCTION_SIZE } from './simulated-target.ts';

export type Statement =
  | { readonly op: 'load' | 'store' | 'store-byte'; readonly at: number }
  | { readonly op: 'add' | 'lock-add'; readonly at: number; readonly by: number }
  | { readonly op: 'increase' }
  | { readonly op: 'acquire' | 'release'; readonly lock: number };

export function assembleThread(statements: readonly Statement[]): Uint8Array {
  const bytes = statements.flatMap(bytesOf);
  const back = Buffer.alloc(4);
  back.writeInt32LE(-(bytes.length + 5));
  return Uint8Array.from([...bytes, 0xe9, ...back]);
}

function bytesOf(statement: Statement): number[] {
  switch (statement.op) {
    case 'load':
      return [0x8b, 0x43, statement.at];
    case 'store':
      return [0x89, 0x43, statement.at];
    case 'store-byte':
      return [0x88, 0x43, statement.at];
    case 'add':
      return [0x83, 0x43, statement.at, statement.by];
    case 'lock-add':
      return [0xf0, 0x83, 0x43, statement.at, statement.by];
    case 'increase':
      return [0xff, 0xc0];
    case 'acquire':
    case 'release': {
      const number = Buffer.alloc(4);
      number.writeInt32LE(statement.op === 'acquire' ? statement.lock : -statement.lock);
      return [0xb9, ...number, 0x0f, 0x05];
    }
  }
}

interface PlacedAccess {
  readonly thread: number;
  readonly address: string;
  readonly at: number;
  readonly size: number;
  readonly isStore: boolean;
  readonly lock: number | undefined;
}

/** All pairs without a lock that both hold, as the two addresses in order. Threads take one lock at a time. */
export function trueRaces(threads: readonly (readonly Statement[])[]): string[] {
  const all = threads.flatMap(accessesOf);
  const pairs = all.flatMap((one) =>
    all
      .filter(
        (other) =>
          one.thread < other.thread &&
          (one.isStore || other.isStore) &&
          (one.lock === undefined || one.lock !== other.lock) &&
          one.at < other.at + other.size &&
          other.at < one.at + one.size,
      )
      .map((other) => [one.address, other.address].sort().join(' ')),
  );
  return [...new Set(pairs)].sort();
}

function accessesOf(statements: readonly Statement[], thread: number): PlacedAccess[] {
  const accesses: PlacedAccess[] = [];
  let lock: number | undefined;
  let place = CODE + BigInt(thread) * FUNCTION_SIZE;
  for (const statement of statements) {
    if (statement.op === 'acquire') lock = statement.lock;
    if (statement.op === 'release') lock = undefined;
    if ('at' in statement) {
      accesses.push({
        ...{ thread, lock, at: statement.at, address: `0x${place.toString(16)}` },
        size: statement.op === 'store-byte' ? 1 : 4,
        isStore: statement.op !== 'load',
      });
    }
    place += BigInt(bytesOf(statement).length);
  }
  return accesses;
}
