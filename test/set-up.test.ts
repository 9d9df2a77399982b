/** The set-up that `npm test` does: what it cannot do itself, it says how to do. */
import { expect, it } from 'vitest';
import { nodeAsPlainUser, PROJECT } from './harness/deadheat.ts';

it('tells a plain user the exact line to type for missing Debian packages', () => {
  // Without dpkg-query on PATH, everything counts as missing.
  const env = { PATH: '/nowhere' };
  const { status, stderr } = nodeAsPlainUser(['tools/test.mjs'], { cwd: PROJECT, env });
  expect(stderr).toMatch(
    /^deadheat: .*type: sudo apt-get install -y --no-install-recommends gcc .*zsh fish\n$/,
  );
  expect(status).toBe(69);
});
