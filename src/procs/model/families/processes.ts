/**
 * Calls about processes: their numbers, parents, groups, credentials, and what /proc tells of them.
 *
 *   kill(14)                 loads the life of 14, which its exit and the wait for it store
 *   read(/proc/14/cmdline)   loads the command of 14, which its execve stores
 *
 * Looking up /proc/14 does not race with the fork of 14: nobody knows the number before that, but
 * from a listing of /proc, which does race with it.
 */
import type { Pid } from '../../../linux/ids.ts';
import { isOrdinaryPath } from '../kernel-files.ts';
import {
  type Family,
  type Model,
  NO_OPERATIONS,
  type Population,
  sameFor,
  succeeded,
} from '../modelled-call.ts';
import { commuting, load, named, type Operation, store, type Thing } from '../operation.ts';

const processThing = (pid: Pid, population: Population): Thing => ({
  key: `process ${pid}`,
  name: `process ${population.numberOf(pid)}`,
});
const groupThing = (group: number): Thing => named(`process group ${group}`);
const adopter = (pid: Pid, population: Population): Thing => ({
  key: `adopter ${pid}`,
  name: `process ${population.numberOf(pid)}`,
});
const PROC = named('/proc');
/** Source: <linux/prctl.h>. */
const PR_SET_NAME = 15;
const PR_SET_CHILD_SUBREAPER = 36;
/** Source: <linux/resource.h>. */
const PRIO_PROCESS = 0;

/** What fork, exit and a successful wait do; they are more than calls to the timeline. */
export const forked = (): Operation[] => [commuting(store('listing', PROC))];
/** Children that have ended already might have outlived it, unless it has waited for them. */
export const exited = (
  pid: Pid,
  children: readonly Pid[],
  ancestors: () => readonly Pid[],
  population: Population,
): Operation[] => [
  store('life', processThing(pid, population)),
  ...children.map((child) => store('parent', processThing(child, population))),
  // They go to the nearest of its ancestors that has said that it takes them.
  ...(children.length === 0
    ? []
    : ancestors().map((one) => load('setting', adopter(one, population)))),
];
export const reaped = (child: Pid, population: Population): Operation[] => [
  store('life', processThing(child, population)),
  commuting(store('listing', PROC)),
];

const PROCESS_FILE = /^\/proc\/(self|thread-self|\d+)(?:\/task\/\d+)?(?:\/(\w+))?/;

/** What is loaded by a lookup of, or a read from, a file in /proc; nothing of other files. */
export const processFile: Model = ({ call, name, process }, population) => {
  const match = name === undefined ? null : PROCESS_FILE.exec(name);
  if (!match) return NO_OPERATIONS;
  const [, number = '', file] = match;
  const pid = /\d/.test(number) ? population.byOwnNumber(Number(number)) : process;
  if (pid === undefined || pid === process) return NO_OPERATIONS;
  const thing = processThing(pid, population);
  // Naming it is a lookup; reading it tells what the process runs.
  if (call.path !== undefined) return [load('life', thing)];
  if (call.result < 0) return NO_OPERATIONS;
  const credentials = file === 'status' ? [load('credentials', thing)] : [];
  const itsName = /^(comm|stat|status)$/.test(file ?? '') ? [load('attributes', thing)] : [];
  return [load('command', thing), ...credentials, ...itsName];
};

function signalled(number: number, process: Pid, population: Population): Operation[] {
  if (number < -1) return [load('group', groupThing(-number))];
  const target = number > 0 ? population.byOwnNumber(number) : undefined;
  if (target === undefined || target === process) return NO_OPERATIONS;
  return [
    load('life', processThing(target, population)),
    load('credentials', processThing(target, population)),
  ];
}

/** `at` is the argument with the number of the process that is meant; 0 stands for the caller. */
const about =
  (at: number, operations: (thing: Thing, isOther: boolean) => Operation[]): Model =>
  ({ call, process }, population) => {
    const number = (call.args[at] ?? 0) | 0;
    const target = number === 0 ? process : population.byOwnNumber(number);
    if (target === undefined) return NO_OPERATIONS;
    return operations(processThing(target, population), target !== process);
  };

const aboutGroup = (op: typeof load): Model => about(0, (thing) => [op('group', thing)]);
/** Nobody need ask whether it lives itself. */
const lookingFor = about(0, (thing, isOther) => (isOther ? [load('life', thing)] : NO_OPERATIONS));

const setGroup: Model = (modelled, population) => {
  if (!succeeded(modelled)) return aboutGroup(load)(modelled, population);
  const { call } = modelled;
  const group = (call.args[1] ?? 0) | 0 || (call.args[0] ?? 0) | 0;
  return [
    // A shell and its child both say the same of the child, so as not to have to wait for each other.
    ...aboutGroup(store)(modelled, population).map(commuting),
    ...(group > 0 ? [commuting(store('group', groupThing(group)))] : []),
  ];
};

const ofPriority =
  (op: typeof load): Model =>
  (modelled, population) =>
    modelled.call.args[0] === PRIO_PROCESS
      ? about(1, (thing) => [op('setting', thing)])(modelled, population)
      : NO_OPERATIONS;

const setCredentials: Model = (modelled, population) =>
  succeeded(modelled)
    ? [store('credentials', processThing(modelled.process, population))]
    : NO_OPERATIONS;

/** A script or program is read, and from then on /proc tells that it runs. */
const execute: Model = (modelled, population) => {
  const { call, name, target, process } = modelled;
  const isFile = name !== undefined && isOrdinaryPath(name);
  const lookup = isFile && call.path !== undefined ? [load('entry', named(name))] : NO_OPERATIONS;
  if (!succeeded(modelled)) return lookup;
  const program = target && isFile ? [load('contents', target)] : [];
  return [...lookup, ...program, store('command', processThing(process, population))];
};

export const PROCESSES: Family = {
  ...sameFor(execute, 'execve', 'execveat'),
  getppid: ({ process }, population) => [load('parent', processThing(process, population))],
  ...sameFor(
    ({ call, process }, population) => signalled((call.args[0] ?? 0) | 0, process, population),
    ...['kill', 'tkill', 'tgkill', 'rt_sigqueueinfo', 'rt_tgsigqueueinfo'],
  ),
  ...sameFor(aboutGroup(load), 'getpgid', 'getsid'),
  getpgrp: ({ process }, population) => [load('group', processThing(process, population))],
  setpgid: setGroup,
  setsid: (modelled, population) =>
    succeeded(modelled)
      ? [store('group', processThing(modelled.process, population))]
      : NO_OPERATIONS,
  ...sameFor(setCredentials, 'setuid', 'setgid', 'setreuid', 'setregid', 'setresuid', 'setresgid'),
  setpriority: (modelled, population) =>
    ofPriority(succeeded(modelled) ? store : load)(modelled, population),
  getpriority: ofPriority(load),
  // Whether it sets limits or only asks is not recorded.
  prlimit64: lookingFor,
  pidfd_open: lookingFor,
  prctl: ({ call, process }, population) => {
    if (call.result < 0) return NO_OPERATIONS;
    if (call.args[0] === PR_SET_NAME)
      return [store('attributes', processThing(process, population))];
    return call.args[0] === PR_SET_CHILD_SUBREAPER
      ? [store('setting', adopter(process, population))]
      : NO_OPERATIONS;
  },
  ...sameFor(setCredentials, 'setgroups', 'setfsuid', 'setfsgid', 'capset'),
};
