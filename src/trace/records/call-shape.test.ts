/** What a recording takes in memory hangs on whether V8 sees one kind of object, or one per call. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { expect, it, onTestFinished } from 'vitest';
import { nanoseconds, pid, tid } from '../../linux/ids.ts';
import { readTrace } from '../reader.ts';
import { TraceWriter } from '../writer.ts';
import type { CallRecord } from './call.ts';

setFlagsFromString('--allow-natives-syntax');
/** In V8's words a shape is a map. */
const haveOneShape = new Function('a', 'b', 'return %HaveSameMap(a, b)') as (
  a: object,
  b: object,
) => boolean;

it('calls that are read back have one shape, whichever of their fields are there', () => {
  const folder = mkdtempSync(join(tmpdir(), 'deadheat-shape-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const at = { entry: 1, exit: 2, enteredAt: nanoseconds(1), leftAt: nanoseconds(2) };
  const plain: CallRecord = {
    ...{ kind: 'call', tid: tid(5), number: 0, ...at, args: [1, 2, 3, 4, 5, 6], result: 0 },
  };
  const file = { id: 1, device: 2, inode: 3, mode: 0o100644 };
  const full: CallRecord = {
    ...plain,
    ...{ reaped: pid(6), path: 'a', path2: 'b', file, file2: file, created: true },
    ...{ position: 7, data: 'c' },
  };
  const path = join(folder, 'trace.bin');
  const writer = new TraceWriter(path);
  for (let times = 0; times < 100; times++) {
    writer.append(plain);
    writer.append(full);
  }
  writer.close({ droppedEvents: 0 });
  const [first, ...others] = [...readTrace(path, { salvage: false })];
  expect(others).toHaveLength(199);
  expect(others.every((record) => haveOneShape(first!, record))).toBe(true);
});
