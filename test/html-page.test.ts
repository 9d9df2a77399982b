/** The page of the HTML report, with data made for it: many races, large recordings, odd names, paper. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { largePage } from '../bench/large-page.ts';
import { arbitraryReport } from '../src/report/testdata/arbitrary.ts';
import * as reports from '../src/report/testdata/reports.ts';
import { openReport, startBrowser } from './harness/browser.ts';
import { withRaces, writePage } from './harness/html-pages.ts';
import { scratchFolder } from './harness/scratch.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

describe('a list of many races', () => {
  it('has only the rows that can be seen, and is searched and filtered', async () => {
    const report = withRaces(reports.procsReport(), 900);
    const { page, complaints } = await openReport(browser, writePage(scratchFolder(), { report }));
    const rows = page.locator('.row');
    expect(await rows.count()).toBeLessThan(40);
    const shown = page.locator('.row-all');
    expect(await shown.textContent()).toContain('900 races');

    await page.keyboard.press('/');
    await page.keyboard.type('FILE 88');
    await expect.poll(() => shown.textContent()).toContain('18 of 900');
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await expect.poll(() => page.locator('h2').textContent()).toContain('file 88 ');
    const signs = (): Promise<string[]> => page.locator('.row .sign').allTextContents();
    expect(await signs()).toContain('✖');
    await page.keyboard.press('1');
    await expect.poll(signs).not.toContain('✖');
    await page.keyboard.press('1');
    await expect.poll(signs).toContain('✖');

    await page.keyboard.press('o');
    await expect.poll(() => page.locator('.overview tbody tr').count()).toBe(18);
    await page.keyboard.press('?');
    const help = page.getByRole('dialog');
    await expect.poll(() => help.textContent()).toContain('next race');
    await page.keyboard.press('Escape');
    await expect.poll(() => help.count()).toBe(0);
    expect(complaints).toEqual([]);
    await page.close();
  });
});

describe('a large recording', () => {
  it('is there, folded to the lanes of the race, and unfolds', async () => {
    const file = writePage(scratchFolder(), largePage(10_000, 200));
    const { page, complaints, requests } = await openReport(browser, file);
    const box = page.locator('.timeline-box');
    const height = async (): Promise<number> =>
      await box.evaluate<number, HTMLElementLike>((element) => element.scrollHeight);
    const folded = await height();
    await box.focus();
    await page.keyboard.press('a');
    await page.getByRole('button', { name: "only the race's lanes" }).waitFor();
    expect(await height()).toBeGreaterThan(20 * folded);
    await page.keyboard.press('a');
    await page.getByRole('button', { name: 'all 201 processes' }).waitFor();
    expect(await height()).toBe(folded);
    expect({ complaints, requests }).toEqual({ complaints: [], requests: [] });
    await page.close();
  });
});

it('opens with tens of thousands of calls of hundreds of processes', async () => {
  const file = writePage(scratchFolder(), largePage(50_000, 500));
  const { page, complaints } = await openReport(browser, file);
  await page.locator('.timeline-box canvas').waitFor();
  await page.getByRole('button', { name: 'all 501 processes' }).waitFor();
  expect(complaints).toEqual([]);
  await page.close();
});

/** The part of a browser's element that is asked for; types of browsers are not known here. */
interface HTMLElementLike {
  readonly scrollHeight: number;
}

const PAGES = Object.entries(reports).flatMap(([name, make]) =>
  typeof make === 'function' ? [{ name, report: make() }] : [],
);

describe.each(PAGES)('$name', ({ report }) => {
  it('fits a narrow screen, and is complete on paper, in light and dark', async () => {
    const folder = scratchFolder();
    const file = writePage(folder, { report });
    const narrow = { viewport: { width: 400, height: 800 } };
    const { page, complaints } = await openReport(browser, file, narrow);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(400);
    }
    const paper = join(folder, 'paper.pdf');
    await page.pdf({ path: paper, format: 'A4' });
    const pdf = readFileSync(paper, 'latin1');
    expect(pdf.match(/\/Type \/Page\b/g)?.length ?? 0).toBeGreaterThanOrEqual(1);
    expect(pdf.length).toBeGreaterThan(10_000);
    expect(complaints).toEqual([]);
    await page.close();
  });
});

