/** Whether an address is in the program itself, where variables have names, and not on its heap. */
import type { ReadProgram } from '../read-program.ts';
import type { EventFile } from './event-file.ts';

export type InProgram = (address: bigint) => boolean;

/** Where it was loaded is not known before it runs. */
export function inProgram(file: EventFile, { elf }: Pick<ReadProgram, 'elf'>): InProgram {
  const size = BigInt(Math.max(0, ...elf.segments.map(({ address, size }) => address + size)));
  return (address) => address >= file.image && address < file.image + size;
}
