/** What people see on a terminal while something takes long, and that nobody else sees it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deadheat } from './harness/deadheat.ts';
import { scratchFolder } from './harness/scratch.ts';
import { onTerminal, type Session } from './harness/terminal.ts';

/** The lines that were drawn over each other, in their order: before each, the cursor goes back. */
const bars = ({ raw }: Session): string[] =>
  raw
    .split('\x1b')
    .map((piece) => piece.replace(/^(\[[\d;?]*[a-zA-Z]|[78])/, '').trimEnd())
    .filter((line) => /^[#.]{20} /.test(line));

const COUNTED = /^[#.]{20} \d+\/\d+ \S/;

/** Of two threads that take turns, with a lock: so long that nobody looks at it in no time. */
function longTrace(folder: string): void {
  const turn = (thread: number, i: number): string[] => [
    `T${thread}|acq(L)|1`,
    `T${thread}|w(V${i % 50})|${2 + thread}`,
    `T${thread}|rel(L)|4`,
  ];
  const turns = Array.from({ length: 300_000 }, (_, i) => turn(i % 2, i)).flat();
  writeFileSync(join(folder, 'long.std'), `T0|fork(T1)|9\n${turns.join('\n')}\n`);
}

describe('a step that takes long', () => {
  it('counts the functions that it copies, and is silent when the program runs', async () => {
    const cwd = scratchFolder();
    // None of its copies are there yet.
    const environment = { XDG_CACHE_HOME: join(cwd, 'cache') };
    const args = ['deadheat', 'trace', '--', 'gdb', '--version'];
    const session = await onTerminal(args, cwd, () => {}, { columns: 80, environment });
    const shown = bars(session);
    for (const line of shown) expect(line).toMatch(COUNTED);
    const copied = shown.filter((line) => line.includes('functions copied'));
    expect(copied.some((line) => /about \d+ s left/.test(line))).toBe(true);
    for (const line of shown) expect(line.length).toBeLessThan(80);
    // The last bar is cleared away before the program begins.
    const before = session.raw.slice(0, session.raw.indexOf('GNU gdb'));
    expect(before.slice(before.lastIndexOf('functions copied'))).toContain('\x1b[2K');

    const again = await onTerminal(args, cwd, () => {}, { environment });
    expect(again.text).not.toContain('functions copied');
  });

  it('counts the events that it predicts from, and nobody but people is told', async () => {
    const cwd = scratchFolder();
    longTrace(cwd);
    deadheat(['trace', '--import', 'long.std', '-q'], { cwd });
    const session = await onTerminal(['deadheat', 'predict'], cwd);
    expect(bars(session).some((line) => /\d+\/900001 events looked at/.test(line))).toBe(true);

    const quiet = await onTerminal(['deadheat', 'predict', '--quiet'], cwd);
    expect(bars(quiet)).toEqual([]);
    const piped = deadheat(['predict'], { cwd });
    expect(piped.stderr).not.toMatch(/[#.]{20}/);
  });

  it('counts the steps of a program that is run once more, whose output comes at its end', async () => {
    const cwd = scratchFolder();
    deadheat(['record', '-q', '--', 'sh', '-c', 'sleep 2; echo done'], { cwd });
    const session = await onTerminal(['deadheat', 'replay'], cwd);
    const shown = bars(session);
    expect(shown.some((line) => /[1-9]\d*\/\d+ recorded steps followed/.test(line))).toBe(true);
    for (const line of shown) expect(line).toMatch(COUNTED);
    // It is cleared away before the output comes.
    const end = session.raw.slice(session.raw.lastIndexOf('steps followed'));
    expect(end.slice(0, end.indexOf('done'))).toContain('\x1b[2K');
    const quiet = await onTerminal(['deadheat', 'replay', '--quiet'], cwd);
    expect(quiet.raw).not.toContain('steps followed');
  });

  it('counts what is read and run before the first race, and then as many races as it tells of', async () => {
    const cwd = scratchFolder();
    // Waits for sleep meet the job in passing, so that there are doubtful races, too.
    const script = '(sleep 1; echo made > result) & sleep 2; cat result; echo seen > other; wait';
    deadheat(['record', '-q', '--', 'sh', '-c', script], { cwd });
    const session = await onTerminal(['deadheat', 'validate', '--all'], cwd);
    const shown = bars(session);
    for (const line of shown) expect(line).toMatch(COUNTED);
    const first = (what: string): number => shown.findIndex((line) => line.includes(what));
    expect(first('recorded steps followed')).toBeGreaterThanOrEqual(0);
    expect(first('races tried')).toBeGreaterThan(first('recorded steps followed'));
    const totals = shown.flatMap((line) => /\/(\d+) races tried/.exec(line)?.[1] ?? []);
    const reported = /reported (\d+) race/.exec(session.text)?.[1];
    expect(new Set(totals)).toEqual(new Set([reported]));
  });
});
