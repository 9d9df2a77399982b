/**
 * Whether an image brings its own code for throwing exceptions (linked with -static-libgcc, say). The agent
 * tells the shared one where clones have their unwind tables; another would not find its way through them,
 * and end the program.
 */
import { UNDEFINED_SECTION } from '../elf/constants.ts';
import type { ElfFile } from '../elf/elf-file.ts';
import { dynamicSymbols } from '../elf/symbols.ts';
import type { Fde } from '../unwind/eh-frame.ts';

const THROWERS = [
  '_Unwind_RaiseException',
  '_Unwind_Resume',
  '__cxa_throw',
  '_Unwind_ForcedUnwind',
];

/** The reason not to clone anything of it, if there is one. */
export function ownUnwinder(elf: ElfFile, fdes: readonly Fde[]): string | undefined {
  if (!fdes.some(({ lsda }) => lsda !== undefined)) return undefined;
  const symbols = dynamicSymbols(elf);
  for (let index = 0; symbols && index < symbols.count; index++) {
    if (symbols.section(index) === UNDEFINED_SECTION && THROWERS.includes(symbols.name(index)))
      return undefined;
  }
  return 'the image has its own code for exceptions, which does not know of clones';
}
