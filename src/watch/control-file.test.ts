import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { applyControls, ControlFile } from './control-file.ts';
import type { WatchSettings } from './settings.ts';

const usual = (): WatchSettings => ({ rate: 50, windowMs: 1, functions: undefined });

describe('applyControls', () => {
  it('takes what is there, and leaves the rest as it was', () => {
    const settings = usual();
    expect(
      applyControls('# faster\nrate 100\n\nfunctions ^pipe_(read|write)$\n', settings),
    ).toEqual([]);
    expect(settings).toEqual({ rate: 100, windowMs: 1, functions: /^pipe_(read|write)$/ });
    applyControls('window 2.5\nfunctions\n', settings);
    expect(settings).toEqual({ rate: 100, windowMs: 2.5, functions: undefined });
  });

  it('keeps the pattern that is the same, since a new one means to start anew', () => {
    const settings = usual();
    applyControls('functions a', settings);
    const { functions } = settings;
    applyControls('functions a', settings);
    expect(settings.functions).toBe(functions);
  });

  it.each(['rate 0', 'rate', 'rate many', 'window -1', 'functions (', 'speed 3', 'rate 1e9'])(
    'complains of %s and changes nothing',
    (line) => {
      const settings = usual();
      expect(applyControls(line, settings)).toHaveLength(1);
      expect(settings).toEqual(usual());
    },
  );
});

it('reads the file again when it has changed, and need not find it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'deadheat-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'control');
  const settings = usual();
  const complaints: string[] = [];
  const control = new ControlFile(path, settings, (text) => complaints.push(text));
  control.look();
  expect(settings).toEqual(usual());
  writeFileSync(path, 'rate 70\n');
  control.look();
  expect(settings.rate).toBe(70);
  // Nobody has touched it since, but somebody has pressed a key.
  settings.rate = 80;
  control.look();
  expect(settings.rate).toBe(80);
  writeFileSync(path, 'rate 900\nnonsense\n');
  control.look();
  expect(settings.rate).toBe(900);
  expect(complaints).toEqual([`${path}: nonsense: neither rate, window nor functions`]);
});
