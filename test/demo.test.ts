/** `deadheat demo`: every engine finds the race of its example, and none in the mended one. */
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DEMOS } from '../src/cli/demos.ts';
import { deadheat } from './harness/deadheat.ts';
import { scratchFolder } from './harness/scratch.ts';

describe('the demo', () => {
  it.each(Object.keys(DEMOS))('of %s finds a race, and leaves nothing behind', (engine) => {
    const cwd = scratchFolder();
    const temporary = scratchFolder();
    const env = { ...process.env, TMPDIR: temporary };
    const { status, stdout } = deadheat(['demo', engine], { cwd, env });
    expect(stdout).toMatch(/^R1 \[[\s\S]*reported [1-9]\d* races?\n[\s\S]*reported 0 races\n/m);
    expect(stdout).toContain('The race was found, and the mended program is clean.');
    expect(status).toBe(0);
    expect([...readdirSync(cwd), ...readdirSync(temporary)]).toEqual([]);
  });

  it('says what it needs where there is no compiler', () => {
    const env = { ...process.env, CC: 'no-such-compiler' };
    const { status, stderr } = deadheat(['demo', 'threads'], { cwd: scratchFolder(), env });
    expect(stderr).toMatch(/^deadheat: there is no C compiler \(no-such-compiler\).*; install one/);
    expect(status).toBe(69);
  });
});
