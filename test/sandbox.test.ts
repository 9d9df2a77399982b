/** The sandbox: the user's files stay as they were, --keep makes the changes real, nothing is left behind. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  deadheat,
  deadheatAsPlainUser,
  LAUNCHER,
  PROJECT,
  runToEnd,
  type Surroundings,
  shellAsPlainUser,
} from './harness/deadheat.ts';
import { folderContents } from './harness/folder-contents.ts';
import { sandboxedIn } from './harness/mounted.ts';
import { scratchFolder } from './harness/scratch.ts';
import { onTerminal } from './harness/terminal.ts';

const shell = (script: string, around: Surroundings) => runToEnd('sh', ['-c', script], around);

const BEFORE = `
  echo one > modified; echo gone > deleted; echo moved > renamed-from; ln -s modified old-link
  mkdir folder-to-file replaced folder gone-folder locked; echo a > folder-to-file/a
  echo f > file-to-folder; echo old > replaced/old; echo in > folder/in; echo g > gone-folder/g
  echo m > moded; mkdir moded-folder; echo twin > twin-1; ln twin-1 twin-2; echo l > locked/l`;

const CHANGES = `
  echo new > created; echo more >> modified; rm deleted; mv renamed-from renamed-to
  rm -r folder-to-file; echo file > folder-to-file
  rm file-to-folder; mkdir file-to-folder; echo x > file-to-folder/in
  ln modified hard; ln -s modified soft; ln -sfn elsewhere old-link
  chmod 751 moded; chmod 2750 moded-folder; mkfifo fifo
  rm -r replaced; mkdir replaced; echo only > replaced/only
  mkdir -p deep/er; echo d > deep/er/file; mkdir shut; echo s > shut/s; chmod 500 shut
  touch -d '2001-02-03 04:05:06' dated; mv folder moved-folder; rm -r gone-folder
  rm twin-1 twin-2; echo x > locked/new; chmod 500 locked
  echo odd > 'na,me:with\\odd chars'; printf 'abc' > "$(printf 'caf\\351')"; truncate -s 100000 big`;

/** A few attributes of each kind, set by our own code: not every machine has setfattr. */
const SET_ATTRIBUTES = `
  import('${PROJECT}dist/linux/extended-attributes.js').then(({ setAttribute }) => {
    setAttribute('modified', 'user.mood', Buffer.from('good'));
    setAttribute('moded-folder', 'user.mood', Buffer.from('fine'));
    setAttribute('created', 'trusted.deep', Buffer.from('secret'));
  })`;

