/**
 * Programs run three times: by themselves, with clones of their functions that log nothing, and traced. A case
 * is a shell script in which `run` starts the program in one of these ways; if `also` is set, to the name of a
 * library, its functions are cloned as well.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join, parse } from 'node:path';
import { expect } from 'vitest';
import { type Ended, LAUNCHER, PROJECT, runToEnd } from './deadheat.ts';
import { scratchFolder } from './scratch.ts';

const SOURCES = join(PROJECT, 'test/transparent-clones');
const AGENT_PROGRAMS = join(PROJECT, 'test/agent');
const NULL_CLONES = join(PROJECT, 'test/harness/null-clones.mjs');

const WAYS = {
  natively: 'run() { "$@"; }',
  'with null clones': `run() { "${process.execPath}" "${NULL_CLONES}" \${also:+--also "$also"} -- "$@"; }`,
  traced: `runs=0; run() { runs=$((runs + 1)); "${LAUNCHER}" trace -q -o "../traces/$$-$runs" \${also:+--also "$also"} -- "$@"; }`,
} as const;

export interface Case {
  readonly name: string;
  /** Without these programs there is no such case. */
  readonly needs: readonly string[];
  readonly script: string;
  /** Its clones take so long to make that only `npm run test:long` has it. */
  readonly isLong?: true;
}

/** Once for all ways. */
const compiled = (source: string, compiler = 'cc', flags = '-O2'): string => {
  const program = `"$built/${parse(source).name}"`;
  return `[ -x ${program} ] || ${compiler} ${flags} -g -pthread -o ${program} "${source}"; cp ${program} .`;
};
const ours = (name: string): string => join(SOURCES, name);

const agentProgram = (name: string): Case => ({
  name: `${name}.c`,
  needs: ['cc'],
  script: `${compiled(join(AGENT_PROGRAMS, `${name}.c`), 'cc', '-O1')}; run ./${name}`,
});

const GIT = `
export HOME="$PWD" GIT_CONFIG_NOSYSTEM=1 TZ=UTC
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=c GIT_COMMITTER_EMAIL=c@d
export GIT_AUTHOR_DATE='1700000000 +0000' GIT_COMMITTER_DATE='1700000000 +0000'
git init -q -b one . && git config pack.threads 2 && git config gc.auto 0
for i in 1 2 3 4 5; do
  seq $i 400 >numbers; echo "line $i" >>text; git add . && git commit -qm "change $i"
done
git checkout -q -b two HEAD~2 && echo other >>text && git commit -qam other && git checkout -q one
echo changed >>numbers`;

export const CASES: readonly Case[] = [
  { name: 'bash', needs: ['bash'], script: `run bash "${SOURCES}/script.bash"` },
  {
    name: 'git',
    needs: ['git'],
    isLong: true,
    script: `${GIT}
run git log -p --stat; run git diff --stat -p; run git blame text; run git grep -n 39
run git fsck; run git repack -adq; run git count-objects; run git merge two; run git status -s; run git show nobody`,
  },
  {
    name: 'sqlite3',
    needs: ['sqlite3'],
    script: `also=libsqlite3.so.0\nrun sqlite3 db <"${SOURCES}/script.sql"`,
  },
  {
    name: 'redis-server',
    needs: ['redis-server', 'redis-cli'],
    script: `
run redis-server --port 0 --unixsocket ./socket --save '' --dir . --logfile log --io-threads 2 &
until redis-cli -s ./socket ping >/dev/null 2>&1; do kill -0 $! || exit 1; sleep 0.05; done
for i in $(seq 200); do echo "set key:$i $i"; echo "rpush list $i"; echo "zadd sorted $i m$i"; done |
  redis-cli -s ./socket | sort | uniq -c
redis-cli -s ./socket eval 'local s = 0; for i = 1, 1000 do s = s + i end; return s' 0
redis-cli -s ./socket --no-raw sort list desc limit 0 3
redis-cli -s ./socket save; redis-cli -s ./socket bgsave >/dev/null; redis-cli -s ./socket no-such-command
redis-cli -s ./socket shutdown nosave; wait $!`,
  },
  {
    name: 'gdb',
    needs: ['gdb', 'cc'],
    isLong: true,
    script: `${compiled(ours('debugged.c'), 'cc', '-O0')}
run gdb --batch -nx -ex 'set debuginfod enabled off' -ex 'break deep if level == 2' -ex run -ex bt -ex 'info args' \
  -ex 'print *node' -ex 'ptype node' -ex finish -ex 'info line main' -ex 'disassemble main,+8' -ex continue ./debugged 2>/dev/null`,
  },
  {
    name: 'C++ with exceptions',
    needs: ['c++'],
    script: `${compiled(ours('exceptions.cc'), 'c++')}; run ./exceptions`,
  },
  {
    name: 'C++ with an exception that nobody catches',
    needs: ['c++'],
    script: `ulimit -c 0; ${compiled(ours('exceptions.cc'), 'c++')}; run ./exceptions uncaught 2>&1`,
  },
  {
    name: 'pthread_cancel',
    needs: ['cc'],
    script: `${compiled(ours('cancel.c'))}; run ./cancel`,
  },
  ...['c11', 'forks', 'locks', 'many', 'signals', 'threads', 'waits'].map(agentProgram),
];

const isThere = (program: string): boolean =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));

/** Says which are left out, and why. */
export function possibleCases(): Case[] {
  return CASES.filter(({ name, needs }) => {
    const missing = needs.filter((program) => !isThere(program));
    if (missing.length > 0) console.warn(`${name} is left out: there is no ${missing.join(', ')}`);
    return missing.length === 0;
  });
}

/** `times`: how often each of the other ways is compared with the native one. */
export function expectSameInAllWays({ script }: Case, cache: string, times = 1): void {
  const native = inWay('natively', script, cache);
  for (let time = 0; time < times; time++) {
    for (const way of ['with null clones', 'traced'] as const) {
      expect({ way, ...inWay(way, script, cache) }).toEqual({ way, ...native });
    }
  }
}

/** All in folders of the same name, at another place each. */
function inWay(way: keyof typeof WAYS, script: string, cache: string): Ended {
  const cwd = join(scratchFolder(), 'work');
  execFileSync('mkdir', ['-p', cwd, join(cwd, '../traces')]);
  const env = { XDG_CACHE_HOME: cache, built: cache, LC_ALL: 'C.UTF-8' };
  const ended = runToEnd('sh', ['-c', `${WAYS[way]}\n${script}`], { cwd, env, input: '' });
  const comparable = (text: string): string =>
    text
      .replaceAll(join(cwd, '..'), '')
      .replace(/^deadheat: .*\n/gm, '')
      .replace(/0x[0-9a-f]+/g, '0x#')
      .replace(/\b(process|Thread|LWP|pid) \d+/g, '$1 #');
  return { ...ended, stdout: comparable(ended.stdout), stderr: comparable(ended.stderr) };
}
