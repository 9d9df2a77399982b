/** Both sides of agent/tracer/quick-look.h, compared. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import {
  LOOK_SIZE,
  LookAt,
  PLACE_SIZE,
  PlaceAt,
  WINDOW_SIZE,
  WindowAt,
} from './quick-look-layout.ts';

/** What the C compiler says of where things are. */
function compiledLayout(): Record<string, number> {
  const folder = mkdtempSync(join(tmpdir(), 'deadheat-layout-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const header = join(process.cwd(), 'agent', 'tracer', 'quick-look.h');
  const asked = [
    ...Object.keys(LookAt).map((name) => ['dh_look', name]),
    ...Object.keys(PlaceAt).map((name) => ['dh_place', name]),
    ...Object.keys(WindowAt).map((name) => ['dh_window', name]),
  ].map(([of, name]) => `printf("${of}.${name} %zu\\n", offsetof(struct ${of}, ${name}));`);
  const sizes = ['dh_look', 'dh_place', 'dh_window'].map(
    (of) => `printf("${of} %zu\\n", sizeof(struct ${of}));`,
  );
  const source = join(folder, 'layout.c');
  const body = [...asked, ...sizes].join('\n');
  writeFileSync(source, `#include <stdio.h>\n#include "${header}"\nint main(void) {\n${body}\n}\n`);
  execFileSync('cc', ['-o', join(folder, 'layout'), source]);
  const lines = execFileSync(join(folder, 'layout'), { encoding: 'utf8' }).trim().split('\n');
  return Object.fromEntries(lines.map((line) => [line.split(' ')[0], Number(line.split(' ')[1])]));
}

it('has everything where the C compiler puts it', () => {
  const ours = (of: string, at: Record<string, number>): [string, number][] =>
    Object.entries(at).map(([name, offset]) => [`${of}.${name}`, offset]);
  expect(compiledLayout()).toEqual({
    ...Object.fromEntries([...ours('dh_look', LookAt), ...ours('dh_place', PlaceAt)]),
    ...Object.fromEntries(ours('dh_window', WindowAt)),
    ...{ dh_look: LOOK_SIZE, dh_place: PLACE_SIZE, dh_window: WINDOW_SIZE },
  });
});