describe.each([
  ['root, with eBPF', 'bpf', deadheat, shell],
  ['root, with ptrace', 'ptrace', deadheat, shell],
  ['a plain user', 'auto', deadheatAsPlainUser, shellAsPlainUser],
])('as %s', (who, recorder, run, native) => {
  const record = ['record', '-q', '--recorder', recorder];
  const folderWith = (before: string): string => {
    const cwd = scratchFolder();
    expect(native(before, { cwd })).toMatchObject({ status: 0, stderr: '' });
    return cwd;
  };
  const inFolder = (cwd: string, script: string, ...options: string[]) =>
    run([...record, ...options, '--', 'sh', '-ec', script], { cwd, env: { HOME: cwd } });

  it('leaves the files as they were, and says where the changed ones are', () => {
    const cwd = folderWith(BEFORE);
    const before = folderContents(cwd);
    const args = ['record', '--recorder', recorder, '--', 'sh', '-ec', `${CHANGES}; cat modified`];
    const { status, stdout, stderr } = run(args, { cwd });
    expect(status).toBe(0);
    expect(stdout).toBe('one\nmore\n');
    expect(folderContents(cwd)).toEqual(before);
    const changed = /the files that it changed are in (\S+); --keep/.exec(stderr)?.[1] ?? '';
    const found = readdirSync(changed, { recursive: true, encoding: 'utf8' });
    expect(found.some((path) => path.endsWith('/created'))).toBe(true);
    const { files } = JSON.parse(readFileSync(join(cwd, '.deadheat/procs-1/run.json'), 'utf8'));
    expect(files).toMatchObject({ in: 'sandbox', kept: false });
    const { place, changes } = files.layers.at(-1);
    expect(statSync(join(cwd, '.deadheat/procs-1', changes)).isDirectory()).toBe(true);
    expect(cwd.startsWith(place)).toBe(true);
  });

  it('keeps what a native run would have left, if told to', () => {
    const attributes = who === 'a plain user' ? '' : `; node -e "${SET_ATTRIBUTES}"`;
    const [alone, recorded] = [folderWith(BEFORE), folderWith(BEFORE)];
    expect(native(`set -e; ${CHANGES}${attributes}`, { cwd: alone }).status).toBe(0);
    expect(inFolder(recorded, CHANGES + attributes, '--keep')).toMatchObject({
      status: 0,
      stderr: '',
    });
    expect(folderContents(recorded)).toEqual(folderContents(alone));
    // Node cannot remove a name that is not UTF-8.
    for (const cwd of [alone, recorded]) shell('rm caf*', { cwd });
    expect(readdirSync(join(recorded, '.deadheat/procs-1')).sort()).toEqual([
      'program.json',
      'run.json',
      'trace.bin',
    ]);
  });

  it('keeps what a program did before it failed or was killed', () => {
    const cwd = folderWith(':');
    expect(inFolder(cwd, 'echo 1 > a; exit 3', '--keep').status).toBe(3);
    expect(inFolder(cwd, 'echo 2 > b; kill -SEGV $$', '--keep').signal).toBe('SIGSEGV');
    expect(folderContents(cwd).map((line) => line.split(' ').at(-1))).toEqual(['1\n', '2\n']);
  });

  it('does not touch what somebody else has changed meanwhile', () => {
    const cwd = folderWith('echo old > mine; echo old > theirs; mkdir d; echo old > d/theirs');
    // Each side goes on when it sees the other's file; the way out of the sandbox is a descriptor.
    const inside =
      'echo program > mine; echo program > theirs; rm -r d; echo program > new; echo done >&9; read ok <&8';
    const outside =
      'read done <&7; echo else > theirs; echo else > d/theirs; echo else > new; echo ok >&6';
    writeFileSync(
      join(cwd, 'outside.sh'),
      `
      mkfifo there back; exec 7<>there 9<>there 8<>back 6<>back; rm there back
      (${outside}) & exec "$@"`,
    );
    const args = `sh outside.sh "${LAUNCHER}" ${record.join(' ')} --keep -- sh -c '${inside}'`;
    const { stderr } = native(args, { cwd });
    const read = (name: string) => readFileSync(join(cwd, name), 'utf8');
    expect([read('mine'), read('theirs'), read('d/theirs'), read('new')]).toEqual([
      'program\n',
      'else\n',
      'else\n',
      'else\n',
    ]);
    for (const name of ['theirs', 'd/theirs', 'new']) {
      expect(stderr).toMatch(
        new RegExp(`did not change ${join(cwd, name)}: somebody else has changed it`),
      );
    }
    expect(stderr).toMatch(/what could not be changed is in /);
  });

  it('gives the program its own user, and process numbers with a reaper of orphans', () => {
    const cwd = scratchFolder();
    const orphan =
      '(p=$$; while [ $p = $$ ]; do read -r _ _ _ p _ </proc/self/stat; done; echo orphan of $p) &';
    const script = `id -u; id -g; echo $$ $PPID; sh -c '${orphan}'`;
    const { stdout } = inFolder(cwd, script);
    const id = who === 'a plain user' ? '65534' : '0';
    expect(stdout).toMatch(new RegExp(`^${id}\\n${id}\\n3 2\\norphan of 1\\n$`));
  });

  it('waits for what outlives the command, and gives the command’s own status', () => {
    const { status, stdout } = inFolder(scratchFolder(), '(sleep 0.3; echo late) & exit 7');
    expect([status, stdout]).toEqual([7, 'late\n']);
  });

  it('is a place where ordinary work gets done', () => {
    const cwd = folderWith('printf "all: a.txt\\na.txt:\\n\\techo made > a.txt\\n" > Makefile');
    const work = `
      make -s; cat a.txt; git init -q . 2>/dev/null; git -c user.name=a -c user.email=b add Makefile
      git -c user.name=a -c user.email=b commit -qm first; git log --format=%s
      sqlite3 db 'create table t(x); insert into t values(42); select x from t'
      t=$(mktemp); echo temporary > $t; cat $t; echo x > /dev/null; cat /proc/self/comm
      ls -A .deadheat | wc -l`;
    const { stdout, stderr, status } = inFolder(cwd, work);
    expect({ stdout, stderr, status }).toEqual({
      stdout: 'made\nfirst\n42\ntemporary\ncat\n0\n',
      stderr: '',
      status: 0,
    });
    expect(readdirSync(cwd).sort()).toEqual(['.deadheat', 'Makefile']);
  });

  it.each(['a,b:c\\d e', 'line\nbreak', 'ümläut%20"\''])('works in a folder named %j', (name) => {
    const cwd = join(folderWith(':'), name);
    mkdirSync(cwd);
    chmodSync(cwd, 0o777);
    expect(inFolder(cwd, 'echo x > made; cat made').stdout).toBe('x\n');
    expect(readdirSync(cwd)).toEqual(['.deadheat']);
    expect(inFolder(cwd, 'echo x > made', '--keep', '-o', join(cwd, `${name} 2`)).status).toBe(0);
    expect(readdirSync(cwd).sort()).toEqual(['.deadheat', 'made', `${name} 2`].sort());
  });
});

