import { describe, expect, it } from 'vitest';
import { isTouchingCall, touchedByCall } from './touched-by-call.ts';

const MEMORY = Buffer.from('abc\0axe\0abcd\0');

/** `r 4 2` for each range; memory begins at 0. */
function touched(name: string, ...args: readonly number[]): string[] {
  const found = touchedByCall(name, {
    argument: (index) => BigInt(args[index] ?? 0),
    bytes: (address, most) => MEMORY.subarray(Number(address), Number(address) + most),
  });
  return found.map(
    ({ address, size, isRead, isWritten }) =>
      `${isRead ? 'r' : ''}${isWritten ? 'w' : ''} ${address} ${size}`,
  );
}

describe('what a call is about to touch', () => {
  it('is told by its arguments', () => {
    expect(touched('memcpy', 100, 200, 12)).toEqual(['w 100 12', 'r 200 12']);
    expect(touched('__memmove_chk', 100, 200, 12, 50)).toEqual(['w 100 12', 'r 200 12']);
    expect(touched('memset', 100, 7, 5)).toEqual(['w 100 5']);
    expect(touched('bzero', 100, 5)).toEqual(['w 100 5']);
    expect(touched('memcpy', 100, 200, 0)).toEqual([]);
  });

  it('reaches to the end of a string', () => {
    expect(touched('strcpy', 100, 8)).toEqual(['w 100 5', 'r 8 5']);
    expect(touched('strlen', 1)).toEqual(['r 1 3']);
    expect(touched('strcat', 0, 4)).toEqual(['r 0 4', 'w 3 4', 'r 4 4']);
    // Without an end, nobody can say.
    expect(touched('strlen', 100)).toEqual([]);
  });

  it('reaches as far as two are the same', () => {
    expect(touched('strcmp', 0, 4)).toEqual(['r 0 2', 'r 4 2']);
    expect(touched('strcmp', 0, 8)).toEqual(['r 0 4', 'r 8 4']);
    expect(touched('strncmp', 0, 8, 2)).toEqual(['r 0 2', 'r 8 2']);
    expect(touched('memcmp', 0, 8, 3)).toEqual(['r 0 3', 'r 8 3']);
  });

  it('is not known of others', () => {
    expect(isTouchingCall('printf')).toBe(false);
    expect(isTouchingCall('__memcpy_chk')).toBe(true);
    expect(touched('printf', 1)).toEqual([]);
  });
});
