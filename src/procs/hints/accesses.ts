/** What a step does to a file, by its operations and flags. */

import type { Step } from '../detect/step.ts';
import { OpenFlag, openFlags } from '../model/open-flags.ts';
import type { Part } from '../model/operation.ts';
import { callName, resultOf } from './scene.ts';

export const does = ({ operations }: Step, op: 'load' | 'store', part: Part): boolean =>
  operations.some((one) => one.op === op && one.part === part);

export const isOpen = (step: Step): boolean => /^(open|openat2?|creat)$/.test(callName(step));

export const isMkdir = (step: Step): boolean => /^mkdir(at)?$/.test(callName(step));

/** The flags of a call that opened a file, for writing or not. */
export const flagsOf = ({ record }: Step): number =>
  record.kind === 'call' ? openFlags(record) : 0;

export const opensToWrite = (step: Step): boolean =>
  isOpen(step) &&
  resultOf(step) >= 0 &&
  (flagsOf(step) & (OpenFlag.O_WRONLY | OpenFlag.O_RDWR)) !== 0;

/** Something is under this name that was not there before. */
export const makes = (step: Step, path: string): boolean =>
  resultOf(step) >= 0 &&
  (isOpen(step)
    ? step.record.kind === 'call' && step.record.created === true
    : /^(mkdir|mknod|symlink)(at)?$/.test(callName(step)) ||
      (/^(rename|link)/.test(callName(step)) && step.name2 === path));
