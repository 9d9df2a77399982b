/**
 * Pages of HTML reports in Debian's Chromium. Whatever a page complains about, and whatever it asks the network
 * for, is kept: a report needs neither.
 */
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { LONGEST_RUN_MS } from './deadheat.ts';

export interface OpenedPage {
  readonly page: Page;
  /** Messages of the console, and errors that nobody caught. */
  readonly complaints: string[];
  /** Addresses that were asked for, besides that of the page. */
  readonly requests: string[];
}

export async function startBrowser(): Promise<Browser> {
  // Its own sandbox needs what root and containers do not have.
  return await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
}

export async function openReport(
  browser: Browser,
  file: string,
  options: BrowserContextOptions = {},
): Promise<OpenedPage> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  // For what hangs, as everywhere in the tests.
  page.setDefaultTimeout(LONGEST_RUN_MS);
  const complaints: string[] = [];
  const requests: string[] = [];
  const address = `file://${file}`;
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    if (request.url() !== address) requests.push(request.url());
  });
  await page.goto(address);
  await page.waitForSelector('html[data-ready]');
  return { page, complaints, requests };
}
