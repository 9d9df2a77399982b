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

/** Bytes of the file that must be in memory for a breakpoint to be put there. */
const EXPECTED_BYTES = 16;

export class SampledCode {
  readonly map: CodeMap;
  readonly #process: Pid;
  readonly #loader: LoaderListener;
  /** Breakpoints in libraries while some of these are going. */
  readonly #setAside = new Set<bigint>();
  #planted: PlantedCode;

  constructor(process: Pid, also: readonly string[]) {
    this.#process = process;
    this.map = new CodeMap(process, also);
    this.#planted = new PlantedCode(process);
    this.#loader = new LoaderListener(process);
  }

  get planted(): PlantedCode {
    return this.#planted;
  }

  get images(): LoadedImages {
    return this.map.images;
  }

  listenToLoader(): void {
    this.#loader.listen(this.#planted, this.map.images);
  }

  /** Another program runs in the process, of whose code nothing is known. */
  startAnew(): void {
    this.map.startAnew();
    this.#setAside.clear();
    this.#planted.close();
    this.#planted = new PlantedCode(this.#process);
    this.listenToLoader();
  }

  /** Those at which one stands now. */
  plant(addresses: Iterable<bigint>): bigint[] {
    return [...addresses].filter((address) => {
      const expected = this.map.bytesAt(address, EXPECTED_BYTES);
      return expected !== undefined && this.#planted.plant(address, expected);
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
    return hasChanged;
  }
}
