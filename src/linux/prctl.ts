/** prctl(2): what a process may ask of the kernel about itself. */
import { libcFunction } from './libc.ts';
import { checked } from './system-error.ts';

const prctl = libcFunction('int prctl(int option, ulong value)');

/** Source: <linux/prctl.h>. */
const Option = { PR_SET_DUMPABLE: 4 } as const;

function request(option: keyof typeof Option, value: number): void {
  checked('prctl', [option, value], prctl(Option[option], value));
}

/** No core dump if we die of a signal; others of the same user cannot attach to us either. */
export function setDumpable(dumpable: boolean): void {
  request('PR_SET_DUMPABLE', dumpable ? 1 : 0);
}
