/**
 * Clones call the agent while vector registers are in use: it must not touch them, nor those of the x87. In the
 * agent that samples, a lock or an allocation would cost more if it did.
 */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { AGENT_PURPOSES, agentLibrary } from '../src/linux/agent-library.ts';

describe('the code of the agent', () => {
  it.each(AGENT_PURPOSES)('has no vector registers: %s', (purpose) => {
    const listing = execFileSync('objdump', ['-d', '--no-show-raw-insn', agentLibrary(purpose)], {
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    });
    const instructions = listing.split('\n').filter((line) => /^\s+[0-9a-f]+:/.test(line));
    expect(instructions.length).toBeGreaterThan(500);
    expect(instructions.filter((line) => /%([xyz]?mm|st|k[0-7])/.test(line))).toEqual([]);
  });
});
