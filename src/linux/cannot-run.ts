import { printable } from '../base/bytes.ts';
import { UserError } from '../base/user-error.ts';

/** The kernel has refused to execute it; `code` says why, as `E2BIG`. */
export function cannotRun(path: string, code: string): UserError {
  const remedy =
    code === 'E2BIG' ? 'use fewer or shorter arguments' : 'check the program and its interpreter';
  return new UserError(`cannot run '${printable(path)}': ${code}`, remedy);
}
