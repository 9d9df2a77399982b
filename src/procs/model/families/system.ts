/** Calls on what the whole system has one of: its name, its clock, its mounts. */
import { type Family, type Model, NO_OPERATIONS, sameFor, succeeded } from '../modelled-call.ts';
import { load, named, type Operation, store } from '../operation.ts';

const reading =
  (what: string): Model =>
  () => [load('setting', named(what))];

const changing =
  (what: string): Model =>
  (modelled): Operation[] =>
    succeeded(modelled) ? [store('setting', named(what))] : NO_OPERATIONS;

const NAME = "the system's name";
const CLOCK = "the system's clock";
const MOUNTS = "the system's mounts";

export const SYSTEM: Family = {
  uname: reading(NAME),
  ...sameFor(changing(NAME), 'sethostname', 'setdomainname'),
  ...sameFor(changing(CLOCK), 'settimeofday', 'clock_settime', 'adjtimex', 'clock_adjtime'),
  ...sameFor(changing(MOUNTS), 'mount', 'umount2', 'pivot_root'),
};
