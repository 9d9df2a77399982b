/**
 * Who changes variables that sections have copies of. When an event is seen a second time, the processor is asked to
 * watch its variable in all threads of the process, until somebody was caught:
 *
 *   14:03:07.120  section 3, thread 12, has a copy of `total`
 *   14:03:07.124  thread 15 writes to `total` at 0x1189, called by worker
 *   14:03:07.131  section 3, thread 12, finds `total` changed: it was thread 15
 *
 * That somebody writes there is nothing bad; only who does so between those two times has ignored the lock. Nobody
 * is stopped for it, and the watchpoints are taken away as soon as each section knows its intruder.
 */
import { tryTo } from '../../base/result.ts';
import { ImageFiles, LoadedImages } from '../../debugger/loaded-images.ts';
import { type Pid, pid } from '../../linux/ids.ts';
import { isPerfForbidden } from '../../linux/perf-remedy.ts';
import type { ThreadSample } from '../../linux/perf-samples.ts';
import { WriteWatch } from '../../linux/write-watch.ts';
import type { ReadProgram } from '../read-program.ts';
import { type EventFile, MOST_WATCHED, type RaceEvent } from './event-file.ts';
import type { InProgram } from './in-program.ts';
import { watchedPart, writerDuring } from './writer-during.ts';

export interface Intruder {
  readonly section: number;
  readonly address: bigint;
  /** Behind its instruction. */
  readonly sample: ThreadSample;
  readonly images: LoadedImages;
}

export interface FoundIntruders {
  readonly intruders: readonly Intruder[];
  /** Why nobody could be watched. */
  readonly obstacle: Error | undefined;
}

/** Somebody is looked for. */
interface Sought {
  readonly place: string;
  readonly event: RaceEvent;
  /** How often it was given up for another. */
  readonly tries: number;
}

interface Watched extends Sought {
  readonly watch: WriteWatch;
  readonly images: LoadedImages;
  readonly samples: ThreadSample[];
  readonly began: number;
}

/** How long until the next look, in ms: while nobody is looked for; at first; and when it takes longer. */
const IDLE_MS = 20;
const QUICK_MS = 4;
const SLOW_MS = 100;
/** Others get their turn after that. */
const TURN_MS = 2000;
const MOST_TRIES = 4;
const MOST_SAMPLES = 256;

