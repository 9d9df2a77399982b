/** How the user ends a run: what Ctrl-C and its relatives (linux/interruption.ts) leave for who looks next. */
import type { Tid } from '../../linux/ids.ts';
import type { Interruptible } from '../../linux/interruption.ts';

export class RunControl implements Interruptible {
  alive: Tid | undefined;
  interruptedBy: number | undefined;
  mustEnd = false;

  demandEnd(): void {
    this.mustEnd = true;
  }
}
