/** `validate`, and `procs`, which validates too: which races do harm, and what the options change. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Report } from '../src/report/model.ts';
import { deadheat, deadheatAsPlainUser } from './harness/deadheat.ts';
import { inGoodOrder } from './harness/good-order.ts';
import { sandboxedIn } from './harness/mounted.ts';
import { scratchFolder } from './harness/scratch.ts';

/** The second one fails if it comes first. */
const NO_FOLDER = 'mkdir d & { sleep 0.1; echo x >d/f; } & wait';
/** Whoever comes last wins: no harm, unless somebody says so. */
const LAST_WINS = 'echo a >f & { sleep 0.1; echo b >f; } & wait; cat f';
/** One update may get lost, of which only the file tells. */
const COUNTER =
  'echo 0 >c; { read n <c; echo $((n+1)) >c; } & { sleep 0.1; read n <c; echo $((n+1)) >c; } & wait; cat c';
/** The second one waits for ever if it comes first. */
const HANGS = ': >flag & { sleep 0.1; [ -e flag ] || sleep 86413; } & wait';
/** What comes before what, nobody can tell from the calls: the second one asks until it is there. */
const POLLS =
  '(sleep 0.1; echo 1 >data; : >flag) & (until [ -e flag ]; do sleep 0.03; done; cat data) & wait';

const ALL = { NO_FOLDER, LAST_WINS, COUNTER, HANGS, POLLS };
/** What each prints if all goes well. */
const PRINTED = { NO_FOLDER: '', LAST_WINS: 'b\n', COUNTER: '2\n', HANGS: '', POLLS: '1\n' };
/** Much longer than any of them takes, but for the one that may hang. */
const LONGEST = ['--duration', '60'];

/** One folder in which all are recorded, each once. */
let cwd = '';
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'deadheat-test-'));
  for (const name of Object.keys(ALL) as (keyof typeof ALL)[]) {
    const run = `.deadheat/${name}`;
    inGoodOrder(() => {
      rmSync(join(cwd, run), { recursive: true, force: true });
      const args = ['record', '-q', ...LONGEST, '-o', run, '--', 'sh', '-c', ALL[name]];
      const { status, stdout, stderr } = deadheat(args, { cwd });
      const { reason } = JSON.parse(readFileSync(join(cwd, run, 'run.json'), 'utf8'));
      expect(status).toBe(0);
      return { isGood: stdout === PRINTED[name] && stderr === '' && reason === undefined };
    });
  }
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

interface Validated {
  status: number | null;
  /** `harmful d`: the verdict, and what the race is about. */
  races: string[];
  evidence: string;
  warnings: string;
}

function told(status: number | null, json: string, folder = cwd): Validated {
  const { races, warnings = [] } = JSON.parse(json) as Report;
  return {
    status,
    races: races.map(
      ({ verdict, object }) => `${verdict} ${object.name.replace(`${folder}/`, '')}`,
    ),
    evidence: races.map(({ evidence }) => evidence ?? '').join('\n'),
    warnings: warnings.join('\n'),
  };
}

function validated(name: keyof typeof ALL, ...options: string[]): Validated {
  const { status, stdout } = deadheat(
    ['validate', '-q', `.deadheat/${name}`, '--json', '-', ...options],
    { cwd },
  );
  return told(status, stdout);
}

describe('a race that is run the other way round', () => {
  it('is harmful if that ends worse', () => {
    const { status, races, evidence } = validated('NO_FOLDER');
    expect(races).toEqual(['harmful d']);
    expect(evidence).toMatch(/cannot create d\/f: Directory nonexistent/);
    expect(status).toBe(66);
  });

  it('is benign if it does not, and then nobody needs to hear of it', () => {
    const { status, races } = validated('LAST_WINS');
    expect(races).toEqual(['benign f']);
    expect(status).toBe(0);
    const { stdout } = deadheat(['report', '.deadheat/LAST_WINS'], { cwd });
    expect(stdout).toMatch(/^deadheat: 1 race did no harm the other way round; --all shows it/);
    expect(stdout).toMatch(/^deadheat: reported 0 races of 1: 1 benign$/m);
  });

  it('is said to have gone astray if the program takes another way, and where', () => {
    const { status, races, evidence } = validated('POLLS');
    expect(races.filter((race) => race !== 'benign flag')).toContain('diverged data');
    expect(evidence).toMatch(/ instead of .*, after newfstatat\("flag"\) = -2 instead of 0/);
    expect(status).toBe(0);
  });

  it('is harmful if it does not end in time, and nothing is left of that', () => {
    const { races, evidence, status } = validated('HANGS', '--timeout', '10s');
    expect(races).toEqual(['harmful flag']);
    expect(evidence).toBe('does not end; still running: sleep');
    expect(status).toBe(66);
    expect(sandboxedIn(cwd)).toEqual([]);
  });
});

