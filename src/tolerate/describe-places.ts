/** Where an address of a program is, for people: `deposit (bank.c:12)`, or what is known of that. */
import { basename } from 'node:path';
import type { ElfFile } from '../binary/elf/elf-file.ts';
import type { ImageAddress } from '../binary/image-address.ts';
import { namesOf } from '../debugger/image-names.ts';

export function describePlaces(path: string, elf: ElfFile): (address: ImageAddress) => string {
  const names = namesOf(path, elf);
  return (address) => {
    const frames = names.framesAt(address);
    // Of an inlined std::mutex::lock, who holds it is more telling than where it stands.
    const own = frames.find(({ file }) => !file.startsWith('/usr/'));
    const { function: name, file, line } = own ?? frames.at(-1)!;
    const at = `0x${address.toString(16)}`;
    if (name === '') return at;
    return file === '' ? `${name} (${at})` : `${name} (${basename(file)}:${line})`;
  };
}
