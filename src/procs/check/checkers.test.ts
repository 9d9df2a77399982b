import { appendFileSync, chmodSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Signal } from '../../linux/signals.ts';
import { checkBranch } from './checkers.ts';
import { FinalFiles, finalFilesOfRuns } from './final-files.ts';
import type { Around, Finding } from './finding.ts';
import { ignoredFiles } from './ignored-files.ts';
import { NO_ORDER_IN_FILES } from './order-in-files.ts';
import type { RunOutcome } from './outcome.ts';
import { Place, type Run } from './testdata/layers.ts';

const { SIGSEGV, SIGTERM, SIGPIPE } = Signal;
const filesOf = ({ layers }: RunOutcome): FinalFiles => new FinalFiles(layers);

function around(place: Place, serial: readonly Run[] = [], ignored: string[] = []): Around {
  return {
    cwd: place.real,
    ignored: ignoredFiles(ignored, place.real),
    unstable: new Set(),
    orderIn: NO_ORDER_IN_FILES,
    filesOf: finalFilesOfRuns(),
    serialOrders: () => serial.map(filesOf),
  };
}

/** What is found in a branch when the recorded run was like this. */
function found(recorded: Partial<RunOutcome>, branch: Partial<RunOutcome>): Finding[] {
  const place = new Place();
  return checkBranch([place.run({}, recorded)], place.run({}, branch), around(place));
}

describe('how processes end', () => {
  const died = (...signals: number[]): Partial<RunOutcome> => ({
    deaths: signals.map((signal) => ({ program: 'sh', signal })),
  });

  it('tells of deaths that were not there before', () => {
    expect(found(died(), died(SIGSEGV))).toEqual([
      { checker: 'death', evidence: 'sh dies of SIGSEGV' },
    ]);
    expect(found(died(SIGTERM), died(SIGTERM, SIGTERM, SIGTERM))).toEqual([
      { checker: 'death', evidence: '2 × sh dies of SIGTERM' },
    ]);
    expect(found(died(SIGTERM), died(SIGTERM))).toEqual([]);
    expect(found(died(SIGTERM), died())).toEqual([]);
  });

  it('takes deaths by SIGPIPE as usual', () => {
    expect(found(died(SIGPIPE), died(SIGPIPE, SIGPIPE))).toEqual([]);
    expect(found(died(), died(SIGPIPE))).toEqual([]);
  });

  it('compares the exit status, whichever is the bad one', () => {
    const [good, bad] = [{ exit: { code: 0 } }, { exit: { code: 2 } }];
    expect(found(good, bad)).toEqual([
      { checker: 'exit-status', evidence: 'exit status 2 instead of 0' },
    ]);
    expect(found(bad, good)).toEqual([
      { checker: 'exit-status', evidence: 'exit status 0 instead of 2' },
    ]);
    expect(found(bad, bad)).toEqual([]);
    expect(found(good, { exit: { signal: SIGSEGV } })).toEqual([
      { checker: 'exit-status', evidence: 'death by SIGSEGV instead of exit status 0' },
    ]);
  });

  it('tells of a run that hangs, and of nothing else of it', () => {
    const hanging = { hung: true, leftovers: ['cat', 'sh'], exit: { signal: 9 }, ...died(9) };
    expect(found({}, hanging)).toEqual([
      { checker: 'hang', evidence: 'does not end; still running: cat, sh' },
    ]);
    expect(found({ hung: true }, hanging)).toEqual([]);
  });

  it('tells of what is left running', () => {
    expect(found({ leftovers: ['sleep'] }, { leftovers: ['cat', 'sleep'] })).toEqual([
      { checker: 'leftovers', evidence: 'still running after the end: cat' },
    ]);
    expect(found({ leftovers: ['sleep'] }, { leftovers: ['sleep'] })).toEqual([]);
  });

  it('does not hold against the other order what the recorded one does at times', () => {
    const place = new Place();
    const [once, again] = [place.run(), place.run({}, { exit: { code: 2 } })];
    const branch = place.run({}, { exit: { code: 2 } });
    expect(checkBranch([once, again], branch, around(place))).toEqual([]);
  });
});

describe('what processes say', () => {
  const said = (run: Run, text: string): Run => {
    appendFileSync(run.stderr, text);
    return run;
  };

  it('tells of errors on stderr that are new, wherever they stand', () => {
    const place = new Place();
    const recorded = said(place.run(), 'hello\nerror 17: old\n');
    const branch = said(place.run(), 'cannot open x\nerror 4: old\nerror 5: old\nhello\nmore\n');
    expect(checkBranch([recorded], branch, around(place))).toEqual([
      { checker: 'error-lines', evidence: 'cannot open x' },
    ]);
    expect(checkBranch([branch], recorded, around(place))).toEqual([]);
  });

  it('shows a few only, without colours and half lines', () => {
    const place = new Place();
    const lines = ['a', 'b', 'c', 'd', 'e'].map((name) => `\u001b[1mcannot open ${name}\u001b[0m`);
    const branch = said(place.run(), lines.join('\n'));
    const [finding] = checkBranch([place.run()], branch, around(place));
    expect(finding?.evidence).toBe('cannot open a\ncannot open b\ncannot open c\nand 2 more');
  });

  it('reads logs, with what stood in them before', () => {
    const place = new Place({ 'old.log': 'error: long ago\n' });
    const branch = place.run({
      'old.log': 'error: long ago\nfine\n',
      'new.err': 'fatal: lost\n',
      'text.txt': 'fatal: no log\n',
    });
    const inAllOrders = around(place, [branch]);
    expect(checkBranch([place.run()], branch, inAllOrders)).toEqual([
      { checker: 'error-lines', evidence: 'fatal: lost' },
    ]);
    const withoutErr = around(place, [branch], ['*.err']);
    expect(checkBranch([place.run()], branch, withoutErr)).toEqual([]);
  });

  it('says nothing if nobody knows what the recorded run said', () => {
    const place = new Place();
    const recorded = place.run();
    unlinkSync(recorded.stderr);
    expect(checkBranch([recorded], said(place.run(), 'error\n'), around(place))).toEqual([]);
  });
});

