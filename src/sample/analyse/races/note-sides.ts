/** What a process has shown of globals, for those who put several runs together (across-runs.ts). */
import type { LoadedImages } from '../code/loaded-images.ts';
import { lockAddress } from '../logs/locksets.ts';
import { AccessFlag } from '../memory/access-table.ts';
import { NO_BLOCK } from '../memory/block-history.ts';
import { GRANULE } from '../memory/granule-table.ts';
import type { SampledProcess } from '../sampled-process.ts';
import type { SecondPass } from '../second-pass.ts';
import { accessClasses } from './access-classes.ts';
import type { AcrossRuns } from './across-runs.ts';
import { lowestByte, type ProcessPlace } from './find-races.ts';

const ASKED = AccessFlag.amongOthers | AccessFlag.afterMeeting;

export function noteSides(
  pass: SecondPass,
  process: SampledProcess,
  images: LoadedImages,
  place: ProcessPlace,
  across: AcrossRuns,
): void {
  const { accesses, contexts, history, granules, locksets } = pass;
  accesses.forEachGeneration(history.generations, (generation, numbers) => {
    const address = granules[history.granuleOf.at(generation)]! * GRANULE;
    const isGlobal = history.blockStarts.at(generation) === NO_BLOCK && images.at(address);
    if (!isGlobal) return;
    for (const hasMet of [false, true]) {
      const flags = AccessFlag.amongOthers | (hasMet ? AccessFlag.afterMeeting : 0);
      const alike = numbers.filter((access) => (accesses.flags.at(access) & ASKED) === flags);
      for (const one of accessClasses(accesses, contexts, alike)) {
        const { site, thread, lockset, mask, started } = one;
        across.note(place.objectKey(address), {
          ...{ site, thread, lockset, mask, started, hasMet },
          classes: new Map([[one, place.process]]),
          address: address + lowestByte(mask),
          keyOf: (byte) => place.objectKey(address + byte),
          ...{ process: place.process, run: place.run },
          threadNumber: process.logs[thread]!.header.thread,
          lockNames: lockNames(locksets.locksOf(lockset), images),
        });
      }
    }
  });
}

/** By image and place; those of the heap have no such names. */
function lockNames(locks: readonly number[], images: LoadedImages): string[] | undefined {
  const names = locks.map((lock) => {
    const loaded = images.at(lockAddress(lock));
    return loaded && `${loaded.stored.number} ${lockAddress(lock) - loaded.loadBase}`;
  });
  return names.every((name) => name !== undefined) ? names : undefined;
}
