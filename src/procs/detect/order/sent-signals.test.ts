import { describe, expect, it } from 'vitest';
import { Signal } from '../../../linux/signals.ts';
import { isOrdered } from '../../testdata/ordered.ts';
import { Script } from '../../testdata/records.ts';

const { SIGKILL, SIGTERM } = Signal;
const ESRCH = 3;

/** 3 does something and then sends a signal; 1 goes on when 2 has ended. */
const sends = (signal: number, target = 2, details = {}): Script =>
  new Script()
    .fork(1, 2)
    .fork(1, 3)
    .mark(3, 'first')
    .call(3, 'kill', undefined, { args: [target, signal], ...details });
const collected = (script: Script): boolean => isOrdered(script.wait(1, 2, 2).mark(1, 'then'));

describe('a death by SIGKILL', () => {
  it.each<[string, Script, boolean]>([
    ['after it was sent', sends(SIGKILL).die(2), true],
    ['with all its threads', sends(SIGKILL).thread(2, 4).die(4).die(2), true],
    ['that was sent to a group', sends(SIGKILL, 0).die(2), true],
    ['that was sent to another', sends(SIGKILL, 1).die(2), false],
    ['that did not reach it', sends(SIGKILL, 2, { result: -ESRCH }).die(2), false],
    ['that only another signal came before', sends(SIGTERM).die(2), false],
    [
      'that somebody else had sent before',
      new Script()
        .fork(1, 2)
        .fork(1, 3)
        .mark(3, 'first')
        .fork(1, 4)
        .kill(4, 2, SIGKILL)
        .kill(3, 2, SIGKILL)
        .die(2),
      false,
    ],
    [
      'that was sent to whoever had its number before',
      new Script()
        .fork(1, 2)
        .fork(1, 3)
        .exit(2)
        .mark(3, 'first')
        .kill(3, 2, SIGKILL)
        .wait(1, 2)
        .fork(1, 2)
        .die(2),
      false,
    ],
  ])('%s', (_, script, expected) => expect(collected(script)).toBe(expected));

  it('has nothing to do with an end of its own', () => {
    expect(collected(sends(SIGKILL).exit(2))).toBe(false);
    expect(collected(sends(SIGKILL).die(2, SIGTERM))).toBe(false);
  });
});
