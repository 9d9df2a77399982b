/**
 * How long a guest took to start the last time, in the user's cache: the next one will take about as long on the same
 * machine. With KVM it is many times as fast, so that both are kept.
 *
 *   ~/.cache/deadheat/guest-start-emulated     18021
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { encodeBytes } from '../../base/bytes.ts';
import { tellProgress } from '../../base/progress.ts';
import { tryTo } from '../../base/result.ts';
import { tellingSeconds } from '../../base/telling-seconds.ts';
import { userCache } from '../../linux/user-cache.ts';

const fileFor = (kvm: boolean): string =>
  join(userCache(), `guest-start-${kvm ? 'kvm' : 'emulated'}`);

/** In milliseconds; undefined if nobody knows. */
export function earlierStart(kvm: boolean): number | undefined {
  const text = tryTo(() => readFileSync(encodeBytes(fileFor(kvm)), 'utf8'));
  const known = text.ok ? Number(text.value) : 0;
  return known > 0 && Number.isFinite(known) ? known : undefined;
}

/** Tells how far the start has come, and notes how long it took. */
export async function tellingOfStart<T>(kvm: boolean, start: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const expectedMs = earlierStart(kvm);
  if (expectedMs === undefined) tellProgress('starting the guest', 0, 0);
  const started =
    expectedMs === undefined
      ? await start()
      : await tellingSeconds(() => 'seconds of starting the guest', expectedMs, start);
  const file = encodeBytes(fileFor(kvm));
  // It is only for an estimate.
  void tryTo(() => {
    mkdirSync(encodeBytes(dirname(fileFor(kvm))), { recursive: true });
    writeFileSync(file, `${Math.round(performance.now() - began)}\n`);
  });
  return started;
}
