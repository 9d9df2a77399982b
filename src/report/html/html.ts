/**
 * The report as one file for browsers: script, style and data inside, and nothing is ever fetched.
 *
 *   <!doctype html> … <style>…</style> … <script type="application/json" id="data">{"report":…}</script>
 *   <script>…</script>
 *
 * Names and output of a program can contain anything. As JSON inside of a script element they end up as they
 * were, as long as no `<` is among them: `</script>` and `<!--` are written `\u003c/script>`. Bytes that are not
 * UTF-8 are lone surrogates here (base/bytes.ts), which JSON escapes. The page puts all of it into text nodes.
 */
import { deflateRawSync } from 'node:zlib';
import { printable } from '../../base/printable.ts';
import { shellLine } from '../../base/shell-line.ts';
import { DATA_ELEMENT, PACKED_TYPE, type PageData } from './page-data.ts';

/** What the build has made of web/. */
export interface PageParts {
  readonly script: string;
  readonly style: string;
}

/** A small one stays readable for people and for other programs. */
const LARGEST_PLAIN = 100_000;

/** Nothing may be loaded, whatever the data says. */
const POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:";

export function formatHtml(data: PageData, { script, style }: PageParts): string {
  const { report } = data;
  const title = `${report.run}: ${shellLine(report.command) || report.engine} · deadheat`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeMarkup(printable(title))}</title>
<style>
${style}
</style>
</head>
<body>
<div id="page"><noscript>This report needs JavaScript; report.json in the run has the same races.</noscript></div>
${dataElement(JSON.stringify(data))}
<script>
${script.replaceAll('</script', '<\\/script')}
</script>
</body>
</html>
`;
}

function dataElement(json: string): string {
  if (json.length <= LARGEST_PLAIN) {
    const safe = json.replaceAll('<', '\\u003c');
    return `<script type="application/json" id="${DATA_ELEMENT}">${safe}</script>`;
  }
  const packed = deflateRawSync(Buffer.from(json, 'utf8')).toString('base64');
  return `<script type="${PACKED_TYPE}" id="${DATA_ELEMENT}">${packed}</script>`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

const escapeMarkup = (text: string): string => text.replace(/[&<>]/g, (char) => ENTITIES[char]!);
