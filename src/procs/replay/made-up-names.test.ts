import { describe, expect, it } from 'vitest';
import { MadeUpNames } from './made-up-names.ts';

describe('names that are made up', () => {
  it('are the same thing once they have met', () => {
    const names = new MadeUpNames();
    expect(names.areSame('/tmp/tmp.rrS3iZJdIC', '/tmp/tmp.pty4Ybeaur')).toBe(true);
    expect(names.areSame('/tmp/tmp.rrS3iZJdIC/a', '/tmp/tmp.pty4Ybeaur/a')).toBe(true);
    expect(names.areSame('/tmp/tmp.rrS3iZJdIC/a', '/tmp/tmp.pty4Ybeaur/b')).toBe(false);
  });

  it('stand for one name each', () => {
    const names = new MadeUpNames();
    expect(names.areSame('history.15996417', 'history.16462868')).toBe(true);
    expect(names.areSame('history.15996417', 'history.29174055')).toBe(false);
    expect(names.areSame('history.30517264', 'history.16462868')).toBe(false);
  });

  it('may share a letter by chance', () => {
    expect(new MadeUpNames().areSame('.vm.a6be9', '.vm.ae14f')).toBe(true);
  });

  it('may be numbers, which are not always equally long', () => {
    expect(new MadeUpNames().areSame('.vm.d5e88', '.vm.125b')).toBe(true);
    expect(new MadeUpNames().areSame('/tmp/x.812.tmp', '/tmp/x.30517.tmp')).toBe(true);
  });

  it.each([
    ['part.9999', 'part.12'],
    ['log.999', 'log.1000'],
    ['a.10000.b', 'a.9999.c'],
    ['face.dead', 'face.decade'],
    ['v10000', 'v9999'],
    ['part1', 'part2'],
    ['obj/a.o', 'obj/b.o'],
    ['config.old', 'config.new'],
    ['one', 'another'],
    ['a/b', 'a'],
  ])('%s is not %s', (recorded, now) => {
    expect(new MadeUpNames().areSame(recorded, now)).toBe(false);
  });
});
