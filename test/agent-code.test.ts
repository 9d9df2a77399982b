/** Clones call the agent while vector registers are in use: it must not touch them, nor those of the x87. */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { agentLibrary } from '../src/linux/agent-library.ts';

describe('the code of the agent', () => {
  it('has no vector registers', () => {
    const listing = execFileSync('objdump', ['-d', '--no-show-raw-insn', agentLibrary('tracing')], {
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    });
    const instructions = listing.split('\n').filter((line) => /^\s+[0-9a-f]+:/.test(line));
    expect(instructions.length).toBeGreaterThan(1000);
    expect(instructions.filter((line) => /%([xyz]?mm|st|k[0-7])/.test(line))).toEqual([]);
  });
});
