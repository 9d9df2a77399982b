/** `npm test`: sets up whatever is missing, then runs the tests; arguments go to vitest. */
import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { ensureDebianPackages, FOR_TESTS } from './debian-packages.mjs';
import { ensureGuestPackages } from './guest-packages.mjs';
import { home, run } from './run.mjs';

ensureDebianPackages(FOR_TESTS);
ensureBuilt();
await ensureGuestPackages();
const vitest = join(home, 'node_modules', '.bin', 'vitest');
process.exit(run(vitest, ['run', ...process.argv.slice(2)]) ? 0 : 1);
