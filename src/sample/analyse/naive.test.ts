import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { RDI } from '../../binary/code/general-registers.ts';
import { LogOp } from '../../linux/agent-protocol.ts';
import { WrittenSamplingLog } from '../collect/testdata/written-sampling-log.ts';
import { analyseSamples } from './analyse.ts';
import { type HistoryEvent, naiveRaces } from './testdata/naive-races.ts';
import { INSTRUCTIONS, type WrittenSite, writeRun, writtenImage } from './testdata/written-run.ts';

const folder = mkdtempSync(join(tmpdir(), 'deadheat-naive-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const image = writtenImage(join(folder, 'images'));
const THREADS = 3;
const START = 1e12;
const STEP = 1000;
/** Longer than what a thread does by itself. */
const GAP = 1e8;
const HEAP = 0x7f00_0000_1000;
const LOCKS = [0x7f00_0100_0000, 0x7f00_0100_0001, 0x7f00_0100_0040];
const ADDRESSES = [image.globals, image.globals + 4, HEAP, HEAP + 16];
const SITES = Object.keys(INSTRUCTIONS) as WrittenSite[];

/** What happens, without times: those come of the order. */
const happening = fc.record({
  thread: fc.integer({ min: 1, max: THREADS }),
  what: fc.oneof(
    ...Array.from({ length: 12 }, () => fc.constant('touch' as const)),
    fc.constant('post' as const),
    fc.constant('wait' as const),
    fc.constant('allocate' as const),
    fc.constant('free' as const),
  ),
  site: fc.constantFrom(...SITES),
  address: fc.constantFrom(...ADDRESSES, image.globals, image.globals),
  locks: fc.oneof(fc.constant([]), fc.constant([]), fc.subarray(LOCKS)),
  object: fc.integer({ min: 1, max: 2 }),
  size: fc.constantFrom(16, 32),
  isAfterGap: fc.integer({ min: 0, max: 40 }).map((number) => number === 0),
});

type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;

/** An allocation lasts until its thread's next event; until then nobody else allocates. */
function historyOf(happenings: readonly Happening[]): HistoryEvent[] {
  const history: HistoryEvent[] = [];
  let [time, allocating, until] = [START, 0, 0];
  for (const [at, { thread, what, isAfterGap, ...rest }] of happenings.entries()) {
    time += STEP;
    if (isAfterGap) {
      history.push({ kind: 'gap', thread: 0, time, until: time + GAP });
      time += GAP + STEP;
    }
    if (what === 'touch') history.push({ kind: what, thread, time, ...rest });
    else if (what === 'post' || what === 'wait') {
      history.push({ kind: what, thread, time, object: rest.object });
    } else if (time > until || allocating === thread) {
      const later = happenings.slice(at + 1);
      const next = later.findIndex((one) => one.thread === thread);
      // A gap in between would end it at another time.
      const isSimple = next >= 0 && !later.slice(0, next + 1).some((one) => one.isAfterGap);
      allocating = thread;
      until = isSimple ? time + STEP * (next + 1) : time + 1;
      const block = { thread, time, until, address: HEAP };
      history.push(
        what === 'free' ? { kind: what, ...block } : { kind: what, ...block, size: rest.size },
      );
    }
  }
  return history;
}

function written(history: readonly HistoryEvent[]): string {
  const logs = Array.from({ length: THREADS }, (_, i) => new WrittenSamplingLog(1, i + 1));
  for (const log of logs) {
    log.base(0, 0, 0x7e00_0000_0000, 0x7e00_0000_1000);
    log.clock(START, START);
    log.switched(START, true);
    log.sync(LogOp.DH_OP_BEGIN, START, 0n);
  }
  for (const event of history) {
    const log = logs[event.thread - 1];
    const { time } = event;
    switch (event.kind) {
      case 'touch':
        log!.sample({
          ...{ time, place: image.placeOf(event.site), locks: event.locks },
          registers: Array.from({ length: 16 }, (_, i) => (i === RDI ? event.address : 0)),
        });
        break;
      case 'post':
      case 'wait': {
        const op = event.kind === 'post' ? LogOp.DH_OP_POST : LogOp.DH_OP_WAIT_DONE;
        log!.sync(op, time, BigInt(event.object));
        break;
      }
      case 'allocate':
      case 'free':
        log!.memory(time, [
          { address: event.address, size: event.kind === 'free' ? undefined : event.size },
        ]);
        log!.clock(event.until, event.until);
        break;
      case 'gap':
        for (const one of logs) {
          one.switched(time, false);
          one.switched(event.until, true);
        }
        break;
    }
  }
  return writeRun(join(folder, 'run'), image, logs);
}

/** Variables that are told by their names, as naiveRaces has them. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['globals', `0x${image.globals.toString(16)}`],
  ['neighbours', `0x${(image.globals + 4).toString(16)}`],
]);

/** As naiveRaces tells them. */
function analysedRaces(run: string): string[] {
  const { races } = analyseSamples([{ name: 'run', folder: run }], { symbols: [] });
  const told = races.map(({ object, accesses }) => {
    const name = NAMES.get(object.name) ?? object.name;
    const sites = accesses.map(({ site }) => site.function).sort();
    return `${object.type === 'heap' ? 'heap' : name} ${sites.join(' ‖ ')}`;
  });
  return [...new Set(told)].sort();
}

describe('the analysis of samples', () => {
  it('finds what trying all pairs finds', () => {
    let found = 0;
    fc.assert(
      fc.property(fc.array(happening, { minLength: 10, maxLength: 60 }), (happenings) => {
        const history = historyOf(happenings);
        const expected = naiveRaces(history);
        found += expected.length;
        expect(analysedRaces(written(history))).toEqual(expected);
      }),
      { numRuns: 60 },
    );
    // Histories without any race would prove little.
    expect(found).toBeGreaterThan(30);
  });
});
