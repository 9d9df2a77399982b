/** The page of the HTML report where there is little room: on paper, and on narrow screens. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PageData } from '../src/report/html/page-data.ts';
import type { Race, Report } from '../src/report/model.ts';
import * as reports from '../src/report/testdata/reports.ts';
import { openReport, startBrowser } from './harness/browser.ts';
import { writePage } from './harness/html-pages.ts';
import { scratchFolder } from './harness/scratch.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

/** The boxes of whose contents a part lies outside. */
const cutOff = (page: Page, boxes: string): Promise<string[]> =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll(${JSON.stringify(boxes)})]
      .filter((box) => box.scrollWidth > box.clientWidth)
      .map((box) => box.textContent)`,
  );

/** A line of source that no sheet of paper is wide enough for, and one without a space to break it at. */
const LONG_LINES = [`return ${'progress + '.repeat(40)}0;`, `return ${'progress+'.repeat(40)}0;`];

it('has lines of source whole on paper', async () => {
  const report = reports.threadsReport();
  const sources: PageData['sources'] = Object.fromEntries(
    report.races[0]!.accesses.map(({ site: { file, line } }) => [
      file!,
      { pieces: [{ from: line!, lines: LONG_LINES }], isNewer: false },
    ]),
  );
  const file = writePage(scratchFolder(), { report, sources });
  const { page } = await openReport(browser, file, { viewport: { width: 700, height: 900 } });
  expect(await cutOff(page, '.source pre')).toHaveLength(2);
  await page.emulateMedia({ media: 'print' });
  await expect.poll(() => cutOff(page, '.source pre')).toEqual([]);
  await page.close();
});

/** Of so many races, all in one file, with odds. */
function sampled(count: number): Report {
  const report = reports.sampleReport();
  const [race] = report.races;
  const races = Array.from({ length: count }, (_, i): Race => {
    const site = { function: 'worker_thread', file: '/home/me/project/racy.c', line: 38 + i };
    const accesses = race!.accesses.map((access) => ({ ...access, site }));
    return { ...race!, id: `R${i + 1}`, accesses };
  });
  const odds = [{ oneIn: 100_000, bothSidesSeen: 0.487, caught: 0.004, secondsToGo: 50_000 }];
  return { ...report, races, stats: { odds } };
}

it('has places in one piece on a narrow screen, a few lines for each race, and all of the odds', async () => {
  const file = writePage(scratchFolder(), { report: sampled(9) });
  const { page } = await openReport(browser, file, { viewport: { width: 400, height: 800 } });
  const linesOf = (places: string): Promise<number[]> =>
    page.evaluate<number[]>(
      `[...document.querySelectorAll('${places}')].map((one) => one.getClientRects().length)`,
    );
  expect(await linesOf('.overview .site code')).toEqual(Array(18).fill(1));
  expect(await linesOf('.sites tbody td:first-child code')).toEqual(Array(9).fill(1));
  const heightOfLine = 40;
  const { height } = (await page.locator('.overview tbody').boundingBox())!;
  expect(height).toBeLessThan(9 * 4 * heightOfLine);
  expect(await cutOff(page, '.scrolls')).toEqual([]);
  await page.close();
});
