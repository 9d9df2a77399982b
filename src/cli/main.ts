#!/usr/bin/env node
import { ExitStatus } from '../base/exit-status.ts';
import { ownArguments } from '../linux/own-process.ts';
import { explainFailure } from './failure.ts';
import { createProgram } from './program.ts';

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // `deadheat ls | head -1`: the reader has seen enough, which is no error.
    if (error.code === 'EPIPE') return;
    process.exitCode = ExitStatus.unavailable;
    if (stream === process.stdout) {
      process.stderr.write(
        `deadheat: cannot write to stdout (${error.code}); check where it goes\n`,
      );
    }
    process.exit();
  });
}

// Node would open its debugger on the network.
process.on('SIGUSR1', () => {});

try {
  await createProgram().parseAsync(ownArguments(), { from: 'user' });
} catch (error) {
  process.exitCode = explainFailure(error);
}
