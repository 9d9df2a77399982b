/** From a race to everything that can be made of it. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deadheat, LAUNCHER, PROJECT, runToEnd } from './harness/deadheat.ts';
import { scratchFolder } from './harness/scratch.ts';
import { onTerminal } from './harness/terminal.ts';

function racyRun(): string {
  const cwd = scratchFolder();
  cpSync(join(PROJECT, 'examples/procs/lost-update'), cwd, { recursive: true });
  return cwd;
}

describe('a report', () => {
  it('tells both sides, the place and where the processes came from', () => {
    const { stdout, status } = deadheat(['procs', '-v', '--no-validate', '--', 'sh', 'racy.sh'], {
      cwd: racyRun(),
    });
    expect(status).toBe(66);
    expect(stdout).toMatch(
      /^\d\n={18}\nWARNING: deadheat: load-store race \(pid=\d+\) \[not validated yet\]/,
    );
    expect(stdout).toMatch(
      / {2}Previous (load|store) of .*\/counter by process (sh|cat) \(pid \d+\)/,
    );
    expect(stdout).toMatch(/Location is file .*\/counter/);
    expect(stdout).toMatch(/Process sh \(pid \d+\) was created by sh \(pid \d+\) at: fork/);
    expect(stdout).toMatch(
      /SUMMARY: deadheat: load-store race on .*counter in (sh|cat) and (sh|cat)/,
    );
  });

  it('is the same whether made at once, later, or read back', () => {
    const cwd = racyRun();
    const first = deadheat(
      ['procs', '--no-validate', '-q', '--json', 'a.json', '--', 'sh', 'racy.sh'],
      { cwd },
    );
    const detected = deadheat(['detect', '--json', 'b.json'], { cwd });
    const reported = deadheat(['report', 'procs-1', '--json', '-'], { cwd });
    expect([first.status, detected.status, reported.status]).toEqual([66, 66, 66]);
    expect(readFileSync(join(cwd, 'b.json'), 'utf8')).toBe(
      readFileSync(join(cwd, 'a.json'), 'utf8'),
    );
    expect(reported.stdout).toBe(readFileSync(join(cwd, 'a.json'), 'utf8'));
  });

  it('sets the exit status that was asked for', () => {
    const cwd = racyRun();
    const args = ['procs', '--no-validate', '-q', '--error-exitcode', '7', '--', 'sh', 'racy.sh'];
    expect(deadheat(args, { cwd }).status).toBe(7);
  });

  it('leaves out what is suppressed and warns about rules that match nothing', () => {
    const cwd = racyRun();
    writeFileSync(join(cwd, 'known'), '# known\npath:counter\nprocess:ccache\n');
    const { status, stdout, stderr } = deadheat(
      ['procs', '--no-validate', '-q', '--suppressions', 'known', '--', 'sh', 'racy.sh'],
      { cwd },
    );
    expect(status).toBe(0);
    expect(stdout).toMatch(/suppressed \d+ races?:\n {2}\d+ by path:counter\n/);
    expect(stderr).toBe('deadheat: warning: known:3: suppression process:ccache matched nothing\n');
  });

  it('comes as SARIF with the same races', () => {
    const cwd = racyRun();
    deadheat(
      [
        'procs',
        '--no-validate',
        '-q',
        '--sarif',
        'out.sarif',
        '--json',
        'out.json',
        '--',
        'sh',
        'racy.sh',
      ],
      {
        cwd,
      },
    );
    const sarif = JSON.parse(readFileSync(join(cwd, 'out.sarif'), 'utf8'));
    const { races } = JSON.parse(readFileSync(join(cwd, 'out.json'), 'utf8'));
    const [run] = sarif.runs;
    expect(sarif.version).toBe('2.1.0');
    expect(run.results).toHaveLength(races.length);
    const [location] = run.results[0].locations;
    expect(location.physicalLocation.artifactLocation.uri).toBe('counter');
  });

  it('fits the JSON Schema that deadheat hands out', async () => {
    const cwd = racyRun();
    deadheat(['procs', '--no-validate', '-q', '--json', 'out.json', '--', 'sh', 'racy.sh'], {
      cwd,
    });
    const schema = JSON.parse(deadheat(['report', '--schema'], { cwd }).stdout);
    const { Ajv2020 } = await import('ajv/dist/2020.js');
    const validate = new Ajv2020({ strict: false }).compile(schema);
    expect(validate(JSON.parse(readFileSync(join(cwd, 'out.json'), 'utf8')))).toBe(true);
    expect(validate({ schema: 1, tool: 'deadheat' })).toBe(false);
  });
});

describe('several runs', () => {
  it('are analysed side by side and told in order; ls lists them, newest first', () => {
    const cwd = racyRun();
    for (const script of ['racy.sh', 'fixed.sh', 'racy.sh']) {
      deadheat(['record', '-q', '--', 'sh', script], { cwd });
    }
    const { status, stdout } = deadheat(
      ['detect', 'procs-1', 'procs-2', 'procs-3', '--jobs', '2'],
      { cwd },
    );
    expect(status).toBe(66);
    const counts = [...stdout.matchAll(/^(procs-\d):$|^deadheat: reported (\d+) race/gm)];
    expect(counts.map(([, name, count]) => name ?? Number(count) > 0)).toEqual([
      'procs-1',
      true,
      'procs-2',
      false,
      'procs-3',
      true,
    ]);
    const rows = JSON.parse(deadheat(['ls', '--json', '-'], { cwd }).stdout);
    expect(rows.map(({ run }: { run: string }) => run)).toEqual(['procs-3', 'procs-2', 'procs-1']);
    expect(deadheat(['ls'], { cwd }).stdout).toMatch(
      /^procs-2 +complete .* 0 races +sh fixed\.sh$/m,
    );
  });
});

describe('colour', () => {
  it.each([
    ['a terminal', ['procs', '--no-validate', '--', 'sh', 'racy.sh'], true],
    [
      'a terminal with --color never',
      ['procs', '--no-validate', '--color', 'never', '--', 'sh', 'racy.sh'],
      false,
    ],
  ])('on %s', async (_, args, wanted) => {
    const session = await onTerminal(['deadheat', ...args], racyRun());
    expect(session.text).toMatch(/R1 \[not validated yet\]/);
    expect(session.raw.includes('\x1b[')).toBe(wanted);
  });

  it('not in a pipe unless asked for', () => {
    const args = (color: string) => [
      'procs',
      '--no-validate',
      '-q',
      '--color',
      color,
      '--',
      'sh',
      'racy.sh',
    ];
    expect(deadheat(args('auto'), { cwd: racyRun(), env: { CI: 'true' } }).stdout).not.toMatch(
      '\x1b[',
    );
    expect(deadheat(args('always'), { cwd: racyRun() }).stdout).toMatch('\x1b[');
  });
});

it('output that goes nowhere is not fought over, output that goes somewhere is', () => {
  const cwd = scratchFolder();
  const program = "sh -c '(echo a; sleep 0.05; echo b) & (echo c; sleep 0.05; echo d) & wait'";
  const races = (to: string) =>
    runToEnd('sh', ['-c', `${LAUNCHER} procs --no-validate -q --json r -- ${program} >${to}`], {
      cwd,
    }).status;
  expect([races('/dev/null'), races('file')]).toEqual([0, 66]);
});
