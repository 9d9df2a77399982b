/**
 * Timers that processes share, and ioctl(2): a call of its own for each request. Those of terminals are about how input and output
 * look, and the few that all descriptors have are the caller's own business; of the others, only
 * those on files are modelled.
 */
import { type Family, type Model, NO_OPERATIONS, succeeded } from '../modelled-call.ts';
import { commuting, load, store } from '../operation.ts';

/** The second byte of a request says whose it is, <asm-generic/ioctl.h>. */
const OF_TERMINALS = 0x54;
const OF_FILE_FLAGS = 0x66;
const OF_CLONES = 0x94;
/** Source: <linux/fs.h>; the direction in which the request's argument is moved. */
const GETS = 2 ** 31;

const ownerOf = (request: number): number => (request >>> 8) & 0xff;

export const isModelledRequest = (request: number): boolean =>
  [OF_TERMINALS, OF_FILE_FLAGS, OF_CLONES].includes(ownerOf(request));

const ofTimer =
  (op: typeof load): Model =>
  (modelled) => {
    const { openFile } = modelled;
    if (!openFile || !succeeded(modelled)) return NO_OPERATIONS;
    return [op('setting', { key: openFile.key, name: 'a timer' })];
  };

export const CONTROLS: Family = {
  timerfd_settime: ofTimer(store),
  timerfd_gettime: ofTimer(load),
  ioctl: (modelled) => {
    const { call, target } = modelled;
    const request = (call.args[1] ?? 0) >>> 0;
    if (!target || !succeeded(modelled)) return NO_OPERATIONS;
    if (ownerOf(request) === OF_CLONES) {
      return [store('contents', target), commuting(store('size', target))];
    }
    if (ownerOf(request) !== OF_FILE_FLAGS) return NO_OPERATIONS;
    return [request >= GETS ? load('attributes', target) : store('attributes', target)];
  },
};