it('shows of sampled races the locks of both sides, how sure they are, and the odds', async () => {
  const report = reports.sampleReport();
  const [race] = report.races;
  const accesses = race!.accesses.map((access) => ({ ...access, threadName: 'worker' }));
  report.races[0] = { ...race!, accesses, evidence: '31 samples of the one and 8 of the other' };
  const { page, complaints } = await openReport(browser, writePage(scratchFolder(), { report }));
  expect(await page.locator('.side h3').allTextContents()).toEqual([
    'A thread 42 writes block of 64 bytes',
    'B thread 41 writes block of 64 bytes',
  ]);
  expect(await page.locator('.race-facts').textContent()).toMatch(
    /^What was sampled31 samples .*Prove itdeadheat analyze sample-2 --confirm --pid PID/s,
  );
  expect(await page.locator('.held').allTextContents()).toEqual([
    'holds no lock',
    'holds table_lock',
  ]);
  expect(await page.locator('.eyebrow').textContent()).toContain('medium confidence');
  expect(await page.locator('.remarks li').allTextContents()).toContain(report.remarks![0]);
  expect(complaints).toEqual([]);
  await page.close();
});

it('shows of a race in the act the stacks of both sides, and does not say how the kernel ended', async () => {
  const report = reports.watchReport();
  const { page, complaints } = await openReport(browser, writePage(scratchFolder(), { report }));
  const [first, second] = await page.locator('.side').all();
  const stackOf = async (side = first!): Promise<string[]> =>
    await side.locator('.stack li').allTextContents();
  const inner = [expect.stringMatching(/^tick_do_update/), expect.stringMatching(/^tick_sched/)];
  expect(await stackOf()).toEqual([...inner, expect.stringMatching(/^do_idle/)]);
  expect(await stackOf(second)).toEqual(inner);
  expect(await page.locator('.facts').first().textContent()).toContain('was not seen to end');
  expect(complaints).toEqual([]);
  await page.close();
});

it('tells of a disturbed section what happened, and what became of the variable', async () => {
  const report = reports.tolerateReport();
  const { page, complaints } = await openReport(browser, writePage(scratchFolder(), { report }));
  const [happened, counted] = await page.locator('.resolution .card').allTextContents();
  expect(happened).toMatch(/finds 0x5.*thread 23 makes it 0x9.*under queue_lock makes it 0x6/s);
  expect(counted).toMatch(/counts as.*thread 23 makes it 0x9.*makes it 0x6.*Memory has 0x6/s);
  expect(counted).toContain('class IVb: as if the section had come last');
  expect(await page.locator('.side h3').allTextContents()).toEqual([
    'A thread 23 reads jobs_done[0]',
    'B the section writes jobs_done[0]',
  ]);
  expect(await page.locator('.side .where').allTextContents()).toEqual([
    'report_progress progress.c:12',
    'the section begins here: add_job queue.c:41',
  ]);
  await page.keyboard.press('j');
  await expect.poll(() => page.locator('.eyebrow').textContent()).toContain('not tolerated');
  const bad = page.locator('.resolution .card-bad');
  expect(await bad.textContent()).toMatch(/Memory has 0x9.*no order of the two.*class IVc/s);
  expect(complaints).toEqual([]);
  await page.close();
});

