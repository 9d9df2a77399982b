/** Functions for a test, from a few lines of assembly. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FunctionCode } from '../code/function-code.ts';
import { findFunctions } from '../code/functions.ts';
import { ElfFile } from '../elf/elf-file.ts';
import { readEhFrame } from '../unwind/eh-frame.ts';
import { scratchFolder } from './compiled.ts';

/** A shared library of these functions, one after the other, without anything between them. */
export function assembledImage(functions: Readonly<Record<string, string>>, data = ''): ElfFile {
  const source = join(scratchFolder(), 'functions.s');
  const texts = Object.entries(functions).map(
    ([name, body]) =>
      `.globl ${name}\n.type ${name},@function\n${name}:\n.cfi_startproc\n${body}\n.cfi_endproc\n.size ${name},.-${name}\n`,
  );
  const text = `.intel_syntax noprefix\n.text\n${texts.join('')}${data}\n.section .note.GNU-stack,"",@progbits\n`;
  writeFileSync(source, text);
  const output = `${source}.so`;
  execFileSync('gcc', ['-shared', '-nostdlib', '-Wl,-Bsymbolic', source, '-o', output], {
    stdio: 'pipe',
  });
  return new ElfFile(readFileSync(output));
}

/** The function, or why it was refused. */
export function assembled(body: string): FunctionCode | string {
  const elf = assembledImage({ f: body });
  const [found] = findFunctions(elf, readEhFrame(elf).fdes);
  return found!.code.ok ? found!.code.value : found!.code.error;
}

/** One that is not refused. */
export function assembledCode(body: string): FunctionCode {
  const code = assembled(body);
  if (typeof code === 'string') throw new Error(code);
  return code;
}
