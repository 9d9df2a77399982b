/** Installs the npm packages that package-lock.json names, unless they are there already. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { giveUp, home, run } from './run.mjs';

const NEEDED_NODE = [20, 19];

export function ensureNpmPackages() {
  requireNode();
  const lock = createHash('sha256')
    .update(readFileSync(join(home, 'package-lock.json')))
    .digest('hex');
  const stamp = join(home, 'node_modules', '.deadheat-lock');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  console.error('deadheat: installing npm packages …');
  // Not 'npm ci': that insists on optional packages for other platforms, which a mirror may lack.
  // What npm prints goes to our stderr: stdout belongs to the command the user asked for.
  if (
    !run('sh', [
      '-c',
      'npm install --no-save --include=dev --ignore-scripts --no-audit --no-fund --loglevel=error >&2',
    ])
  ) {
    giveUp(
      'npm install failed (see above); check that the npm registry can be reached, then try again',
    );
  }
  writeFileSync(stamp, lock);
}

function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [needMajor = 0, needMinor = 0] = NEEDED_NODE;
  if (major > needMajor || (major === needMajor && minor >= needMinor)) return;
  giveUp(
    `found Node ${process.versions.node}, need ${NEEDED_NODE.join('.')} or newer; install a newer Node.js`,
  );
}
