/**
 * The memory that the programs and the recorder share. `tasks` is at once the set of the tasks
 * that are recorded and the place where each one's call in progress is put together.
 */
import { type BpfMap, createMap, MapFlag, update } from '../../../linux/bpf.ts';
import { CALLS, CallShape, callTable } from './call-table.ts';
import { ExecEvent, Shared, TaskState } from './layout.ts';

/** Tasks that can be alive at once; one more counts as a dropped event. Each takes 728 bytes. */
const MOST_TASKS = 32_768;
/** Two for each connected socket; the oldest are forgotten. */
const MOST_SOCKETS = 8192;

export interface RecorderMaps {
  readonly ring: BpfMap;
  readonly tasks: BpfMap;
  /** See call-table.ts. */
  readonly calls: BpfMap;
  /** See `Shared` in layout.ts. */
  readonly shared: BpfMap;
  /** A TaskState of zeros, with which a task begins. */
  readonly blank: BpfMap;
  /** Room for events that are too large for a program's stack. */
  readonly workspace: BpfMap;
  /** How much more to keep of what goes through a socket: see connected-sockets.ts. */
  readonly sockets: BpfMap;
  /** Programs that others go on with: see `called` in programs.ts. */
  readonly called: BpfMap;
}

/** The key of an array's only value. */
export const ONLY_KEY = Buffer.alloc(4);

/** `keep` is told of each map at once, so that none is lost if a later one cannot be made. */
export function createMaps(ringBytes: number, keep: (map: BpfMap) => BpfMap): RecorderMaps {
  const one = (name: string, valueSize: number, flags = 0): BpfMap =>
    keep(createMap({ type: 'array', keySize: 4, valueSize, entries: 1, name, flags }));
  const ring = { keySize: 0, valueSize: 0, entries: ringBytes, name: 'events' };
  const tasks = { keySize: 4, valueSize: TaskState.size, entries: MOST_TASKS, name: 'tasks' };
  const workspace = { keySize: 4, valueSize: ExecEvent.size, entries: 1, name: 'workspace' };
  const sockets = { keySize: 8, valueSize: 8, entries: MOST_SOCKETS, name: 'sockets' };
  const called = { keySize: 4, valueSize: 4, entries: 1, name: 'called' };
  const maps: RecorderMaps = {
    ring: keep(createMap({ type: 'ring-buffer', ...ring })),
    tasks: keep(createMap({ type: 'hash', ...tasks })),
    calls: one('calls', CALLS * CallShape.size),
    shared: one('shared', Shared.size, MapFlag.mappable),
    blank: one('blank', TaskState.size),
    workspace: keep(createMap({ type: 'per-cpu-array', ...workspace })),
    sockets: keep(createMap({ type: 'forgetful-hash', ...sockets })),
    called: keep(createMap({ type: 'program-array', ...called })),
  };
  update(maps.calls, ONLY_KEY, callTable());
  return maps;
}
