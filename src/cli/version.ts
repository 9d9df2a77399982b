import { readFileSync } from 'node:fs';

/** package.json stands two folders up, from src/cli as from dist/cli. */
const packageFile = new URL('../../package.json', import.meta.url);

export const version: string = JSON.parse(readFileSync(packageFile, 'utf8')).version;