it('has a command as it is typed, and the same words in the overview as everywhere', async () => {
  const { races, ...rest } = reports.sampleReport();
  const store = races[0]!.accesses.map((access) => ({ ...access, op: 'store' }));
  const report = {
    ...{ ...rest, command: ['sh', '-c', 'echo a > x; cat x'] },
    races: [
      { ...races[0]!, accesses: store },
      { ...races[0]!, id: 'R2' },
    ],
  };
  const folder = scratchFolder();
  const { page } = await openReport(browser, writePage(folder, { report }));
  expect(await page.locator('h1').textContent()).toBe("sh -c 'echo a > x; cat x'");
  expect(await page.title()).toContain("sh -c 'echo a > x; cat x'");
  const sides = ['A writes server+0x4f10', 'B writes server+0x4f10'];
  expect(await page.locator('.overview .site').allTextContents()).toEqual([...sides, ...sides]);
  await page.close();
  const calls = await openReport(
    browser,
    writePage(folder, { report: withRaces(reports.procsReport(), 2) }),
  );
  await calls.page.keyboard.press('o');
  await expect
    .poll(() => calls.page.locator('.overview .site').first().textContent())
    .toBe('A sh: mkdir("obj", 0777)');
  await calls.page.close();
});

it('has a table of places and the odds, for what sees a part of a run', async () => {
  const odds = [{ oneIn: 1000, bothSidesSeen: 0.487, caught: 0.004, secondsToGo: 5 }, 'nonsense'];
  const report = { ...reports.sampleReport(), stats: { odds } };
  const folder = scratchFolder();
  const { page, complaints } = await openReport(browser, writePage(folder, { report }));
  expect(await page.locator('.sites tbody tr').allTextContents()).toEqual([
    'server+0x4f10writesblock of 64 bytesR139×',
  ]);
  expect(await page.locator('.odds tbody tr').allTextContents()).toEqual([
    '1 in 1,000 accesses 49% <1%5 s',
  ]);
  await page.close();
  const none = { ...report, races: [] };
  const empty = await openReport(browser, writePage(folder, { report: none }));
  expect(await empty.page.locator('.odds tbody tr').count()).toBe(1);
  expect(await empty.page.locator('h1 ~ .summary').textContent()).toContain('No races were found');
  expect([...complaints, ...empty.complaints]).toEqual([]);
  await empty.page.close();
});

it('can be used without a mouse: all that can be pressed has its turn, and is seen to', async () => {
  const report = withRaces(reports.procsReport(), 3);
  const data = {
    ...largePage(500, 5),
    report: { ...largePage(500, 5).report, races: report.races },
  };
  const { page } = await openReport(browser, writePage(scratchFolder(), data));
  const wanted = await page.locator('button:enabled, input, summary, [tabindex="0"]').count();
  const turns = new Set<string>();
  const outlines = new Set<string>();
  for (let i = 0; i < wanted + 5; i++) {
    await page.keyboard.press('Tab');
    const [name, outline] = await page.evaluate<[string, string]>(FOCUSED);
    if (name === '') continue;
    turns.add(name);
    outlines.add(outline);
  }
  expect(turns.size).toBe(wanted);
  expect(outlines).not.toContain('none');
  await page.close();
});

/** Which of the elements that can be pressed has the focus, and what shows that. */
const FOCUSED = `(() => {
  const one = document.activeElement;
  if (one === document.body) return ['', ''];
  const all = [...document.querySelectorAll('button:enabled, input, summary, [tabindex="0"]')];
  return [String(all.indexOf(one)), getComputedStyle(one).outlineStyle];
})()`;

it('folds a lane by a key', async () => {
  const file = writePage(scratchFolder(), largePage(10_000, 200));
  const { page } = await openReport(browser, file);
  const box = page.locator('.timeline-box');
  const height = async (): Promise<number> =>
    await box.evaluate<number, HTMLElementLike>((element) => element.scrollHeight);
  await box.focus();
  await page.keyboard.press('a');
  await page.getByRole('button', { name: "only the race's lanes" }).waitFor();
  const unfolded = await height();
  await page.locator('.tools input').fill('fork');
  await expect.poll(() => page.locator('.matches').textContent()).toMatch(/^[1-9]/);
  await box.focus();
  await page.keyboard.press('x');
  await expect.poll(height).toBeLessThan(unfolded);
  await page.keyboard.press('x');
  await expect.poll(height).toBe(unfolded);
  await page.close();
});

