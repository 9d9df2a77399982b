/**
 * The HTML report of a large recording in Chromium: how long until it is painted, and how long a frame takes
 * while the timeline is zoomed, beside the same page with a hundredth of the calls. Wanted: 50,000 calls open in
 * under 2 s, and frames stay below 33 ms.
 */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { formatHtml } from '../src/report/html/html.ts';
import { openReport, startBrowser } from '../test/harness/browser.ts';
import { metOrMissed } from './asked.ts';
import { largePage } from './large-page.ts';
import { markdownTable, type TableRow } from './markdown-table.ts';
import { median } from './measure.ts';

const SIZES = [500, 50_000];
const ROUNDS = 5;
const FRAMES = 120;
const ASKED_MS = 2000;

export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'deadheat-bench-'));
  const browser = await startBrowser();
  try {
    const rows: TableRow[] = [];
    for (const calls of SIZES) rows.push(await measured(browser, folder, calls));
    console.log(markdownTable(rows));
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true });
  }
}

async function measured(browser: Browser, folder: string, calls: number): Promise<TableRow> {
  const file = join(folder, `${calls}.html`);
  const part = (name: string): string => readFileSync(join('dist', 'web', name), 'utf8');
  const parts = { script: part('page.js'), style: part('page.css') };
  writeFileSync(file, formatHtml(largePage(calls, calls / 100), parts));
  const opened: number[] = [];
  const frames: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const { page } = await openReport(browser, file);
    opened.push(await page.evaluate<number>(PAINTED));
    frames.push(...(await zoomed(page)));
    await page.close();
  }
  const painted = median(opened);
  const late = frames.filter((time) => time > 33).length;
  return {
    calls,
    'file (kB)': Math.round(statSync(file).size / 1000),
    'painted after (ms)': Math.round(painted),
    [`asked less than ${ASKED_MS}`]: metOrMissed(painted < ASKED_MS),
    'frame (ms)': median(frames).toFixed(1),
    'worst frame (ms)': Math.max(...frames).toFixed(1),
    'frames over 33 ms': `${late} of ${frames.length}`,
  };
}

/** When the races and the timeline were on the screen, from the start of the navigation. */
const PAINTED = `new Promise((resolve) => {
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now())));
})`;

/** How long each frame took while a wheel turned, out to everything and in again. */
async function zoomed(page: Page): Promise<number[]> {
  await page.locator('.timeline-box').first().focus();
  return await page.evaluate<number[]>(`(async () => {
    const canvas = document.querySelector('.timeline-box canvas');
    const { left, top, width } = canvas.getBoundingClientRect();
    const times = [];
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    let last = await frame();
    for (let i = 0; i < ${FRAMES}; i++) {
      const deltaY = i < ${FRAMES / 2} ? 120 : -120;
      const at = { clientX: left + width / 2, clientY: top + 60 };
      canvas.dispatchEvent(new WheelEvent('wheel', { deltaY, ...at, bubbles: true, cancelable: true }));
      const now = await frame();
      times.push(now - last);
      last = now;
    }
    return times;
  })()`);
}
