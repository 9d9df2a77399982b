/** The report on terminals of any width. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { displayWidth } from '../src/base/display-width.ts';
import { deadheat, PROJECT } from './harness/deadheat.ts';
import { onTerminal } from './harness/terminal.ts';

const cwd = mkdtempSync(join(tmpdir(), 'deadheat-test-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));
beforeAll(() => {
  cpSync(join(PROJECT, 'examples/procs/lost-update'), cwd, { recursive: true });
  deadheat(['procs', '--no-validate', '-q', '--', 'sh', 'racy.sh'], { cwd });
});

const REPORT = ['deadheat', 'report'];
const shownIn = async (columns: number): Promise<string[]> => {
  const { text } = await onTerminal(REPORT, cwd, () => {}, { columns });
  return text.split('\r\n');
};

describe('the report', () => {
  it.each([40, 80, 200])('fits a terminal of %d columns', async (columns) => {
    const lines = await shownIn(columns);
    expect(lines[0]).toMatch(/^R1 \[not validated yet\]/);
    for (const line of lines.filter((one) => !one.startsWith('deadheat: '))) {
      expect(displayWidth(line)).toBeLessThanOrEqual(columns);
    }
  });

  it('has both orders side by side where there is room, and one under the other where not', async () => {
    expect((await shownIn(80)).join('\n')).toMatch(/what happened +│ the other way round/);
    const narrow = await shownIn(40);
    expect(narrow).toContain('    what happened');
    expect(narrow).toContain('    the other way round');
    expect(narrow.join('\n')).not.toContain('│');
  });

  it('is as wide as usual where there is no terminal, and has colours for people only', async () => {
    const { stdout } = deadheat(['report'], { cwd });
    expect(stdout).toMatch(/what happened +│ the other way round/);
    expect(stdout).not.toContain('\x1b');
    expect((await onTerminal(REPORT, cwd)).raw).toContain('\x1b[1m');
    const environment = { NO_COLOR: '1' };
    const plain = await onTerminal(REPORT, cwd, () => {}, { environment });
    expect(plain.raw).toBe(plain.text);
  });

  it('tells the rest with --verbose', () => {
    const { stdout } = deadheat(['report', '--verbose'], { cwd });
    expect(stdout).toContain('What happened before what');
    expect(stdout).toContain('was created by');
  });
});
