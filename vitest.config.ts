import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'tools/**/*.test.ts'],
    // Tests start real processes on a machine that may be slow; none of them is a race against the clock.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
