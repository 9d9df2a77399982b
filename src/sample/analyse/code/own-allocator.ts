/**
 * Programs that have an allocator linked into them: the executable comes before the agent, so that nobody calls the
 * agent's malloc, and what is handed out and taken back is not known. Memory that one thread frees and another one gets
 * would look shared.
 *
 *   malloc in the executable        jemalloc, tcmalloc or mimalloc in a static library, or one of its own
 *   _rjem_malloc anywhere           that of a Rust program with jemallocator
 *
 * One in a shared library comes after the agent, and is seen. Nor is one that has no symbols, or another name.
 */
import type { LoadedImage } from './loaded-images.ts';

const UNDER_ANOTHER_NAME = ['_rjem_malloc', 'je_malloc', 'mi_malloc', 'tc_malloc'];
const PAGE = 4096;

/** The path of the image that has one. */
export function ownAllocator(
  images: readonly LoadedImage[],
  executable: string,
): string | undefined {
  const found = images.find(({ stored: { path, image } }) => {
    if (image === undefined || image.hasOwnLocks) return false;
    const names = path === executable ? ['malloc', ...UNDER_ANOTHER_NAME] : UNDER_ANOTHER_NAME;
    return image.hasFunction(names);
  });
  return found?.stored.path;
}

export const ownAllocatorText = (path: string): string =>
  `${path} has an allocator of its own, which cannot be seen: memory that is used anew may look shared, and races ` +
  'there are told with low confidence; deadheat_alloc and deadheat_free of include/deadheat.h tell of it';

/** Whether such an allocator may have handed it out: blocks that are known are those that the program has told of, and
    those that were mapped, which begin with a page. */
export const mayBeHandedOut = (isBlock: boolean, blockStart: number): boolean =>
  !isBlock || blockStart % PAGE === 0;
