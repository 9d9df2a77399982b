/** The launcher and the build, on a copy of the project that shares its npm packages. */
import { cpSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT, runToEnd } from './harness/deadheat.ts';
import { scratchFolder } from './harness/scratch.ts';

function copyOfProject(): string {
  const home = scratchFolder();
  const parts = [
    'deadheat',
    'src',
    'web',
    'agent',
    'include',
    'tools',
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'tsconfig.build.json',
  ];
  for (const part of parts) cpSync(join(PROJECT, part), join(home, part), { recursive: true });
  symlinkSync(join(PROJECT, 'node_modules'), join(home, 'node_modules'));
  return home;
}

const launch = (home: string, env: Record<string, string> = {}) =>
  runToEnd(join(home, 'deadheat'), ['--version'], { cwd: home, env });

describe('./deadheat', () => {
  it('builds on first use, and again only when a source has changed', () => {
    const home = copyOfProject();
    const builtAt = (): number => statSync(join(home, 'dist')).mtimeMs;
    const first = launch(home);
    expect(first.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(first.stderr).toBe('deadheat: building …\n');
    statSync(join(home, 'dist/agent/libdeadheat.so'));

    const before = builtAt();
    expect(launch(home)).toMatchObject({ status: 0, stderr: '' });
    expect(builtAt()).toBe(before);

    writeFileSync(join(home, 'src/cli/version.ts'), "export const version = '99.0.0';\n");
    expect(launch(home)).toMatchObject({ stdout: '99.0.0\n', stderr: 'deadheat: building …\n' });
    rmSync(join(home, 'src/report'), { recursive: true });
    expect(launch(home).status).toBe(69);
  });

  it('works through a symbolic link and from another folder', () => {
    const folder = scratchFolder();
    symlinkSync(join(PROJECT, 'deadheat'), join(folder, 'dh'));
    expect(runToEnd(join(folder, 'dh'), ['--version'], { cwd: '/' }).status).toBe(0);
  });

  it('says what is missing when there is no node', () => {
    const folder = scratchFolder();
    for (const tool of ['sh', 'dirname', 'readlink'])
      symlinkSync(`/usr/bin/${tool}`, join(folder, tool));
    const { status, stderr } = launch(PROJECT, { PATH: folder });
    expect(stderr).toMatch(
      /^deadheat: found no node; Node\.js 20\.19 or newer is needed; .*apt-get/,
    );
    expect(status).toBe(69);
  });

  it('builds without a compiler, and says what is left out', () => {
    const home = copyOfProject();
    const { stderr, stdout } = launch(home, { CC: 'no-such-compiler' });
    expect(stdout).toMatch(/^\d/);
    expect(stderr).toMatch(/built without the agent: .*no C compiler \(no-such-compiler\)/);
  });
});
