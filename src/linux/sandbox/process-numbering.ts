/**
 * Which number the next process of a sandbox gets. The kernel counts up, from a number that may be
 * written to a file, but only by somebody in that pid namespace with privileges there: its process 1.
 */
import type { Tid } from '../ids.ts';
import type { RemoteTask } from './remote-task.ts';

const LAST_NUMBER = '/proc/sys/kernel/ns_last_pid';
/** Source: <asm-generic/fcntl.h>. */
const O_WRONLY = 1;

export class ProcessNumbering {
  readonly #init: RemoteTask;

  constructor(init: RemoteTask) {
    this.#init = init;
  }

  get init(): Tid {
    return this.#init.task;
  }

  /** Unless it is taken: then the next one that is free. */
  setNext(number: number): void {
    this.#init.inBetween((init) => {
      const text = `${number - 1}`;
      const file = init.call('open', LAST_NUMBER, O_WRONLY);
      init.call('write', file, text, text.length);
      init.call('close', file);
    });
  }
}