export class IntruderSearch {
  readonly #file: EventFile;
  readonly #isInProgram: InProgram;
  readonly #files: ImageFiles;
  /** By place: what is looked for, or was. */
  readonly #known = new Set<string>();
  #waiting: Sought[] = [];
  #watched: Watched[] = [];
  readonly #intruders: Intruder[] = [];
  #obstacle: Error | undefined;
  /** Why nobody could be watched so far. */
  #failure: Error | undefined;
  #hasWatched = false;
  #repeated = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(file: EventFile, isInProgram: InProgram, { image }: Pick<ReadProgram, 'image'>) {
    this.#file = file;
    this.#isInProgram = isInProgram;
    this.#files = new ImageFiles((path) => path === image.path);
  }

  /** Whatever goes wrong here is no reason to leave the program alone. */
  begin(): void {
    this.#timer = setTimeout(() => {
      const looked = tryTo(() => this.#look());
      if (!looked.ok) this.#obstacle = looked.error;
      if (this.#obstacle === undefined) this.begin();
    }, this.#rest());
  }

  end(): void {
    clearTimeout(this.#timer);
    void tryTo(() => this.#matchAll());
    for (const { watch } of this.#watched) watch.close();
    this.#watched = [];
  }

  get found(): FoundIntruders {
    return { intruders: this.#intruders, obstacle: this.#obstacle ?? this.#failure };
  }

  #rest(): number {
    if (this.#watched.length === 0) return IDLE_MS;
    const longest = Math.max(...this.#watched.map(({ began }) => performance.now() - began));
    return Math.min(SLOW_MS, QUICK_MS + longest / 500);
  }

  #look(): void {
    if (this.#file.repeated !== this.#repeated) this.#noticeEvents();
    if (this.#watched.length > 0) this.#matchAll();
    this.#takeTurns();
    this.#watchMore();
  }

  #noticeEvents(): void {
    this.#repeated = this.#file.repeated;
    for (const event of this.#file.events()) {
      const place = this.#placeOf(event);
      if (event.count < 2n || this.#known.has(place)) continue;
      this.#known.add(place);
      this.#waiting.push({ place, event, tries: 0 });
    }
  }

  /** On the heap, one variable stands for all. */
  #placeOf({ section, address, race }: RaceEvent): string {
    return `${section} ${race} ${this.#isInProgram(address) ? address : 'heap'}`;
  }

  /** Sightings first: whoever has done it is in the rings by then. */
  #matchAll(): void {
    const sightings = this.#file.takeSightings();
    const left: Watched[] = [];
    for (const watched of this.#watched) {
      watched.samples.push(...watched.watch.tend());
      watched.samples.splice(0, watched.samples.length - MOST_SAMPLES);
      const { event, samples, images } = watched;
      const { section, address } = event;
      const sample = sightings
        .filter((sighting) => sighting.section === section && sighting.address === address)
        .map((sighting) => writerDuring(samples, sighting))
        .find((found) => found !== undefined);
      if (sample === undefined) left.push(watched);
      else {
        watched.watch.close();
        this.#intruders.push({
          ...{ section, address, sample },
          images: this.#imagesFor(sample, images),
        });
      }
    }
    this.#setWatched(left);
  }

  /** As they were when it began, unless it is in a library that has come since. */
  #imagesFor({ process, registers }: ThreadSample, images: LoadedImages): LoadedImages {
    const later = new LoadedImages(process, this.#files);
    return later.at(registers.get('rip')) === undefined ? images : later;
  }

  #takeTurns(): void {
    if (this.#waiting.length === 0) return;
    const isOver = ({ began }: Watched): boolean => performance.now() - began > TURN_MS;
    const over = this.#watched.filter(isOver);
    for (const { place, event, tries, watch } of over) {
      watch.close();
      if (tries + 1 < MOST_TRIES) this.#waiting.push({ place, event, tries: tries + 1 });
    }
    if (over.length > 0) this.#setWatched(this.#watched.filter((one) => !over.includes(one)));
  }

  #watchMore(): void {
    while (this.#watched.length < MOST_WATCHED) {
      const sought = this.#waiting.shift();
      if (sought === undefined) return;
      const process = pid(sought.event.lastPid);
      // The program notes the times of copies from now on, and is watched after that.
      this.#file.watch([...this.#watched.map(({ event }) => event.address), sought.event.address]);
      const watch = tryTo(() => new WriteWatch(process, watchedPart(sought.event)));
      if (!watch.ok) return this.#fail(sought, watch.error);
      this.#hasWatched = true;
      this.#failure = undefined;
      this.#setWatched([...this.#watched, this.#watching(sought, process, watch.value)]);
    }
  }

  #fail(sought: Sought, error: Error): void {
    this.#setWatched(this.#watched);
    if (!this.#hasWatched) {
      this.#failure = error;
      if (isPerfForbidden(error)) this.#obstacle = error;
    }
    // Somebody else may have the debug registers for now, or others of ours the memory for rings.
    const tries = sought.tries + 1;
    if (tries < MOST_TRIES) this.#waiting.push({ ...sought, tries });
  }

  #watching(sought: Sought, process: Pid, watch: WriteWatch): Watched {
    const images = new LoadedImages(process, this.#files);
    return { ...sought, watch, images, samples: [], began: performance.now() };
  }

  #setWatched(watched: Watched[]): void {
    this.#watched = watched;
    this.#file.watch(watched.map(({ event }) => event.address));
  }
}
