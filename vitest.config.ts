import { defineConfig } from 'vitest/config';

/** `.ci/run` wants the counts in a file. */
const resultsFile = process.env.DEADHEAT_TEST_RESULTS;

/** `npm run test:long`: sweeps that take minutes each, and nothing else. */
const isLong = process.env.DEADHEAT_LONG_TESTS !== undefined;

export default defineConfig({
  test: {
    include: isLong
      ? ['test/long/**/*.test.ts']
      : ['src/**/*.test.ts', 'test/*.test.ts', 'tools/**/*.test.ts'],
    // Tests start real processes on a machine that may be slow; none is a race against the clock. These
    // limits are for what hangs: ten times as long as the longest test takes.
    testTimeout: isLong ? 3_600_000 : 600_000,
    hookTimeout: isLong ? 3_600_000 : 600_000,
    reporters: resultsFile ? ['default', ['json', { outputFile: resultsFile }]] : ['default'],
  },
});
