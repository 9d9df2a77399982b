import { expect, it } from 'vitest';
import { beforeWeEnd, doLastActs } from './last-acts.ts';

it('does each act once, whichever of them fails', async () => {
  const done: string[] = [];
  beforeWeEnd(() => {
    throw new Error('no');
  });
  beforeWeEnd(() => void done.push('at once'));
  beforeWeEnd(async () => {
    await Promise.resolve();
    done.push('later');
  });
  const forget = beforeWeEnd(() => void done.push('never'));
  forget();
  const left = doLastActs();
  expect(done).toEqual(['at once']);
  await left;
  expect(done).toEqual(['at once', 'later']);
  expect(doLastActs()).toBeUndefined();
  expect(process.listeners('exit')).not.toContain(doLastActs);
});

it('is heard at our exit as long as there is something to do', () => {
  const forget = [beforeWeEnd(() => {}), beforeWeEnd(() => {})];
  const isHeard = (): number =>
    process.listeners('exit').filter((one) => one === doLastActs).length;
  expect(isHeard()).toBe(1);
  forget[0]!();
  expect(isHeard()).toBe(1);
  forget[1]!();
  expect(isHeard()).toBe(0);
});
