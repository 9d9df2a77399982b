/**
 * Which image is at an address of a process. Libraries may be unloaded, and others loaded where they were: what
 * is there then is not certain for any time, and counts as nothing.
 */
import { firstIndex } from '../../../base/bisect.ts';
import type { AgentImage } from '../../../linux/agent-channel.ts';
import type { ImageRun, ImageStore, StoredImage } from './image-store.ts';

export interface LoadedImage {
  readonly stored: StoredImage;
  readonly loadBase: number;
  readonly begin: number;
  readonly end: number;
}

export class LoadedImages {
  /** In the order of their addresses. */
  readonly all: readonly LoadedImage[];
  /** Of those that lay where others did. */
  readonly uncertain: readonly string[];

  constructor(records: readonly AgentImage[], store: ImageStore, run: ImageRun) {
    const present = withoutDoubles(records.filter(({ isGone }) => !isGone));
    const isUncertain = (one: AgentImage): boolean =>
      present.some((other) => other !== one && other.begin < one.end && one.begin < other.end);
    this.uncertain = present.filter(isUncertain).map(({ path }) => path);
    this.all = present
      .filter((one) => !isUncertain(one))
      .map((one) => ({
        stored: store.find(one, run),
        loadBase: one.loadBase,
        begin: one.begin,
        end: one.end,
      }))
      .sort((one, other) => one.begin - other.begin);
  }

  at(address: number): LoadedImage | undefined {
    const found = this.all[firstIndex(this.all, ({ begin }) => begin > address) - 1];
    return found !== undefined && address < found.end ? found : undefined;
  }
}

/** Each is told again whenever another one comes. */
function withoutDoubles(records: readonly AgentImage[]): AgentImage[] {
  const byPlace = new Map<string, AgentImage>();
  for (const one of records) {
    byPlace.set(`${one.loadBase} ${one.begin} ${one.end} ${one.buildId} ${one.path}`, one);
  }
  return [...byPlace.values()];
}
