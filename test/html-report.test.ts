/** The HTML report of real runs, in a real browser. */
import { cpSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Report } from '../src/report/model.ts';
import { openReport, startBrowser } from './harness/browser.ts';
import { deadheat, PROJECT } from './harness/deadheat.ts';
import { inGoodOrder } from './harness/good-order.ts';
import { scratchFolder } from './harness/scratch.ts';
import { compileScenario, scenariosIn } from './harness/thread-scenarios.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

const reportIn = (cwd: string, run: string): Report =>
  JSON.parse(readFileSync(join(cwd, '.deadheat', run, 'report.json'), 'utf8')) as Report;

/** In whose order the build went well, with the race that makes it fail. */
function buildRun(): string {
  const { cwd } = inGoodOrder(() => {
    const folder = scratchFolder();
    cpSync(join(PROJECT, 'examples/procs/missing-directory'), folder, { recursive: true });
    deadheat(['procs', '-q', '--', 'make', '-j2', '-f', 'racy.mk'], { cwd: folder });
    const { races, exit } = reportIn(folder, 'procs-1');
    return { cwd: folder, isGood: exit?.code === 0 && races[0]?.verdict === 'harmful' };
  });
  return cwd;
}

const pictureOf = (page: Page): Promise<string> =>
  page.evaluate<string>(
    `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() =>
      done(document.querySelector('.timeline-box canvas').toDataURL()))))`,
  );

it('shows a race between processes: both orders, the mend, the graph, the timeline', async () => {
  const cwd = buildRun();
  const { status } = deadheat(['report', '--html', 'out.html', '-q'], { cwd });
  expect(status).toBe(66);
  const { page, complaints, requests } = await openReport(browser, join(cwd, 'out.html'));
  expect(await page.locator('h2').first().textContent()).toMatch(/obj/);
  const [happened, canHappen] = await page.locator('.card').allTextContents();
  expect(happened).toMatch(/What happened[\s\S]*mkdir\("obj"\)[\s\S]*openat\("obj\/a\.txt"/);
  expect(happened).toContain('ended with status 0');
  expect(canHappen).toMatch(/What can happen[\s\S]*openat\("obj\/a\.txt"[\s\S]*mkdir\("obj"\)/);
  expect(canHappen).toContain('exit status 2 instead of 0');
  expect(await page.locator('.mend').textContent()).toContain('obj/a.txt: | obj');
  expect(await page.locator('.graph .racing').count()).toBe(2);
  expect(await page.locator('.graph .edge').count()).toBeGreaterThan(2);

  const atFirst = await pictureOf(page);
  await page.locator('.timeline-box').focus();
  await page.keyboard.press('+');
  await expect.poll(() => pictureOf(page)).not.toBe(atFirst);
  await page.keyboard.press('r');
  await expect.poll(() => pictureOf(page)).toBe(atFirst);
  await page.locator('.timeline-box canvas').hover();
  await page.mouse.wheel(0, 400);
  await expect.poll(() => pictureOf(page)).not.toBe(atFirst);
  await page.keyboard.press('t');
  await page.getByRole('button', { name: 'by time', pressed: true }).waitFor();
  await page.keyboard.press('f');
  await page.keyboard.type('MKDIR("obj")');
  await expect.poll(() => page.locator('.matches').textContent()).toMatch(/^[1-9]\d* match/);
  expect(await page.locator('.selected').textContent()).toContain('mkdir("obj")');
  expect({ complaints, requests }).toEqual({ complaints: [], requests: [] });

  const shot = join(cwd, 'page.png');
  await page.screenshot({ path: shot, fullPage: true });
  expect(statSync(shot).size).toBeGreaterThan(20_000);
  await page.close();
});

it('shows a race between threads: source, locks, and the way there', async () => {
  const cwd = scratchFolder();
  const scenario = scenariosIn(join(PROJECT, 'examples/threads')).find(
    ({ name }) => name === 'different-locks',
  )!;
  compileScenario(scenario, join(cwd, 'racy'));
  deadheat(['threads', '-q', '--', './racy'], { cwd });
  deadheat(['report', '--html', 'out.html', '-q'], { cwd });
  const { page, complaints } = await openReport(browser, join(cwd, 'out.html'));
  const [first, second] = await page.locator('.side').all();
  expect(await first!.locator('.here').textContent()).toMatch(/24.*balance \+= 50/s);
  expect(await second!.locator('.here').textContent()).toMatch(/34.*printed = balance/s);
  expect(await page.locator('.held .lock').allTextContents()).toEqual(['account', 'statement']);
  expect(await page.locator('.remark').textContent()).toContain('No lock is held by both');

  const where = page.locator('.walk-buttons span');
  await expect.poll(() => where.textContent()).toBe('the race');
  await page.locator('.walk-steps').focus();
  await page.keyboard.press('Home');
  await expect.poll(() => where.textContent()).toMatch(/^step 1 of \d+$/);
  await expect.poll(() => page.locator('.walk-source').textContent()).toContain('pthread_create');
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => where.textContent()).toMatch(/^step 2 of \d+$/);
  await page.keyboard.press('End');
  await expect.poll(() => where.textContent()).toBe('the race');
  expect(await page.locator('.walk-steps .bar').count()).toBeGreaterThan(2);
  expect(complaints).toEqual([]);
  await page.close();
});

it('writes the page to stdout, without a recording too, and shows it in the browser of the user', async () => {
  const cwd = scratchFolder();
  cpSync(join(PROJECT, 'examples/procs/lost-update'), cwd, { recursive: true });
  deadheat(['procs', '--no-validate', '-q', '--', 'sh', 'racy.sh'], { cwd });
  const { stdout } = deadheat(['report', '--html', '-', '-q'], { cwd });
  expect(stdout).toMatch(/^<!doctype html>[\s\S]*<\/html>\n$/);
  expect(stdout).not.toContain('there is no timeline');

  rmSync(join(cwd, '.deadheat/procs-1/trace.bin'));
  const told = join(cwd, 'told');
  const show = `#!/bin/sh\necho "$1" >${told}.new; mv ${told}.new ${told}\n`;
  writeFileSync(join(cwd, 'show'), show, { mode: 0o755 });
  const opened = deadheat(['report', '--open'], { cwd, env: { BROWSER: join(cwd, 'show') } });
  expect(opened.status).toBe(66);
  expect(opened.stderr).toContain('the page is in ');
  await expect.poll(() => existsSync(told), { timeout: 60_000 }).toBe(true);
  const file = readFileSync(told, 'utf8').trim();
  expect(file).toBe(join(cwd, '.deadheat/procs-1/report.html'));
  expect(readFileSync(file, 'utf8')).toContain('there is no timeline: ');

  const without = deadheat(['report', '--open'], { cwd, env: { BROWSER: '/no/such/browser' } });
  expect(without.status).toBe(69);
  expect(without.stderr).toMatch(/found no browser.*\n?.*--html FILE/);
  const both = deadheat(['report', '--html', '-', '--json', '-'], { cwd });
  expect([both.status, both.stderr]).toEqual([2, expect.stringContaining('both go to stdout')]);
});