it('works in a folder whose name is not UTF-8, and with such a run directory', () => {
  const cwd = scratchFolder();
  const script = `
    d=$(printf 'caf\\351'); mkdir $d; cd $d
    "${LAUNCHER}" record -q -- sh -c 'echo x > made; cat made'; ls -A
    "${LAUNCHER}" record -q --keep -o $d -- sh -c 'echo y > made'; cat made; ls $d
    "${LAUNCHER}" detect -q $d > /dev/null && "${LAUNCHER}" detect -q latest > /dev/null && echo good
    cd ..; rm -r $d`;
  const { stdout, stderr } = runToEnd('sh', ['-c', script], { cwd });
  expect({ stdout, stderr }).toEqual({
    stdout: 'x\n.deadheat\ny\nprogram.json\nrun.json\ntrace.bin\ngood\n',
    stderr: '',
  });
});

describe('what a sandbox does not hide', () => {
  it('a file that was opened outside is really written', () => {
    const cwd = scratchFolder();
    const record = `"${LAUNCHER}" record -q -- sh -c 'echo out; echo three >&3; echo no > by-name'`;
    runToEnd('sh', ['-c', `${record} > out 3> three`], { cwd });
    expect(readFileSync(join(cwd, 'out'), 'utf8')).toBe('out\n');
    expect(readFileSync(join(cwd, 'three'), 'utf8')).toBe('three\n');
    expect(existsSync(join(cwd, 'by-name'))).toBe(false);
  });

  it('a terminal is the same terminal', async () => {
    const cwd = scratchFolder();
    const both = 'tty; deadheat record -q -- sh -c "tty; echo from-terminal > /dev/tty"';
    const { text } = await onTerminal(['sh', '-c', both], cwd);
    const [outside, inside, written] = text.trim().split(/\r?\n/);
    expect(outside).toMatch(/^\/dev\/pts\/\d+$/);
    expect([inside, written]).toEqual([outside, 'from-terminal']);
  });

  it('--in-place changes the real files', () => {
    const cwd = scratchFolder();
    deadheat(['record', '-q', '--in-place', '--', 'sh', '-c', 'echo x > made'], { cwd });
    expect(readFileSync(join(cwd, 'made'), 'utf8')).toBe('x\n');
    const { files } = JSON.parse(readFileSync(join(cwd, '.deadheat/procs-1/run.json'), 'utf8'));
    expect(files).toEqual({ in: 'place' });
  });
});

