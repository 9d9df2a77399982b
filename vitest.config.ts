import { defineConfig } from 'vitest/config';

/** `.ci/run` wants the counts in a file. */
const resultsFile = process.env.DEADHEAT_TEST_RESULTS;

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'tools/**/*.test.ts'],
    // Tests start real processes on a machine that may be slow; none is a race against the clock.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: resultsFile ? ['default', ['json', { outputFile: resultsFile }]] : ['default'],
  },
});
