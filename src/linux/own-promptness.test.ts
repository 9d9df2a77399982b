import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { becomePrompt } from './own-promptness.ts';

/** Nice value and policy: fields 19 and 41 of proc(5); the first one here is field 3. */
function schedulingIn(stat: string): { nice: number; policy: number } {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { nice: Number(fields[16]), policy: Number(fields[38]) };
}

const own = (): ReturnType<typeof schedulingIn> =>
  schedulingIn(readFileSync('/proc/thread-self/stat', 'latin1'));

const child = (): ReturnType<typeof schedulingIn> =>
  schedulingIn(spawnSync('cat', ['/proc/self/stat'], { encoding: 'latin1' }).stdout);

describe('becomePrompt', () => {
  let undo = (): void => {};
  afterEach(() => undo());

  it('is what it says, for this thread alone, until it is undone', () => {
    const before = own();
    const prompt = becomePrompt();
    ({ undo } = prompt);
    const expected = {
      'real time': { policy: 2 },
      preferred: { policy: 0, nice: -20 },
      'short turns': before,
      usual: before,
    };
    expect(own()).toMatchObject(expected[prompt.promptness]);
    expect(child()).toEqual(before);
    undo();
    expect(own()).toEqual(before);
  });

  it('leaves alone what the user has made a real-time thread', (context) => {
    const first = becomePrompt();
    ({ undo } = first);
    if (first.promptness !== 'real time') context.skip('no real-time threads are allowed here');
    expect(becomePrompt().promptness).toBe('usual');
    expect(own().policy).toBe(2);
  });
});
