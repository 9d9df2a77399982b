import { expect, it } from 'vitest';
import { RunningLooks } from './running-looks.ts';

it('looks are short, and become rare; what they have seen is told', async () => {
  const [begun, ended, heard]: [number[], number[], bigint[]] = [[], [], []];
  let now = 0;
  const target = {
    running: async (goesOn: boolean) => {
      (goesOn ? begun : ended).push(now);
      return goesOn ? [] : [BigInt(now)];
    },
  };
  const sampler = { heardOf: (addresses: readonly bigint[]) => void heard.push(...addresses) };
  const looks = new RunningLooks(target, sampler, () => now);
  const until = async (end: number, areHitsMissed: boolean): Promise<void> => {
    for (; now < end; now += 50) await looks.look(areHitsMissed);
  };
  await until(1000, false);
  expect(begun).toEqual([]);
  await until(1050, true);
  // One that has begun comes to its end, even if nothing is missing any more.
  await until(20_000, false);
  expect([begun, ended, heard]).toEqual([[1000], [1100], [1100n]]);
  await until(200_000, true);
  const rests = begun.slice(2).map((at, index) => at - ended[index + 1]!);
  expect(rests).toEqual([2000, 4000, 8000, 16_000, 32_000, 60_000]);
  expect(ended.every((at, index) => at - begun[index]! === 100)).toBe(true);
  looks.startAnew();
  await until(300_000, true);
  expect(begun.at(-1)! - ended.at(-2)!).toBeLessThan(60_000);
});
