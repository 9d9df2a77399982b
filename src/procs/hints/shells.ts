import type { Program } from '../detect/task-history.ts';

/** A login shell has a hyphen before its name. */
export const isShell = ({ name }: Program): boolean =>
  /^-?(sh|bash|dash|ksh|mksh|zsh|ash)$/.test(name);

export const isMake = ({ name }: Program): boolean => /^(g|b|)make$/.test(name);
