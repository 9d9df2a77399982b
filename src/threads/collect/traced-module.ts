/**
 * What has to be known of an image with clones, so that the numbers in logs become places in a program.
 * `traced-module-file.ts` makes it of the files; a test may make it of nothing.
 */
import type { AgentModule } from '../../linux/agent-channel.ts';

export interface SourcePlace {
  readonly function: string;
  /** '' if it is not known. */
  readonly file: string;
  readonly line: number;
}

/** Addresses are those of the image. */
export interface TracedModule {
  /** The image's addresses are below. */
  readonly imageEnd: number;
  /** Bytes of the blob that are mapped. */
  readonly blobSize: number;
  /** Where each site is (the blob's table of that name). */
  readonly sites: Uint32Array;
  /** How many bytes each site accesses; 0 if that is not known. */
  readonly siteSizes: Uint16Array;
  /** Pairs, in order: where a call in the blob returns to, and where it would have returned in the image. */
  readonly returns: Uint32Array;
  /** Why functions could not be traced, and how many. */
  readonly skipped: readonly { readonly reason: string; readonly functions: number }[];
  placeAt(address: number): SourcePlace;
  /** `queue.head`; '' if there is no name for it. */
  dataAt(address: number): string;
}

/** Asked once for each image of the run. */
export type DescribeModule = (module: AgentModule) => TracedModule;
