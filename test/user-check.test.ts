/** `--check`: the user's command sees the files as a run has left them, and leaves nothing behind. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CheckResult } from '../src/procs/check/user-check.ts';
import {
  deadheat,
  deadheatAsPlainUser,
  nodeAsPlainUser,
  PROJECT,
  runToEnd,
  type Surroundings,
  shellAsPlainUser,
} from './harness/deadheat.ts';
import { folderContents } from './harness/folder-contents.ts';
import { sandboxedIn } from './harness/mounted.ts';
import { scratchFolder } from './harness/scratch.ts';

const shell = (script: string, around: Surroundings) => runToEnd('sh', ['-c', script], around);
const node = (args: readonly string[], around: Surroundings) =>
  runToEnd(process.execPath, args, around);

const BEFORE = `
  echo one > modified; echo gone > deleted; mkdir replaced gone-folder; echo old > replaced/old
  echo g > gone-folder/g; echo same > unchanged; echo f > file-to-folder; echo m > moded`;
const CHANGES = `
  echo new > created; echo more >> modified; rm deleted; rm -r gone-folder
  rm -r replaced; mkdir replaced; echo only > replaced/only; chmod 751 moded
  rm file-to-folder; mkdir file-to-folder; echo x > file-to-folder/in
  ln -s modified soft; mkfifo fifo; mkdir shut; echo s > shut/s; chmod 0200 shut/s; chmod 000 shut`;
/** All that there is to see, in one number. */
const SUMMARY =
  "stat -c %a shut; chmod 700 shut; find . -name .deadheat -prune -o -printf '%P %y %m %l %U\\n' | grep -v '^ ' | sort >/dev/shm/$$; cat modified created replaced/* >>/dev/shm/$$; md5sum </dev/shm/$$; rm /dev/shm/$$";

interface Script {
  commands: string[];
  seconds?: number;
  cwd: string;
  run: string;
}

/** Runs with the built modules: recorded and branch are the same run. */
const program = ({ commands, seconds = 30, cwd, run }: Script): string => `
  import { readFileSync } from 'node:fs';
  import { runUserCheck } from '${PROJECT}dist/procs/check/user-check.js';
  import { differingPaths, FinalFiles } from '${PROJECT}dist/procs/check/final-files.js';
  const [cwd, run] = ${JSON.stringify([cwd, run])};
  const { files } = JSON.parse(readFileSync(run + '/run.json', 'utf8'));
  const layers = files.layers.map(({ place, changes }) => ({ place, upper: run + '/' + changes }));
  const outcome = { exit: { signal: 11 }, hung: false, deaths: [], leftovers: [],
    stdout: run + '/stdout', stderr: run + '/stderr', layers };
  const results = [];
  for (const command of ${JSON.stringify(commands)}) {
    const check = { command, cwd, hidden: cwd + '/.deadheat', seconds: ${seconds} };
    results.push(await runUserCheck(check, { recorded: outcome, branch: outcome }, run + '/check'));
  }
  const changed = differingPaths(new FinalFiles(layers), new FinalFiles([]));
  console.log(JSON.stringify({ results, changed }));`;

