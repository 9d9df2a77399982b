/** The processes by the numbers that they know each other by, inside their pid namespace. */
import type { Pid } from '../../linux/ids.ts';
import type { StartRecord } from '../../trace/records/start.ts';
import type { Population } from '../model/modelled-call.ts';

export class OwnNumbers implements Population {
  readonly #byOwn = new Map<number, Pid>();
  readonly #own = new Map<Pid, number>();

  started({ pid, ownPid = pid }: StartRecord): void {
    this.#byOwn.set(ownPid, pid);
    this.#own.set(pid, ownPid);
  }

  byOwnNumber(number: number): Pid | undefined {
    return this.#byOwn.get(number);
  }

  numberOf(pid: Pid): number {
    return this.#own.get(pid) ?? pid;
  }
}
