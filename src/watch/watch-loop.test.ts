import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Race } from '../report/model.ts';
import { CaughtRaces } from './caught-races.ts';
import type { CodeFunction } from './debug-target.ts';
import { QuickSimulatedTarget } from './testdata/quick-simulated-target.ts';
import { assembleThread, type Statement, trueRaces } from './testdata/simulated-program.ts';
import { DATA, SimulatedTarget } from './testdata/simulated-target.ts';
import { WatchLoop } from './watch-loop.ts';

interface Watched {
  readonly races: readonly Race[];
  readonly loop: WatchLoop;
  readonly target: SimulatedTarget;
}

interface How {
  readonly ms?: number;
  readonly seed?: number;
  readonly hasRegisters?: boolean;
  readonly mayTellLate?: boolean;
  readonly rate?: number;
  /** The target opens windows by itself. */
  readonly isQuick?: boolean;
}

async function watched(
  threads: readonly (readonly Statement[])[],
  how: How = {},
): Promise<Watched> {
  const { ms = 3000, seed = 1, hasRegisters = true, mayTellLate = false, rate = 400 } = how;
  const Target = how.isQuick ? QuickSimulatedTarget : SimulatedTarget;
  const target = new Target(threads.map(assembleThread), ms, seed);
  target.hasRegisters = hasRegisters;
  target.mayTellLate = mayTellLate;
  const caught = new CaughtRaces(target);
  const settings = { rate, windowMs: 2, functions: undefined };
  const add = (race: Parameters<CaughtRaces['add']>[0]): Promise<unknown> => caught.add(race);
  const now = (): number => target.now;
  const loop = new WatchLoop(target, { settings, seed, caught: add, now });
  expect(await loop.run()).toEqual({ code: 0 });
  // To ask twice changes nothing.
  expect(caught.races()).toEqual(caught.races());
  return { races: caught.races(), loop, target };
}

/** The two addresses, or the one that is known. */
const pairOf = ({ accesses }: Race): string =>
  accesses
    .flatMap(({ site }) => site.address ?? [])
    .sort()
    .join(' ');

const statement = fc.oneof(
  fc.record({
    op: fc.constantFrom('load' as const, 'store' as const, 'store-byte' as const),
    at: fc.nat(12),
  }),
  fc.record({
    op: fc.constantFrom('add' as const, 'lock-add' as const),
    at: fc.nat(12),
    by: fc.integer({ min: 1, max: 5 }),
  }),
  fc.constant({ op: 'increase' as const }),
);
/** Some statements, with a lock or without. */
const section = fc
  .tuple(fc.array(statement, { minLength: 1, maxLength: 3 }), fc.nat(2))
  .map(([inside, lock]): Statement[] =>
    lock === 0 ? inside : [{ op: 'acquire', lock }, ...inside, { op: 'release', lock }],
  );
const thread = fc.array(section, { minLength: 1, maxLength: 3 }).map((sections) => sections.flat());
const program = fc.array(thread, { minLength: 2, maxLength: 4 });

const ways = fc.constantFrom({}, { hasRegisters: false }, { isQuick: true });

const COLD = 0x50_0000n;
const COLD_FUNCTIONS = 100;
/** mov [rbx],eax, again and again */
const COLD_CODE = Buffer.from('8903'.repeat(50), 'hex');
const COLD_SIZE = BigInt(COLD_CODE.length);

/** With functions that nobody calls, which most instructions are in. */
class MostlyColdTarget extends SimulatedTarget {
  override async functions(): Promise<CodeFunction[]> {
    const cold = Array.from({ length: COLD_FUNCTIONS }, (_, index) => {
      const start = COLD + BigInt(index) * COLD_SIZE;
      return { name: `cold${index}`, module: 'simulated', start, end: start + COLD_SIZE };
    });
    return [...(await super.functions()), ...cold];
  }

  override async read(address: bigint, size: number): Promise<Uint8Array> {
    return address >= COLD && address < DATA ? COLD_CODE : super.read(address, size);
  }
}

