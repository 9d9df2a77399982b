/**
 * `npm run screenshots`: makes the pictures in docs/images, of reports that are made for it. Whoever changes what
 * people see runs it, and looks at them.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { ensureBuilt } from './build.mjs';
import { giveUp, home } from './run.mjs';

const images = join(home, 'docs', 'images');
const RACES_FOUND = 66;
/** It is seen in the pictures: always the same, so that these change only when the report does. */
const folder = '/tmp/project';

/** What is run, and of what. */
const SHOTS = [
  {
    name: 'process-race',
    example: 'procs/missing-directory',
    command: ['procs', '-q', '--', 'make', '-j2', '-f', 'racy.mk'],
    height: 1150,
  },
  {
    name: 'thread-race',
    example: 'threads/early-publication',
    compile: 'racy.c',
    command: ['threads', '-q', '--', './program'],
    height: 1150,
  },
];

/** @param {{ example: string, compile?: string, command: string[] }} shot */
function makePage({ example, compile, command }) {
  if (existsSync(folder)) giveUp(`${folder} is in the way: move it, examples are run there`);
  cpSync(join(home, 'examples', example), folder, { recursive: true });
  /** @param {string[]} line */
  const run = ([program = '', ...args]) => spawnSync(program, args, { cwd: folder }).status;
  if (compile) run(['cc', '-g', '-O1', '-pthread', compile, '-o', 'program']);
  const deadheat = join(home, 'deadheat');
  if (run([deadheat, ...command]) !== RACES_FOUND) {
    rmSync(folder, { recursive: true });
    giveUp(`no race in ${example} this time`);
  }
  run([deadheat, 'report', 'latest', '--html', 'page.html']);
}

ensureBuilt();
mkdirSync(images, { recursive: true });
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
for (const shot of SHOTS) {
  makePage(shot);
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    const page = await browser.newPage({
      viewport: { width: 1200, height: shot.height },
      colorScheme,
    });
    await page.goto(pathToFileURL(join(folder, 'page.html')).href);
    await page.waitForSelector('canvas');
    await page.waitForTimeout(500);
    await page.screenshot({ path: join(images, `${shot.name}-${colorScheme}.png`) });
    await page.close();
  }
  rmSync(folder, { recursive: true });
}
await browser.close();
