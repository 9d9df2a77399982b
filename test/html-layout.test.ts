/** The page of the HTML report where there is little room: on paper, and on narrow screens. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PageData } from '../src/report/html/page-data.ts';
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
