import { ExitStatus } from './exit-status.ts';

/**
 * Something the user can mend: printed as one line, `deadheat: MESSAGE; REMEDY`, without a stack.
 *
 * `status` is `usage` when the command line or a file it names is wrong, `unavailable` when the
 * machine lacks something (a full disk, a kernel without user namespaces).
 */
export class UserError extends Error {
  override name = 'UserError';
  readonly remedy: string;
  readonly status: ExitStatus;

  constructor(message: string, remedy: string, status: ExitStatus = ExitStatus.usage) {
    super(message);
    this.remedy = remedy;
    this.status = status;
  }
}
