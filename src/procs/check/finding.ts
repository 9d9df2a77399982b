/** What a checker is, and what it tells. */
import type { FinalFiles, LeftOut } from './final-files.ts';
import type { OrderInFiles } from './order-in-files.ts';
import type { RunOutcome } from './outcome.ts';

export interface Finding {
  /** Which checker: stays the same from version to version. */
  readonly checker: CheckerId;
  /** For people, a line or a few. */
  readonly evidence: string;
}

export type CheckerId =
  | 'death'
  | 'exit-status'
  | 'hang'
  | 'error-lines'
  | 'final-files'
  | 'leftovers'
  | 'user-check';

export type Checker = (
  recorded: RunOutcome,
  branch: RunOutcome,
  around: Around,
) => Finding | undefined;

export interface Around {
  /** Where the command ran: paths below are told from there. */
  readonly cwd: string;
  /** Files that the user does not want to hear of: ignored-files.ts. */
  readonly ignored: LeftOut;
  /** Files that differ without another order: unstable-files.ts. */
  readonly unstable: LeftOut;
  /** Files that show an order, and may show any: order-in-files.ts. */
  readonly orderIn: OrderInFiles;
  /** The path that the race is about, if it is about one. */
  readonly contested?: string | undefined;
  /** The files of a run; read once, however many ask. */
  filesOf(run: RunOutcome): FinalFiles;
  /**
   * The files at the end of runs in which the racing processes ran one after the other, in each
   * order. Only asked for if the files of the branch are not those of the recorded run.
   */
  serialOrders(): Iterable<FinalFiles>;
}