describe('the files at the end', () => {
  it('may be those of any serial order', () => {
    const place = new Place();
    const [ab, ba, lost] = ['a\nb\n', 'b\na\n', 'a\n'].map((list) => place.run({ list }));
    const serial = around(place, [ab!, ba!]);
    expect(checkBranch([ab!], ba!, serial)).toEqual([]);
    expect(checkBranch([ab!], lost!, serial)).toEqual([
      {
        checker: 'final-files',
        evidence: 'unlike after every serial order: list\n@@ -1,2 +1 @@\n a\n-b',
      },
    ]);
  });

  it('may be what the recorded order has spoilt, if that is what the race is about', () => {
    const place = new Place();
    const [lost, right] = [place.run({ counter: '1\n' }), place.run({ counter: '2\n' })];
    const serial = around(place, [right]);
    expect(checkBranch([lost], right, { ...serial, contested: place.at('counter') })).toEqual([
      {
        checker: 'final-files',
        evidence: 'as recorded, unlike after every serial order: counter\n@@ -1 +1 @@\n-2\n+1',
      },
    ]);
    expect(checkBranch([lost], right, { ...serial, contested: place.at('other') })).toEqual([]);
    expect(checkBranch([lost], right, serial)).toEqual([]);
  });

  it('may have lines in any order where more than the two that race append them', () => {
    const place = new Place();
    const of = (log: string) => place.run({ log, copy: log });
    const [abc, bac, cba, lost] = ['a\nb\nc\n', 'b\na\nc\n', 'c\nb\na\n', 'a\nc\n'].map(of);
    const judge = (branch: Run, appended: number, contested: string) => {
      const orderIn = {
        appended: new Map([[place.at('log'), appended]]),
        locked: new Set<string>(),
      };
      const known = { ...around(place, [abc!, bac!]), orderIn, contested: place.at(contested) };
      return checkBranch([abc!], branch, known).map(({ checker }) => checker);
    };
    expect(judge(cba!, 3, 'log')).toEqual([]);
    expect(judge(cba!, 2, 'folder')).toEqual([]);
    expect(judge(cba!, 2, 'log')).toEqual(['final-files']);
    expect(judge(lost!, 3, 'log')).toEqual(['final-files']);
  });

  it('may be anything where the programs lock them', () => {
    const place = new Place();
    const [one, other, third] = ['1', '2', '3'].map((db) => place.run({ db }));
    const orderIn = { appended: new Map(), locked: new Set([place.at('db')]) };
    const known = around(place, [one!, other!]);
    expect(checkBranch([one!], third!, known)).toHaveLength(1);
    expect(checkBranch([one!], third!, { ...known, orderIn })).toEqual([]);
  });

  it('are compared with serial orders only if they are not as recorded', () => {
    const place = new Place();
    const [one, same] = [place.run({ a: '1' }), place.run({ a: '1' })];
    const never = () => {
      throw new Error('not needed');
    };
    expect(checkBranch([one], same, { ...around(place), serialOrders: never })).toEqual([]);
  });

  it('are not judged without a serial order', () => {
    const place = new Place();
    expect(checkBranch([place.run({ a: '1' })], place.run({ a: '2' }), around(place))).toEqual([]);
  });

  it('are compared with the nearest order, and described', () => {
    const evidence = (
      files: Record<string, string>,
      change: (upper: string) => void = () => {},
    ) => {
      const place = new Place();
      const far = place.run({ a: 'x', b: 'x', c: 'x', d: 'x' });
      const near = place.run({ a: 'text\n', b: 'text\n' });
      const branch = place.run(files);
      change(branch.upper);
      const [finding] = checkBranch([far], branch, around(place, [far, near]));
      return finding?.evidence.replace('unlike after every serial order: ', '');
    };
    expect(evidence({ a: 'text\n' })).toBe('b\nb is missing');
    expect(evidence({ a: 'text\n', b: 'text\n', c: 'new' })).toBe(
      'c\nc is there: a file of 3 bytes',
    );
    expect(evidence({ a: 'text\n', b: 'te\0t\n' })).toBe('b\nbinary files b differ');
    expect(evidence({ a: 'text\n', 'b/': '' })).toBe(
      'b\nb is a folder instead of a file of 5 bytes',
    );
    const mode = (upper: string) => chmodSync(join(upper, 'b'), 0o640);
    expect(evidence({ a: 'text\n', b: 'text\n' }, mode)).toBe('b\nb has mode 640 instead of 644');
    const end = (upper: string) => writeFileSync(join(upper, 'b'), 'text');
    expect(evidence({ a: 'text\n' }, end)).toBe('b\nb differs at its end');
  });
});
