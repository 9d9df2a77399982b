/**
 * Which sockets poll(2) and its relatives have told of as readable. What is behind a descriptor is learned from
 * the calls that are made on it; that is enough for those that are read in the end.
 */
import { encodeBytes } from '../../../base/bytes.ts';
import type { Pid, Tid } from '../../../linux/ids.ts';
import type { CallRecord } from '../../../trace/records/call.ts';
import type { StartRecord } from '../../../trace/records/start.ts';
import { epollRegistration, readyDescriptors, readyValues } from '../../detect/order/readiness.ts';
import { recordedCall } from '../../model/recorded-calls.ts';

export interface Told {
  readonly inode: number;
  readonly fd: number;
}

export class ReadableSockets {
  readonly #processes = new Map<Tid, Pid>();
  readonly #inodes = new Map<Pid, Map<number, number>>();
  /** By epoll descriptor, and then by the value that the program chose. */
  readonly #registered = new Map<number, Map<bigint, number>>();

  started({ tid, pid, parentTid }: StartRecord): void {
    this.#processes.set(tid, pid);
    const parent = parentTid === undefined ? undefined : this.#processes.get(parentTid);
    const inherited = parent === undefined ? undefined : this.#inodes.get(parent);
    if (inherited && parent !== pid) this.#inodes.set(pid, new Map(inherited));
  }

  /** With one of their descriptors each; also learns from the call. */
  toldBy(call: CallRecord, name: string): readonly Told[] {
    this.#learn(call, name);
    if (call.result <= 0 || call.data === undefined) return [];
    const bytes = encodeBytes(call.data);
    const known = this.#inodesOf(call);
    const fds = readyDescriptors(bytes, name);
    const registered = call.file && this.#registered.get(call.file.id);
    const told = [
      ...fds.map((fd) => ({ fd, inode: known.get(fd) })),
      ...readyValues(bytes, name).map((value) => {
        const inode = registered?.get(value);
        return { inode, fd: [...known].findLast(([, one]) => one === inode)?.[0] ?? -1 };
      }),
    ];
    return told.filter((one): one is Told => one.inode !== undefined);
  }

  #learn(call: CallRecord, name: string): void {
    const { args, file, file2, result } = call;
    const shape = recordedCall(call.number);
    const at = shape?.file;
    if (file && at !== undefined) this.#inodesOf(call).set((args[at] ?? 0) | 0, file.inode);
    if (file2 && shape?.opens && result >= 0) this.#inodesOf(call).set(result, file2.inode);
    const value = epollRegistration(call, name);
    if (value === undefined || !file || !file2) return;
    const registered = this.#registered.get(file.id) ?? new Map<bigint, number>();
    registered.set(value, file2.inode);
    this.#registered.set(file.id, registered);
  }

  #inodesOf({ tid }: CallRecord): Map<number, number> {
    const process = this.#processes.get(tid) ?? (tid as number as Pid);
    const inodes = this.#inodes.get(process) ?? new Map<number, number>();
    this.#inodes.set(process, inodes);
    return inodes;
  }
}
