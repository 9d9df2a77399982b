/**
 * Which lines complain of a failure, and which two of them say the same thing:
 *
 *   make: *** [Makefile:5: obj/a.o] Error 1
 *   10:02:11 [4711] cannot open /tmp/cc8XbQ.o: No such file or directory
 *   10:05:40 [815] cannot open /tmp/ccZ1aa.o: No such file or directory       like the one before
 *
 * Warnings alone are no failure: a compiler has many of them.
 */
import { stripVTControlCharacters } from 'node:util';

/** Praise, options and counts of nothing, in which a word for a failure means none. */
const NO_FAILURE =
  /\b(?:no|0|zero|without(?: any)?) (?:error|failure|failed|fatal|exception)s?\b|\b(?:error|failure|failed|exception)s?\s*[:=]\s*(?:0|no|none|false|null)\b|-Werror\S*|-Wno-error\S*|\berror[-_.]?(?:handler|handling|message|code|free|page|log)\w*|\w+[/.]errors?\b|\berrors?[/.]\w+/gi;

const FAILURE = new RegExp(
  [
    '\\b(?:errors?|err|fatal|fail(?:ed|ure|ures|s|ing)?|panic(?:ked)?|exception|traceback)\\b',
    "\\b(?:cannot|can't|could not|couldn't|unable to|not permitted|permission denied)\\b",
    "\\b(?:no such|does not exist|doesn't exist|not found|file exists|is a directory)\\b",
    '\\b(?:not a directory|directory not empty|text file busy|broken pipe|bad file descriptor)\\b',
    '\\b(?:undefined reference|file truncated|unexpected end|premature end|file format not)\\b',
    '\\b(?:segmentation fault|core dumped|abort(?:ed|ing)|assertion .*failed|deadlock|corrupt\\w*)\\b',
    '\\b(?:connection refused|address already in use|resource temporarily unavailable)\\b',
    '\\bsyntax error\\b|\\*\\*\\*',
  ].join('|'),
  'i',
);

export function looksLikeError(line: string): boolean {
  return FAILURE.test(stripVTControlCharacters(line).replace(NO_FAILURE, ' '));
}

/** Without what differs from run to run: numbers, addresses, times, names that were made up. */
export function likeness(line: string): string {
  return stripVTControlCharacters(line)
    .replace(
      /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b/g,
      '#',
    )
    .replace(/(\/tmp\/)[^\s'":,;)]+/g, '$1#')
    .replace(/\b(?:tmp|temp)[._-]?\w{4,}/gi, 'tmp#')
    .replace(/\b(?=\w*\d)(?=\w*[a-z])\w{6,}\b/gi, '#')
    .replace(/\d+/g, '#')
    .replace(/\s+/g, ' ')
    .trim();
}
