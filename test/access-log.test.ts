/** What the agent writes of accesses is what is read: each by itself, in pairs, and far away from each other. */
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAgentLog } from '../src/linux/agent-log.ts';
import { AgentProtocol, DH_LOG_WINDOW, LogHeaderAt, LogKind } from '../src/linux/agent-protocol.ts';
import { compiledFile } from './harness/cloned-run.ts';

const agent = new URL('../agent/', import.meta.url).pathname;
const source = new URL('./agent/log-accesses.c', import.meta.url).pathname;

/** The words that the program has written are what was appended to the log. */
function logOf(words: Buffer) {
  const bytes = Buffer.alloc(DH_LOG_WINDOW + words.length);
  bytes.writeUInt32LE(AgentProtocol.DH_LOG_MAGIC, LogHeaderAt.magic);
  bytes.writeUInt32LE(AgentProtocol.DH_PROTOCOL, LogHeaderAt.protocol);
  bytes.writeBigUInt64LE(BigInt(words.length), LogHeaderAt.flushed);
  bytes.writeBigUInt64LE(BigInt(words.length), LogHeaderAt.window_start);
  words.copy(bytes, DH_LOG_WINDOW);
  const log = readAgentLog(bytes);
  if (!log.ok) throw new Error(log.error);
  return log.value;
}

const EVEN = { flags: 1, size: 8, site: 7 };
const ODD = { flags: 2, size: 1, site: 1000 };

/** Two regions, as those of two threads' heaps; steps about as far as can be told, and some anywhere. */
const address = fc.oneof(
  fc.integer({ min: 0, max: 2 ** 21 }).map((offset) => 0x5555_0000_0000 + offset),
  fc.integer({ min: 0, max: 2 ** 12 }).map((offset) => 0x7fff_f000_0000 + offset),
  fc.constantFrom(0x5555_0000_0000, 0x5555_0008_0000, 0x5555_0007_ffff, 0x5555_0010_0000),
  fc.integer({ min: 4096, max: 2 ** 47 - 1 }),
);

describe('accesses in a log', () => {
  it('are read as they were written', () => {
    const program = compiledFile(source, `-I${agent}`, `${agent}access-log.c`, '-std=gnu11');
    fc.assert(
      fc.property(fc.array(address, { minLength: 1, maxLength: 300 }), (addresses) => {
        const input = Buffer.alloc(8 * addresses.length);
        addresses.forEach((at, i) => void input.writeBigUInt64LE(BigInt(at), 8 * i));
        const words = execFileSync(program, { input });
        const log = logOf(words);
        const read: unknown[] = [];
        while (log.next()) {
          expect(log.kind).toBe(LogKind.DH_LOG_ACCESS);
          read.push([log.address, { flags: log.op, size: log.small, site: log.site }]);
        }
        expect(log.damage).toBeUndefined();
        expect(read).toEqual(addresses.map((at) => [at, at % 2 === 0 ? EVEN : ODD]));
      }),
      { numRuns: 60 },
    );
  });

  it('take half a word each in two regions by turns', () => {
    const program = compiledFile(source, `-I${agent}`, `${agent}access-log.c`, '-std=gnu11');
    const addresses = Array.from(
      { length: 1000 },
      (_, i) => (i % 2 === 0 ? 0x5555_0000_0000 : 0x7fff_f000_0000) + 64 * i,
    );
    const input = Buffer.alloc(8 * addresses.length);
    addresses.forEach((at, i) => void input.writeBigUInt64LE(BigInt(at), 8 * i));
    const words = execFileSync(program, { input }).length / 8;
    // Now and then the log is full between the two of a pair.
    expect(words).toBeLessThan(560);
  });
});
