/**
 * The code of a process in which breakpoints are planted: only where memory has what the file has, and never in a
 * library that is about to go.
 */
import type { LoadedImages } from '../../debugger/loaded-images.ts';
import type { Pid, Tid } from '../../linux/ids.ts';
import type { Registers } from '../../linux/registers.ts';
import { CodeMap } from './code-map.ts';
import { LoaderListener } from './loader-listener.ts';
import { PlantedCode } from './planted-code.ts';
import { QuickPlaces } from './quick-places.ts';

/** Bytes of the file that must be in memory for a breakpoint to be put there. */
const EXPECTED_BYTES = 16;

export class SampledCode {
  readonly map: CodeMap;
  readonly quick: QuickPlaces;
  readonly #process: Pid;
  readonly #loader: LoaderListener;
  /** Breakpoints in libraries while some of these are going. */
  readonly #setAside = new Set<bigint>();
  #planted: PlantedCode;

  constructor(process: Pid, also: readonly string[], isQuick: boolean) {
    this.#process = process;
    this.map = new CodeMap(process, also);
    this.quick = new QuickPlaces(process, isQuick);
    this.#planted = this.#newlyPlanted();
    this.#loader = new LoaderListener(process);
  }

  get planted(): PlantedCode {
    return this.#planted;
  }

  get images(): LoadedImages {
    return this.map.images;
  }

  /** The process stands, or we are attached to it. */
  begin(): void {
    this.quick.startAnew(this.#planted.memory);
    this.#loader.listen(this.#planted, this.map.images);
    // The loader is not sampled: nothing that it does is to be missed.
    this.#planted.write();
  }

  /** Another program runs in the process, of whose code nothing is known. */
  startAnew(): void {
    this.map.startAnew();
    this.#setAside.clear();
    this.#planted.close();
    this.#planted = this.#newlyPlanted();
    this.begin();
  }

  /** Nothing of us is left there. */
  close(): void {
    this.quick.close();
    this.#planted.close();
  }

  /** Those at which one stands now, or from then on. */
  plant(addresses: Iterable<bigint>, from?: number): bigint[] {
    return [...addresses].filter((address) => {
      const expected = this.map.bytesAt(address, EXPECTED_BYTES);
      if (expected === undefined || !this.#planted.plant(address, expected, from)) return false;
      this.quick.planted(address, this.#planted.codeAt(address)!);
      return true;
    });
  }

  unplant(address: bigint): void {
    this.#setAside.delete(address);
    this.#planted.unplant(address);
  }

  isLoader(address: bigint): boolean {
    return this.#loader.isAt(address);
  }

  /** `task` stands at the loader's callback, and behind it then. True if there is other code to sample now. */
  heardLoader(task: Tid, registers: Registers): boolean {
    const hasChanged = this.#loader.areLibrariesGoing(task)
      ? this.#setLibrariesAside()
      : this.#lookAgain();
    this.#loader.return(task, registers);
    return hasChanged;
  }

  #newlyPlanted(): PlantedCode {
    return new PlantedCode(this.#process, (address) => this.quick.forget(address));
  }

  #setLibrariesAside(): boolean {
    for (const address of [...this.#planted.addresses]) {
      if (this.#loader.isAt(address) || this.map.isExecutable(address)) continue;
      this.#planted.unplant(address);
      this.#setAside.add(address);
    }
    return false;
  }

  #lookAgain(): boolean {
    const hasChanged = this.map.refresh();
    this.plant(this.#setAside);
    this.#setAside.clear();
    // Whoever has called the loader goes on at once.
    this.#planted.write();
    return hasChanged;
  }
}
