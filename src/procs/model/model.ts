/**
 * What each recorded call does to the objects of the kernel: the families of calls in one table.
 * A recorded call that is in none of them is in without-model.ts, with a reason.
 */
import { syscallName } from '../../linux/syscalls.ts';
import { ATTRIBUTES } from './families/attributes.ts';
import { CONTENTS } from './families/contents.ts';
import { CONTROLS } from './families/controls.ts';
import { IPC } from './families/ipc.ts';
import { NAMES } from './families/names.ts';
import { PROCESSES, processFile } from './families/processes.ts';
import { SOCKETS } from './families/sockets.ts';
import { streamOperations } from './families/streams.ts';
import { SYSTEM } from './families/system.ts';
import type { Family, ModelledCall, Population } from './modelled-call.ts';
import type { Operation } from './operation.ts';

const MODELS: Family = {
  ...NAMES,
  ...CONTENTS,
  ...CONTROLS,
  ...ATTRIBUTES,
  ...PROCESSES,
  ...SYSTEM,
  ...IPC,
  ...SOCKETS,
};

/** The calls that have a model. */
export const MODELLED_CALLS: readonly string[] = Object.keys(MODELS);

export function operationsOf(modelled: ModelledCall, population: Population): Operation[] {
  const { call, name } = modelled;
  const own = MODELS[syscallName(call.number)]?.(modelled, population) ?? [];
  const ofStreams = streamOperations(modelled, population);
  const ofProcesses = name?.startsWith('/proc/') ? processFile(modelled, population) : [];
  if (ofStreams.length + ofProcesses.length === 0) return own;
  return [...own, ...ofStreams, ...ofProcesses];
}
