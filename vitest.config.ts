import { defineConfig } from 'vitest/config';

/** `.ci/run` wants the counts in a file. */
const resultsFile = process.env.DEADHEAT_TEST_RESULTS;

/** `npm run test:long`: sweeps that take minutes each, and nothing else. */
const isLong = process.env.DEADHEAT_LONG_TESTS !== undefined;

// Tests start real processes on a machine that may be slow; none is a race against the clock. These limits
// are for what hangs: ten times as long as the longest test takes.
const timeLimit = isLong ? 3_600_000 : 600_000;
const limits = {
  testTimeout: timeLimit,
  hookTimeout: timeLimit,
  expect: { poll: { timeout: timeLimit / 10 } },
};

/** Two files at a time: most wait for programs to end, not for a processor. */
const maxWorkers = 2;
const endToEnd = {
  name: 'end to end',
  include: [isLong ? 'test/long/**/*.test.ts' : 'test/*.test.ts'],
  maxWorkers,
  sequence: { groupOrder: 1 },
  ...limits,
};
const units = {
  name: 'units',
  include: isLong ? [] : ['src', 'web', 'tools', 'bench'].map((folder) => `${folder}/**/*.test.ts`),
  maxWorkers,
  sequence: { groupOrder: 0 },
  ...limits,
};

export default defineConfig({
  test: {
    projects: (isLong ? [endToEnd] : [units, endToEnd]).map((test) => ({ test })),
    reporters: resultsFile ? ['default', ['json', { outputFile: resultsFile }]] : ['default'],
  },
});