describe('--check', () => {
  it('makes a race harmful if it fails then, and not if it does not', () => {
    const { races, evidence, warnings } = validated('LAST_WINS', '--check', 'grep -qx b f');
    expect(races).toEqual(['harmful f']);
    expect(evidence).toBe('the check grep -qx b f fails: exit status 1');
    expect(warnings).toBe('');
    expect(validated('LAST_WINS', '--check', 'test -s f')).toMatchObject({
      races: ['benign f'],
      warnings: '',
    });
  });

  it('tells nothing if it fails for the recorded run already, and says so', () => {
    const { races, warnings } = validated('LAST_WINS', '--check', 'grep -qx a f');
    expect(races).toEqual(['benign f']);
    expect(warnings).toBe(
      "--check 'grep -qx a f' fails for the recorded run already, and so tells nothing",
    );
  });
});

describe('files', () => {
  it('that no serial order would leave are harm, whether one race is tried at once or two', () => {
    for (const jobs of ['1', '2']) {
      const { races, evidence } = validated('COUNTER', '--jobs', jobs);
      expect(races[0]).toBe('harmful c');
      expect(evidence).toMatch(/^unlike after every serial order: c\n@@ -1 \+1 @@\n-2\n\+1/);
    }
  });

  it('are no harm if they are to be ignored', () => {
    const { races, status } = validated('COUNTER', '--ignore-files', 'c');
    expect(new Set(races)).toEqual(new Set(['benign c']));
    expect(status).toBe(0);
  });
});

describe('time', () => {
  it('that is up before anything was tried leaves races as they were found', () => {
    const { races, warnings, status } = validated('NO_FOLDER', '--budget', '0.001s');
    expect(races).toEqual(['detected d']);
    expect(warnings).toBe('there was no time left for 1 of 1 races');
    expect(status).toBe(66);
  });
});

describe('procs', () => {
  const procs = (
    options: string[],
    program: string,
    run = deadheat,
  ): Validated & { cwd: string } => {
    return inGoodOrder(() => {
      const folder = scratchFolder();
      const args = ['procs', '-q', '--json', 'r.json', ...options, '--', 'sh', '-c', program];
      const { status, stderr } = run(args, { cwd: folder });
      const json = readFileSync(join(folder, 'r.json'), 'utf8');
      const isGood = !stderr.includes('cannot create');
      return { ...told(status, json, folder), cwd: folder, isGood };
    });
  };

  it('validates what it has found, as a plain user too', () => {
    expect(procs([], NO_FOLDER, deadheatAsPlainUser)).toMatchObject({
      status: 66,
      races: ['harmful d'],
      warnings: '',
    });
  });

  it('only finds races if told to', () => {
    expect(procs(['--no-validate'], LAST_WINS)).toMatchObject({
      status: 66,
      races: ['detected f'],
    });
  });

  it('validates before it keeps the changes; afterwards it is too late', () => {
    const { cwd: folder, races } = procs(['--keep'], NO_FOLDER);
    expect(races).toEqual(['harmful d']);
    expect(readFileSync(join(folder, 'd/f'), 'utf8')).toBe('x\n');
    for (const command of ['validate', 'replay']) {
      expect(deadheat([command], { cwd: folder })).toEqual({
        ...{ status: 69, signal: null, stdout: '' },
        stderr:
          'deadheat: procs-1 cannot be run again: its changes were kept, so that the files are no longer as they were when it started; record it without --keep and --in-place\n',
      });
    }
  });

  it('only finds races in place', () => {
    const { cwd: folder, races, status } = procs(['--in-place'], NO_FOLDER);
    expect(races).toEqual(['detected d']);
    expect(status).toBe(66);
    expect(existsSync(join(folder, 'd/f'))).toBe(true);
    const { status: refused, stderr } = deadheat(['validate'], { cwd: folder });
    expect(refused).toBe(69);
    expect(stderr).toMatch(/procs-1 cannot be run again: it was recorded in place/);
  });

  it('compares with the recorded run if that failed, and says so', () => {
    const { races, warnings } = procs([], `${NO_FOLDER}; exit 3`);
    expect(races).toEqual(['harmful d']);
    expect(warnings).toBe(
      'the command ended with status 3 already as it was recorded; other orders are compared with that',
    );
  });

  it('tells what it has found if the program cannot be run again', () => {
    const folder = scratchFolder();
    const args = ['procs', '-q', '--json', '-', '--', 'sh', '-c', `cat >/dev/null; ${NO_FOLDER}`];
    const input = Buffer.alloc(1_100_000);
    const { status, stdout, stderr } = deadheat(args, { cwd: folder, input });
    expect(told(status, stdout, folder)).toMatchObject({ status: 66, races: ['detected d'] });
    expect(stderr).toBe(
      'deadheat: warning: races were found, but not tried: the program read 1100000 bytes of input, more than a pipe can hold; record it with its input from a file: CMD < FILE\n',
    );
  });
});
