/** Rewrites one program, in a process of its own: nothing is warm. Prints how long that took. */
import { readFileSync } from 'node:fs';
import { ElfFile } from '../src/binary/elf/elf-file.ts';
import { encodeBlob } from '../src/binary/rewrite/blob.ts';
import { rewriteImage } from '../src/binary/rewrite/rewrite.ts';
import { milliseconds } from './measure.ts';

const [, , path = ''] = process.argv;
let instructions = 0;
const ms = milliseconds(() => {
  const rewritten = rewriteImage(new ElfFile(readFileSync(path)), { logs: true });
  encodeBlob(rewritten.blob);
  ({ instructions } = rewritten);
});
console.log(JSON.stringify({ instructions, ms }));
