import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { createRun } from './run-directory.ts';

/** Everyone sees an empty folder, as those do who look at the same moment. */
vi.mock('node:fs', async (original) => ({
  ...(await original<typeof import('node:fs')>()),
  readdirSync: () => [],
}));

it('never gives two runs the same directory', () => {
  const folder = mkdtempSync(join(tmpdir(), 'deadheat-race-'));
  const info = { version: '0.1.0', engine: 'procs', command: ['true'], cwd: folder } as const;
  const names = Array.from({ length: 5 }, () => {
    return createRun({ ...info, command: [...info.command] }, { folder }).name;
  });
  expect(names).toEqual(['procs-1', 'procs-2', 'procs-3', 'procs-4', 'procs-5']);
  rmSync(folder, { recursive: true });
});
