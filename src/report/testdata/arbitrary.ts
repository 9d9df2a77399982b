/**
 * Any report the model allows, for property tests: odd names, missing parts, every verdict. Texts
 * hold lone surrogates too, which is how bytes that are not UTF-8 look (src/base/bytes.ts).
 */
import fc from 'fast-check';
import { engineSchema, type Report, rungSchema, type Site, verdictsOf } from '../model.ts';

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('caf\udce9', 'a b:c', '[x](1) {0} \\', '/home/me/project/src/é.c', '\u001b[31m'),
);
const someText = anyText.filter((text) => text !== '');
/** JavaScript's own magic name is dropped on reading, as it should be. */
const anyKey = anyText.filter((text) => text !== '__proto__');
const processId = fc.nat({ max: 5 });

const site: fc.Arbitrary<Site> = fc.record(
  {
    function: someText,
    file: someText,
    line: fc.integer({ min: 1, max: 9999 }),
    module: someText,
    address: fc.nat().map((value) => `0x${value.toString(16)}`),
  },
  { requiredKeys: [] },
);
const stack = fc.array(site, { maxLength: 3 });

const access = fc.record(
  {
    process: anyText,
    pid: processId,
    thread: processId,
    threadName: someText,
    op: someText,
    what: anyText,
    site,
    stack,
  },
  { requiredKeys: ['process', 'pid', 'thread', 'op', 'what', 'site', 'stack'] },
);

const step = fc.record(
  { pid: processId, thread: processId, threadName: someText, what: anyText, site },
  { requiredKeys: ['pid', 'thread', 'what'] },
);

const task = fc.record(
  {
    pid: processId,
    thread: processId,
    threadName: someText,
    process: anyText,
    command: fc.array(anyText, { maxLength: 3 }),
    parent: fc.record({ pid: processId, thread: processId }),
    createdBy: fc.record({ what: anyText, site, stack }, { requiredKeys: ['what'] }),
  },
  { requiredKeys: ['pid', 'thread', 'process'] },
);

export const arbitraryReport: fc.Arbitrary<Report> = fc
  .constantFrom(...engineSchema.options)
  .chain((engine) => {
    const race = fc.record(
      {
        id: someText,
        kind: someText,
        verdict: fc.constantFrom(...verdictsOf[engine]),
        title: anyText,
        object: fc.record({ type: someText, name: anyText }),
        accesses: fc.array(access, { minLength: 2, maxLength: 3 }),
        occurrences: fc.integer({ min: 1, max: 99 }),
        steps: fc.array(step, { maxLength: 4 }),
        earlierSteps: fc.integer({ min: 1, max: 9 }),
        rung: fc.constantFrom(...rungSchema.options),
        certain: fc.boolean(),
        evidence: anyText,
        replay: anyText,
        benign: anyText,
      },
      {
        requiredKeys: ['id', 'kind', 'verdict', 'title', 'object', 'accesses', 'occurrences'],
      },
    );
    return fc.record(
      {
        schema: fc.constant(1 as const),
        tool: fc.constant('deadheat' as const),
        version: anyText,
        engine: fc.constant(engine),
        command: fc.array(anyText, { maxLength: 3 }),
        run: anyText,
        races: fc.array(race, { maxLength: 3 }),
        stats: fc.dictionary(anyKey, fc.jsonValue({ maxDepth: 1 }).map(withoutMinusZero), {
          maxKeys: 3,
          noNullPrototype: true,
        }),
        exit: fc.record({ code: fc.nat({ max: 255 }), signal: anyText }, { requiredKeys: [] }),
        tasks: fc.array(task, { maxLength: 4 }),
        warnings: fc.array(anyText, { maxLength: 2 }),
        suppressed: fc.dictionary(anyKey, fc.integer({ min: 1, max: 9 }), {
          maxKeys: 2,
          noNullPrototype: true,
        }),
      },
      {
        requiredKeys: ['schema', 'tool', 'version', 'engine', 'command', 'run', 'races', 'stats'],
      },
    );
  });

/** JSON has no -0. */
const withoutMinusZero = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