describe('file systems that are mounted apart', () => {
  /** In mounts of its own, which go away with it. */
  const apart = (cwd: string, ...lines: string[]) =>
    runToEnd('unshare', ['--mount', 'sh', '-ec', lines.join('\n')], { cwd });
  const record = `"${process.execPath}" "${join(PROJECT, 'dist/cli/main.js')}" record -q`;

  it.each(['bpf', 'ptrace'])('have a layer of their own, with %s', (recorder) => {
    const cwd = scratchFolder();
    mkdirSync(join(cwd, 'a, b'));
    const { stdout, status } = apart(
      cwd,
      'mount -t tmpfs test "a, b"; echo old > "a, b/f"; mkdir "a, b/inner"',
      'mount -t tmpfs -o noexec test "a, b/inner"; echo old > "a, b/inner/g"',
      `${record} --recorder ${recorder} -- sh -c 'cd "a, b"; echo new > f; echo new > inner/g; cat f inner/g; cp /bin/true inner; inner/true || echo noexec'`,
      'cat "a, b/f" "a, b/inner/g"; ls "a, b/inner"',
      `${record} --keep --recorder ${recorder} -- sh -c 'cd "a, b"; echo new > f; rm inner/g'`,
      'cat "a, b/f"; ls "a, b/inner"',
    );
    expect(stdout).toBe('new\nnew\nnoexec\nold\nold\ng\nnew\n');
    expect(status).toBe(0);
  });

  it('are kept in memory while the program runs if the disk cannot hold their changes', () => {
    const cwd = scratchFolder();
    mkdirSync(join(cwd, 'over'));
    const script = 'echo new > f; rm g; rm -r d; mkdir d; echo y > d/y';
    // All happens on an overlay, which cannot be the upper layer of another one.
    const { stdout, status } = apart(
      cwd,
      'mkdir layers; mount -t tmpfs test layers; cd layers; mkdir lower upper work',
      'echo old > lower/f; echo old > lower/g; mkdir lower/d; echo x > lower/d/x; cd ..',
      'mount -t overlay test -o lowerdir=layers/lower,upperdir=layers/upper,workdir=layers/work over',
      'cd over',
      `${record} -o run -- sh -c '${script}; cat f; echo *'`,
      'cat f g; echo *; cd run/changes/*; find . -type f | grep -o "[^/]*$" | sort; cd ../../..',
      `${record} --keep -- sh -c '${script}'`,
      'cat f; find f d; [ ! -e g ]',
    );
    expect(stdout).toMatch(
      /^new\nd f run\nold\nold\nd f g run\n(deleted\n)?f\n(replaced\n)?y\nnew\nf\nd\nd\/y\n$/,
    );
    expect(status).toBe(0);
  });
});

describe('where no sandbox can be had', () => {
  it('says what was refused and what to do; --in-place does without', () => {
    const cwd = scratchFolder();
    const main = `"${process.execPath}" "${join(PROJECT, 'dist/cli/main.js')}"`;
    // The limit holds in the new user namespace only.
    const without = (...args: string[]) =>
      runToEnd(
        'unshare',
        [
          ...['--user', '--map-root-user', 'sh', '-c'],
          `echo 0 > /proc/sys/user/max_pid_namespaces; exec ${main} ${args.join(' ')}`,
        ],
        { cwd },
      );
    const refused = without('record', '--', 'true');
    expect(refused.status).toBe(69);
    expect(refused.stderr).toMatch(
      /^deadheat: cannot make a sandbox for the program: unshare\(.*ENOSPC.*; .*--in-place.*\n$/,
    );
    expect(readdirSync(join(cwd, '.deadheat/procs-1'))).not.toContain('changes');
    expect(without('record', '-q', '--in-place', '--', 'true').status).toBe(0);
  });

  it('--keep and --in-place exclude each other', () => {
    const args = ['record', '--keep', '--in-place', '--', 'true'];
    expect(deadheat(args, { cwd: scratchFolder() })).toMatchObject({ status: 2, stdout: '' });
  });
});

it('leaves nothing mounted or running when the program cannot be run', () => {
  const cwd = scratchFolder();
  writeFileSync(join(cwd, 'bad'), '#!/no/such/interpreter\n');
  chmodSync(join(cwd, 'bad'), 0o755);
  for (const recorder of ['bpf', 'ptrace']) {
    const { status, stderr } = deadheat(['record', '--recorder', recorder, '--', './bad'], { cwd });
    expect([status, stderr]).toEqual([2, expect.stringMatching(/cannot run '.\/bad': ENOENT/)]);
  }
  expect(sandboxedIn(cwd)).toEqual([]);
});