describe('the watch loop, on a simulated machine', () => {
  it('reports nothing but what really races', async () => {
    await fc.assert(
      fc.asyncProperty(program, fc.nat(), ways, async (threads, seed, way) => {
        const { races } = await watched(threads, { ms: 300, seed, ...way });
        const truth = trueRaces(threads);
        for (const race of races) {
          const pair = pairOf(race);
          const isTrue = pair.includes(' ')
            ? truth.includes(pair)
            : truth.some((one) => one.split(' ').includes(pair));
          expect(isTrue, `${pair} of ${truth.join(', ')}`).toBe(true);
        }
      }),
      { numRuns: 60 },
    );
  });

  it.each([false, true])('finds all of it, given time; with quick windows: %s', async (isQuick) => {
    let mostAtOnce = 0;
    await fc.assert(
      fc.asyncProperty(program, async (threads) => {
        const { races, target } = await watched(threads, { ms: 8000, isQuick });
        if (target instanceof QuickSimulatedTarget) {
          expect(target.quickWindows).toBeGreaterThan(9);
          mostAtOnce = Math.max(mostAtOnce, target.mostAtOnce);
        }
        const found = races.map(pairOf).filter((pair) => pair.includes(' '));
        expect(found.sort()).toEqual(trueRaces(threads));
      }),
      // Who runs when is drawn by lot, from these seeds: it comes out the same every time.
      { numRuns: 8, seed: 7 },
    );
    if (isQuick) expect(mostAtOnce).toBeGreaterThan(1);
  });

  const racing: Statement[] = [{ op: 'load', at: 0 }, { op: 'increase' }, { op: 'store', at: 0 }];

  it('has nothing planted, armed or held when it is stopped', async () => {
    const target = new SimulatedTarget([racing, racing, racing].map(assembleThread), 1e9, 1);
    const end = new AbortController();
    const settings = { rate: 1000, windowMs: 5, functions: undefined };
    let caught = 0;
    const loop = new WatchLoop(target, {
      ...{ settings, seed: 1, now: () => target.now, stop: end.signal },
      caught: async () => {
        if (++caught === 20) end.abort();
      },
    });
    expect(await loop.run()).toBeUndefined();
    expect([target.planted.size, target.armed.size, target.heldCount]).toEqual([0, 0, 0]);
  });

  it('finds by value alone what no register was free for', async () => {
    const { races } = await watched([racing, racing], { hasRegisters: false });
    expect(races.length).toBeGreaterThan(0);
    const strategies = races.map(({ evidence }) => evidence?.split(':')[0]);
    expect(strategies).not.toContain('watchpoint');
    const alone = races.find(({ evidence }) => evidence?.startsWith('value comparison'));
    if (alone) expect(alone.accesses[1]).toMatchObject({ what: /unknown/, site: {} });
  });

  it('does not accuse the instruction that somebody has come to since', async () => {
    const threads = [[...racing, { op: 'increase' as const }], racing];
    const truth = (await watched(threads)).races.map(pairOf);
    const late = (await watched(threads, { mayTellLate: true })).races;
    expect(late.length).toBeGreaterThan(0);
    const isWhole = ({ accesses }: Race): boolean => Object.keys(accesses[1]!.site).length > 0;
    for (const race of late.filter(isWhole)) expect(truth).toContain(pairOf(race));
  });

  it('keeps to its rate', async () => {
    const { loop } = await watched([racing, racing, racing], { ms: 10_000, rate: 50 });
    expect(loop.figures.windows).toBeLessThanOrEqual(503);
    expect(loop.figures.windows).toBeGreaterThan(400);
  });

  it('keeps to its rate with one thread, too, which is stopped for nothing', async () => {
    const { loop } = await watched([racing], { ms: 10_000, rate: 50 });
    expect(loop.figures.hits).toBeLessThan(600);
  });

  it('lets everybody run for half of the time, however much is asked for', async () => {
    const apart = [0, 4, 8].map((at): Statement[] => [{ op: 'store', at }]);
    const { loop } = await watched(apart, { ms: 1000, rate: 100_000 });
    expect(loop.figures.heldMs).toBeLessThan((3 * 1000) / 2 + 50);
    expect(loop.figures.windows).toBeGreaterThan(100);
  });

  it('reaches its rate where most of the code is never run', async () => {
    const target = new MostlyColdTarget([racing, racing].map(assembleThread), 20_000, 1);
    const settings = { rate: 50, windowMs: 2, functions: undefined };
    const now = (): number => target.now;
    const loop = new WatchLoop(target, { settings, seed: 1, caught: async () => {}, now });
    await loop.run();
    expect(loop.figures.windows).toBeGreaterThan(600);
    expect(loop.figures.windows).toBeLessThan(1010);
    // What is planted for the first time is not given up for it.
    expect(loop.figures.planted).toBeGreaterThan(1000);
  });

  it('reaches its rate where hardly any instruction is ever run, and what is hit is planned ahead', async () => {
    const own = [0, 32].map((at): Statement[] => [{ op: 'store', at }, { op: 'increase' }]);
    const { loop } = await watched(own, { ms: 10_000, rate: 30, isQuick: true });
    expect(loop.figures.windows).toBeGreaterThan(180);
    expect(loop.figures.windows).toBeLessThan(310);
  });

  it('tells both sides, and what has changed', async () => {
    const { races } = await watched([
      [{ op: 'load', at: 0 }],
      [{ op: 'increase' }, { op: 'store', at: 0 }],
    ]);
    expect(races).toHaveLength(1);
    const [race] = races;
    expect(race).toMatchObject({
      kind: 'data-race',
      verdict: 'confirmed',
      object: { type: 'memory', name: 'data+0' },
    });
    expect(race!.accesses.map(({ op, threadName }) => `${threadName} ${op}`).sort()).toEqual([
      'T1 load',
      'T2 store',
    ]);
    expect(race!.occurrences).toBeGreaterThan(1);
    expect(race!.accesses[0]!.value).toMatch(/^[0-9a-f]{8}$/);
  });

  it('samples nothing of a program with one thread for nothing', async () => {
    const { loop, races } = await watched([racing]);
    expect(races).toEqual([]);
    expect(loop.figures.windows).toBe(0);
  });
});
