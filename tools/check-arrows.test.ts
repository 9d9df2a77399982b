import { describe, expect, it } from 'vitest';
import { wrongImports, wrongPageImports } from './check-arrows.mjs';

const check = (file: string, text: string): string[] =>
  wrongImports('/p/src', `/p/src/${file}`, text);

describe('the direction of imports', () => {
  it('lets imports point down and stay inside a folder', () => {
    expect(check('procs/detect/a.ts', "import { b } from '../../order/b.ts';")).toEqual([]);
    expect(check('procs/detect/a.ts', "import type { b } from '../model/b.ts';")).toEqual([]);
    expect(check('threads/a.ts', "import { b } from '../watch/b.ts';")).toEqual([]);
    expect(check('cli/a.ts', "import { b } from 'commander';")).toEqual([]);
  });

  it('refuses imports that point up or across, static or not', () => {
    expect(check('order/a.ts', "import { b } from '../procs/b.ts';")).toEqual([
      'src/order/a.ts imports src/procs/b.ts',
    ]);
    expect(check('watch/a.ts', "export * from '../threads/b.ts';")).toHaveLength(1);
    expect(check('report/a.ts', "await import('../trace/b.ts');")).toHaveLength(1);
    expect(check('linux/a.ts', "import '../../tools/b.mjs';")).toHaveLength(1);
  });

  it('wants every folder in its table', () => {
    expect(check('misc/a.ts', '')).toHaveLength(1);
  });

  it('lets the page have what needs no kernel', () => {
    const inPage = (text: string): string[] =>
      wrongPageImports('/p/src', '/p/web/race/a.tsx', text);
    expect(inPage("import { b } from '../../src/report/b.ts';")).toEqual([]);
    expect(inPage("import { b } from '../sides.tsx';")).toEqual([]);
    expect(inPage("import { b } from '../../src/linux/b.ts';")).toEqual([
      'web/race/a.tsx imports src/linux/b.ts',
    ]);
  });
});
