#!/usr/bin/env node
import { ownArguments } from '../linux/own-process.ts';
import { explainFailure } from './failure.ts';
import { createProgram } from './program.ts';

// `deadheat ls | head -1`: the reader has seen enough, which is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  throw error;
});

// Node would open its debugger on the network.
process.on('SIGUSR1', () => {});

try {
  await createProgram().parseAsync(ownArguments(), { from: 'user' });
} catch (error) {
  process.exitCode = explainFailure(error);
}
