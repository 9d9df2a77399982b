/** Calls that look at, or change, what is known of a file besides its bytes. */
import { errnoNumber } from '../../../linux/errno.ts';
import { isOrdinaryPath } from '../kernel-files.ts';
import {
  type Family,
  type Model,
  type ModelledCall,
  NO_OPERATIONS,
  sameFor,
  succeeded,
} from '../modelled-call.ts';
import { load, lookUpToWrite, named, type Operation, type Part, store } from '../operation.ts';

const looking = (name: string): Operation => load('entry', named(name));

const EACCES = errnoNumber('EACCES') ?? 0;

/**
 * The lookup of the path, if there is one, and then the file's parts if it was found. Who is told
 * that it may not has been told of the file's mode.
 */
const ofFile =
  (parts: (modelled: ModelledCall) => Operation[], lookUp = looking): Model =>
  (modelled) => {
    const { call, name, target } = modelled;
    if (name === undefined || !isOrdinaryPath(name)) return NO_OPERATIONS;
    const lookup = call.path === undefined ? [] : [lookUp(name)];
    if (target && succeeded(modelled)) return [...lookup, ...parts(modelled)];
    return target && call.result === -EACCES ? [...lookup, load('attributes', target)] : lookup;
  };

const loading = (...parts: Part[]): Model =>
  ofFile(({ target }) => parts.map((part) => load(part, target!)));
const storing = (...parts: Part[]): Model =>
  ofFile(({ target }) => parts.map((part) => store(part, target!)), lookUpToWrite);

/**
 * Who asks by path wants to know how long a file is and when it was changed. Who has it open, as
 * the C library does before it reads, wants its block size; its bytes are told by the read.
 */
const inspect: Model = ofFile(({ call, target }) => [
  load('attributes', target!),
  ...(call.path === undefined ? [] : [load('size', target!)]),
]);

export const ATTRIBUTES: Family = {
  ...sameFor(inspect, 'stat', 'lstat', 'fstat', 'newfstatat', 'statx'),
  ...sameFor(loading('attributes'), 'access', 'faccessat', 'faccessat2'),
  ...sameFor(storing('attributes'), 'chmod', 'fchmod', 'fchmodat', 'fchmodat2'),
  ...sameFor(storing('attributes'), 'chown', 'lchown', 'fchown', 'fchownat'),
  ...sameFor(storing('size'), 'utime', 'utimes', 'futimesat', 'utimensat'),
  ...sameFor(storing('attributes'), 'setxattr', 'lsetxattr', 'fsetxattr'),
  ...sameFor(storing('attributes'), 'removexattr', 'lremovexattr', 'fremovexattr'),
  ...sameFor(loading('attributes'), 'getxattr', 'lgetxattr', 'fgetxattr'),
  ...sameFor(loading('attributes'), 'listxattr', 'llistxattr', 'flistxattr'),
};
