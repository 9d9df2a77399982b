/** A function's copy elsewhere, as far as its unwind tables are concerned. */
import { hex } from '../byte-reader.ts';
import { type ImageAddress, imageAddress } from '../image-address.ts';
import type { Fde } from './eh-frame.ts';

export interface Clone {
  fde: Fde;
  /** Addresses of clones are relative to the image, too: the distance between both is fixed. */
  start: number;
  end: number;
  /** Where the clone of the instruction at this address starts, in whichever function it is. */
  cloneOf(address: ImageAddress): number | undefined;
}

/** The tables of this function cannot be written for its clone: it has to stay as it is. */
export class Refused extends Error {
  override name = 'Refused';
}

/** The place in the clone from which on holds what the tables say from this address on. */
export function placeInClone(clone: Clone, address: number, what: string): number {
  // What starts where the function ends is another function.
  const place = address === clone.fde.end ? clone.end : clone.cloneOf(imageAddress(address));
  if (place !== undefined) return place;
  throw new Refused(`${what} ${hex(address)} is not the start of an instruction that was cloned`);
}
