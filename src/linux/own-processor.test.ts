import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { stayOnOneProcessor } from './own-processor.ts';

/** `0-1`, say. */
const allowed = (): string =>
  /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/thread-self/status', 'latin1'))![1]!;

it('this thread stays on the last processor that it may use, until that is undone', () => {
  const before = allowed();
  const undo = stayOnOneProcessor();
  expect(allowed()).toBe(/\d+$/.exec(before)![0]);
  // To stay there twice changes nothing.
  const again = stayOnOneProcessor();
  expect(allowed()).toBe(/\d+$/.exec(before)![0]);
  again();
  undo();
  expect(allowed()).toBe(before);
});
