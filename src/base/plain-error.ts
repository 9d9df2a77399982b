/**
 * Errors between threads: a message to another thread keeps the fields of an error but not its
 * class, so what the user can mend would arrive as a bug of ours.
 */
import { InternalError } from './assert.ts';
import type { ExitStatus } from './exit-status.ts';
import { UserError } from './user-error.ts';

export type PlainError =
  | { kind: 'user'; message: string; remedy: string; status: ExitStatus }
  | { kind: 'internal'; stack: string };

export function toPlainError(error: unknown): PlainError {
  if (error instanceof UserError) {
    const { message, remedy, status } = error;
    return { kind: 'user', message, remedy, status };
  }
  return { kind: 'internal', stack: error instanceof Error ? `${error.stack}` : String(error) };
}

export function fromPlainError(plain: PlainError): Error {
  if (plain.kind === 'user') return new UserError(plain.message, plain.remedy, plain.status);
  const error = new InternalError('in another thread');
  error.stack = plain.stack;
  return error;
}
