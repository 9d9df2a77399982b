/** A C compiler for the agent, tried by building a shared library as the agent is built. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../command.ts';
import { missing, type Probe, works } from '../probe.ts';
import { withScratchFolder } from '../scratch-folder.ts';

const SOURCE = `#include <pthread.h>
int lock_it(pthread_mutex_t *mutex) { return pthread_mutex_lock(mutex); }
`;
/** Little-endian, at offset 16 of an ELF header, <elf.h>. */
const ET_DYN = 3;

export const compilerProbe: Probe = {
  name: 'C compiler',
  usedBy: 'threads, tolerate (when the agent is not built yet)',
  needed: 'a C compiler that links a shared library',
  run: (signal) =>
    withScratchFolder(async (folder) => {
      writeFileSync(join(folder, 'agent.c'), SOURCE);
      const complaints: string[] = [];
      for (const [compiler, ...options] of candidates()) {
        const args = [...options, '-shared', '-fPIC', '-o', 'agent.so', 'agent.c'];
        const build = await runCommand(compiler, args, { signal, folder });
        if (build.code === 0 && isSharedLibrary(join(folder, 'agent.so'))) {
          const version = await runCommand(compiler, [...options, '--version'], { signal });
          return works(`${compiler} built one: ${version.stdout.split('\n')[0]}`);
        }
        complaints.push(build.complaint.split('\n')[0]!);
      }
      return missing(
        complaints.join('; '),
        'install one: `sudo apt-get install gcc libc6-dev`, or name yours: `export CC=/path/to/cc`',
      );
    }),
};

/** CC may hold options, as in `CC="gcc -m64"`. */
function candidates(): [string, ...string[]][] {
  const [chosen, ...options] = (process.env.CC ?? '').split(/\s+/).filter((word) => word !== '');
  const usual: [string, ...string[]][] = [['cc'], ['gcc'], ['clang']];
  return chosen === undefined ? usual : [[chosen, ...options], ...usual];
}

function isSharedLibrary(path: string): boolean {
  const header = readFileSync(path).subarray(0, 18);
  return header.toString('latin1', 0, 4) === '\x7fELF' && header.readUInt16LE(16) === ET_DYN;
}