it('prints every race, and the pages of a book no more', async () => {
  const report = withRaces(reports.procsReport(), 50);
  const { page } = await openReport(browser, writePage(scratchFolder(), { report }));
  expect(await page.locator('.race').count()).toBe(1);
  await page.emulateMedia({ media: 'print' });
  await expect.poll(() => page.locator('.race').count()).toBe(40);
  expect(await page.locator('.overview tbody tr').count()).toBe(50);
  expect(await page.locator('aside').isVisible()).toBe(false);
  await page.close();
});

it('prints the timeline of a dark page as that of a light one', async () => {
  const file = writePage(scratchFolder(), largePage(500, 5));
  const { page, complaints } = await openReport(browser, file);
  // If it is as wide on paper, nobody draws it anew for its width.
  const asWide = '.timeline-box canvas { width: 600px !important }';
  await page.evaluate(`void document.styleSheets[0].insertRule(${JSON.stringify(asWide)})`);
  const printed = async (colorScheme: 'light' | 'dark'): Promise<string> => {
    await page.emulateMedia({ colorScheme, media: 'screen' });
    await page.evaluate(NEXT_FRAME);
    // As browsers do it: first they tell, then the page is on paper.
    await page.evaluate("void dispatchEvent(new Event('beforeprint'))");
    await page.evaluate(PICTURE_ON_PAPER);
    await page.emulateMedia({ colorScheme, media: 'print' });
    const picture = (): Promise<string> => page.evaluate<string>('window.picture');
    await expect.poll(picture).toMatch(/^data:image/);
    await page.evaluate("void dispatchEvent(new Event('afterprint'))");
    return await picture();
  };
  const light = await printed('light');
  expect((await printed('dark')) === light).toBe(true);
  expect(complaints).toEqual([]);
  await page.close();
});

/** Taken at once: there is no further frame, and nobody hears that a size is another one. */
const PICTURE_ON_PAPER = `window.picture = '';
  matchMedia('print').addEventListener('change', ({ matches }) => {
    if (matches) window.picture = document.querySelector('.timeline-box canvas').toDataURL();
  }, { once: true });`;

const NEXT_FRAME =
  'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';

describe('text of a program', () => {
  const ODD = '</script><img src=x onerror="window.ran=1"><b>\u202egnp.exe\u0007\udce9';

  it('is shown as it is, and does nothing', async () => {
    const [race] = reports.procsReport().races;
    const accesses = race!.accesses.map((one) => ({ ...one, process: ODD, what: ODD }));
    const odd = { ...race!, accesses, title: ODD, evidence: ODD, object: { type: ODD, name: ODD } };
    const report = { ...reports.procsReport(), command: [ODD], races: [odd, { ...odd, id: ODD }] };
    const file = writePage(scratchFolder(), { report, notes: [ODD] });
    const { page, complaints, requests } = await openReport(browser, file);
    expect(await page.locator('h2').textContent()).toBe(
      '</script><img src=x onerror="window.ran=1"><b>\\u202egnp.exe\\x07\\xe9',
    );
    expect(await page.evaluate('window.ran')).toBeUndefined();
    expect(await page.locator('img, main b b').count()).toBe(0);
    expect({ complaints, requests }).toEqual({ complaints: [], requests: [] });
    await page.close();
  });

  it('may be anything', async () => {
    const folder = scratchFolder();
    for (const report of fc.sample(arbitraryReport, { numRuns: 4, seed: 7 })) {
      const { page, complaints } = await openReport(browser, writePage(folder, { report }));
      for (let i = 0; i < 3; i++) await page.keyboard.press('j');
      expect({ report, complaints }).toEqual({ report, complaints: [] });
      await page.close();
    }
  });
});
