/** `--html` and `--open`: puts together the page of a run, writes it, and shows it in a browser. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { builtFile } from '../base/built-file.ts';
import { encodeBytes } from '../base/bytes.ts';
import { ExitStatus } from '../base/exit-status.ts';
import { tryTo } from '../base/result.ts';
import { UserError } from '../base/user-error.ts';
import { formatHtml, type PageParts } from '../report/html/html.ts';
import type { Picture } from '../report/html/picture.ts';
import { type SourceFile, sourceExcerpts } from '../report/html/source-excerpts.ts';
import type { Report } from '../report/model.ts';
import type { Run } from '../trace/run-directory.ts';
import type { HtmlOptions } from './common-options.ts';
import { writeOutput } from './write-output.ts';

/** Where the page goes to, if one is wanted. */
export const pageFile = ({ html }: HtmlOptions, run: Run): string =>
  html ?? join(run.path, 'report.html');

/** Asked before anything long is done. */
export function requireOpenable({ html, open }: HtmlOptions): void {
  if (!open) return;
  if (html === '-') {
    throw new UserError('--open cannot show what goes to stdout', 'name a file with --html FILE');
  }
  browser();
}

export async function writePage(file: string, report: Report, run: Run): Promise<void> {
  const { picture, notes } = await pictureOf(report, run);
  const startedAt = Date.parse(run.info.startedAt);
  const sources = sourceExcerpts(report, (path) => readSource(path, startedAt));
  const data = { report, picture, sources, notes, startedAt: run.info.startedAt };
  writeOutput(file, formatHtml(data, pageParts()));
}

export function openPage(file: string): void {
  const shown = spawn(browser(), [resolve(file)], { detached: true, stdio: 'ignore' });
  shown.on('error', () => {});
  shown.unref();
}

/** The races are worth a page even if the recording cannot be drawn any more. */
async function pictureOf(
  report: Report,
  run: Run,
): Promise<{ picture?: Picture | undefined; notes: string[] }> {
  try {
    return { picture: await draw(report, run), notes: [] };
  } catch (error) {
    if (!(error instanceof UserError) && !isFileError(error)) throw error;
    return { notes: [`there is no timeline: ${error.message}`] };
  }
}

async function draw(report: Report, run: Run): Promise<Picture | undefined> {
  switch (report.engine) {
    case 'procs': {
      const { processPicture } = await import('../procs/picture.ts');
      return processPicture(run, report);
    }
    case 'threads': {
      const { threadPicture } = await import('../threads/picture.ts');
      return threadPicture(run, report);
    }
    case 'watch':
    case 'sample':
    case 'tolerate':
      // They keep no recording: what they know is in the report.
      return undefined;
  }
}

const isFileError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'code' in error && 'syscall' in error;

function readSource(path: string, startedAt: number): SourceFile | undefined {
  const read = tryTo(() => {
    const bytes = encodeBytes(path);
    return { text: readFileSync(bytes, 'utf8'), isNewer: statSync(bytes).mtimeMs > startedAt };
  });
  return read.ok ? read.value : undefined;
}

function pageParts(): PageParts {
  const read = (name: string): string => readFileSync(builtFile(`web/${name}`), 'utf8');
  return { script: read('page.js'), style: read('page.css') };
}

/** What shows a file to the user: $BROWSER, or what the desktop has for it. */
function browser(): string {
  const wanted = process.env.BROWSER ? [process.env.BROWSER] : ['xdg-open', 'sensible-browser'];
  const folders = (process.env.PATH ?? '').split(delimiter);
  const found = wanted
    .flatMap((name) => (name.includes('/') ? [name] : folders.map((folder) => join(folder, name))))
    .find((path) => existsSync(path));
  if (found) return found;
  throw new UserError(
    `--open found no browser (looked for ${wanted.join(' and ')})`,
    'install xdg-utils or set $BROWSER; or write the page with --html FILE and open it yourself',
    ExitStatus.unavailable,
  );
}
