import { expect, it } from 'vitest';
import { type KcsanAccess, kcsanText } from './kcsan.ts';

const write: KcsanAccess = {
  address: 0xffffffffc0203440n,
  size: 4,
  isWrite: true,
  alsoReads: false,
  isMarked: false,
  task: 87,
  processor: 1,
  stack: ['take_link+0x12/0x40 [link_count]', 'kthread+0xe6/0x110'],
};
const read: KcsanAccess = {
  ...write,
  isWrite: false,
  task: 88,
  processor: 0,
  stack: ['drop_link+0x9/0x30 [link_count]', '? ret_from_fork+0x1f/0x30'],
};
const value = { before: 2n, after: 3n };

it('is what the kernel prints', () => {
  const race = { held: read, heldName: 'drop', heldThread: 88, other: write, value };
  expect(kcsanText(race)).toBe(
    [
      '==================================================================',
      'BUG: KCSAN: data-race in drop_link [link_count] / take_link [link_count]',
      '',
      'write to 0xffffffffc0203440 of 4 bytes by task 87 on cpu 1:',
      ' take_link+0x12/0x40 [link_count]',
      ' kthread+0xe6/0x110',
      '',
      'read to 0xffffffffc0203440 of 4 bytes by task 88 on cpu 0:',
      ' drop_link+0x9/0x30 [link_count]',
      ' ? ret_from_fork+0x1f/0x30',
      '',
      'value changed: 0x00000002 -> 0x00000003',
      '',
      'Reported by Kernel Concurrency Sanitizer on:',
      'CPU: 0 PID: 88 Comm: drop',
      '==================================================================',
      '',
    ].join('\n'),
  );
});

it('has the same title whoever was held', () => {
  const title = (held: KcsanAccess, other: KcsanAccess): string =>
    kcsanText({ held, heldName: 'a', heldThread: 1, other, value }).split('\n')[1]!;
  expect(title(read, write)).toBe(title(write, read));
});

it('says which accesses are marked, and that of interrupts', () => {
  const other = { ...write, alsoReads: true, isMarked: true, task: undefined };
  const text = kcsanText({ held: read, heldName: 'a', heldThread: 1, other, value: undefined });
  expect(text).toContain(
    'read-write (marked) to 0xffffffffc0203440 of 4 bytes by interrupt on cpu 1:',
  );
  expect(text).not.toContain('value changed');
});

it('knows races at unknown origin', () => {
  const text = kcsanText({ held: read, heldName: 'a', heldThread: 1, other: undefined, value });
  expect(text).toContain('BUG: KCSAN: data-race in drop_link+0x9/0x30 [link_count]\n\n');
  expect(text).toContain(
    'race at unknown origin, with read to 0xffffffffc0203440 of 4 bytes by task 88',
  );
});