describe.each([
  ['root', deadheat, shell, node],
  ['a plain user', deadheatAsPlainUser, shellAsPlainUser, nodeAsPlainUser],
])('as %s', (_who, run, native, runNode) => {
  function recorded(before: string, changes: string): { cwd: string; run: string } {
    const cwd = scratchFolder();
    expect(native(before, { cwd })).toMatchObject({ status: 0, stderr: '' });
    const args = ['record', '-q', '--', 'sh', '-ec', changes];
    expect(run(args, { cwd })).toMatchObject({ status: 0, stderr: '' });
    const path = join(cwd, '.deadheat/procs-1');
    writeFileSync(join(path, 'stdout'), 'said\n');
    writeFileSync(join(path, 'stderr'), 'complained\n');
    return { cwd, run: path };
  }
  function check(
    place: { cwd: string; run: string },
    commands: string[],
    seconds?: number,
  ): { results: CheckResult[]; changed: string[] } {
    const script = program({ ...place, commands, ...(seconds !== undefined && { seconds }) });
    const { stdout, stderr } = runNode(['--input-type=module', '-e', script], { cwd: place.cwd });
    expect(stderr).toBe('');
    return JSON.parse(stdout);
  }

  it('shows the files as the run has left them, and changes neither these nor the real ones', () => {
    const alone = scratchFolder();
    native(BEFORE, { cwd: alone });
    expect(native(`set -e; ${CHANGES}`, { cwd: alone }).status).toBe(0);
    const expected = native(SUMMARY, { cwd: alone }).stdout;
    const place = recorded(BEFORE, CHANGES);
    const [before, kept] = [folderContents(place.cwd), folderContents(place.run)];
    const spoil =
      'rm -rf modified replaced created; echo x >> moded; echo y > z; ls shut 2>/dev/null';
    const { results, changed } = check(place, [SUMMARY, spoil, SUMMARY]);
    expect(results[0]).toEqual({ exit: { code: 0 }, output: expected });
    expect(results[2]).toEqual(results[0]);
    expect(folderContents(place.cwd)).toEqual(before);
    expect(folderContents(place.run)).toEqual(kept);
    const inside = changed.map((path) => path.slice(place.cwd.length + 1));
    expect(inside).toEqual(
      [
        ...['created', 'deleted', 'fifo', 'file-to-folder', 'file-to-folder/in', 'gone-folder'],
        ...['moded', 'modified', 'replaced/old', 'replaced/only', 'shut', 'shut/s', 'soft'],
      ].sort(),
    );
  });

  it('tells of both runs', () => {
    const place = recorded('echo old > file; echo x > gone', 'echo new > file; rm gone');
    const { results } = check(place, [
      'echo $DEADHEAT_EXIT; pwd; cat $DEADHEAT_BRANCH/stdout $DEADHEAT_RECORDED/stderr; cat; id -u',
      'cat file $DEADHEAT_RECORDED/changes$PWD/file; test -c $DEADHEAT_BRANCH/changes$PWD/gone',
      'echo x > $DEADHEAT_RECORDED/changes$PWD/file',
      'echo x > $DEADHEAT_RECORDED/stdout',
      'kill -9 $$',
    ]);
    const user = native('id -u', { cwd: place.cwd }).stdout;
    expect(results[0]?.output).toBe(`SIGSEGV\n${place.cwd}\nsaid\ncomplained\n${user}`);
    expect(results[1]).toEqual({ exit: { code: 0 }, output: 'new\nnew\n' });
    for (const refused of [results[2], results[3]]) {
      expect(refused?.exit).not.toEqual({ code: 0 });
      expect(refused?.output).toMatch(/Read-only file system/);
    }
    expect(results[4]?.exit).toEqual({ signal: 9 });
    expect(readFileSync(join(place.run, 'stdout'), 'utf8')).toBe('said\n');
  });

  it('does not wait for ever, nor for what the check leaves running', () => {
    const place = recorded(':', 'echo new > file');
    const started = performance.now();
    // The first has ten seconds to end in, the second takes them all.
    const { results } = check(
      place,
      [
        'sleep 1000 & grep -qF $PWD /proc/self/mountinfo && echo early; exit 3',
        'echo slow; sleep 1000',
      ],
      10,
    );
    expect(results).toEqual([{ exit: { code: 3 }, output: 'early\n' }, { output: 'slow\n' }]);
    expect(performance.now() - started).toBeLessThan(900_000);
    expect(existsSync(join(place.run, 'check'))).toBe(false);
    expect(sandboxedIn(place.cwd)).toEqual([]);
  });
});

it('shows changes of file systems that are mounted apart under their paths', () => {
  const cwd = scratchFolder();
  for (const name of ['apart', 'other']) mkdirSync(join(cwd, name));
  chmodSync(cwd, 0o777);
  const run = join(cwd, '.deadheat/procs-1');
  const look =
    'cd $DEADHEAT_BRANCH/changes$PWD; cat here apart/there other/file apart/deep/er/f; ls; ls apart';
  const script = program({ cwd, run, commands: ['cat apart/there', look] });
  writeFileSync(join(cwd, 'script.mjs'), script);
  const record = `"${process.execPath}" "${PROJECT}dist/cli/main.js" record -q`;
  const lines = [
    'mount -t tmpfs test apart; mkdir -p apart/deep/er; mount -t tmpfs test apart/deep/er',
    `${record} -- sh -c 'for f in here apart/there other/file apart/deep/er/f; do echo $f >$f; done'`,
    `"${process.execPath}" script.mjs`,
  ];
  const { stdout } = runToEnd('unshare', ['--mount', 'sh', '-ec', lines.join('\n')], { cwd });
  const { results } = JSON.parse(stdout) as { results: CheckResult[] };
  expect(results.map(({ output }) => output)).toEqual([
    'apart/there\n',
    'here\napart/there\nother/file\napart/deep/er/f\napart\nhere\nother\ndeep\nthere\n',
  ]);
  expect(readdirSync(run)).not.toContain('check');
});

it('knows what was deleted where no notes of it could be kept', () => {
  const cwd = scratchFolder();
  const over = join(cwd, 'over');
  mkdirSync(over);
  const commands = ['cat f; ls; ls d; test ! -e g'];
  writeFileSync(
    join(cwd, 'script.mjs'),
    program({ cwd: over, run: join(over, '.deadheat/procs-1'), commands }),
  );
  const record = `"${process.execPath}" "${PROJECT}dist/cli/main.js" record -q`;
  const lines = [
    'mkdir layers; mount -t tmpfs test layers; cd layers; mkdir -p lower/d upper work; cd ..',
    'echo old > layers/lower/f; echo old > layers/lower/g; echo x > layers/lower/d/x',
    'mount -t overlay test -o lowerdir=layers/lower,upperdir=layers/upper,workdir=layers/work over',
    'cd over',
    `${record} -- sh -c 'echo new > f; rm g; rm -r d; mkdir d; echo y > d/y'`,
    `"${process.execPath}" ../script.mjs`,
  ];
  const { stdout } = runToEnd('unshare', ['--mount', 'sh', '-ec', lines.join('\n')], { cwd });
  const { results, changed } = JSON.parse(stdout) as { results: CheckResult[]; changed: string[] };
  expect(results).toEqual([{ exit: { code: 0 }, output: 'new\nd\nf\ny\n' }]);
  expect(changed.map((path) => path.slice(over.length + 1))).toEqual(['d/x', 'd/y', 'f', 'g']);
});
