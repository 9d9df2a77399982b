/** A folder of C files with a Makefile, to be built with `make -j2`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Lack {
  /** A header that is generated, which f0.c needs, and of which the Makefile does not know that. */
  readonly generatedHeader: string;
}

/**
 * Files of a realistic size: a compiler that has nothing to do would be all system calls. What is
 * lacking goes well as long as the generator takes less time than a compiler to get to the header.
 */
export function writeProject(folder: string, files: number, lack?: Lack): void {
  const header = lack?.generatedHeader;
  const objects = Array.from({ length: files }, (_, index) => `obj/f${index}.o`);
  mkdirSync(join(folder, 'obj'));
  const functions = Array.from(
    { length: 40 },
    (_, index) =>
      `int g${index}(int x) { for (int i = 0; i < x; i++) x ^= i * ${index} + x / 3; return x; }`,
  ).join('\n');
  for (let index = 0; index < files; index++) {
    const usesHeader = header !== undefined && index === 0;
    const unique = `int f${index}(int x) { return x + ${usesHeader ? 'OFFSET' : index}; }`;
    const include = usesHeader ? `#include "${header}"\n` : '';
    writeFileSync(
      join(folder, `f${index}.c`),
      `#include <stdio.h>\n#include <stdlib.h>\n${include}static ${functions.replaceAll('\nint', '\nstatic int')}\n${unique}\n`,
    );
  }
  const generator = header
    ? [`${header}:`, `\tsleep 0.003; echo '#define OFFSET 1' >$@`].join('\n')
    : '';
  const rules = ['obj/%.o: %.c', '\tgcc -O2 -w -c -o $@ $<', generator].join('\n');
  const all = [...(header ? [header] : []), ...objects];
  writeFileSync(join(folder, 'Makefile'), `all: ${all.join(' ')}\n${rules}\n`);
}
