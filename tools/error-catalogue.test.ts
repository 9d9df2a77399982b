import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { catalogue, errorsIn } from './error-catalogue.mjs';
import { home } from './run.mjs';

describe('the catalogue of errors', () => {
  it('has what a message and its remedy say, and names for what is filled in', () => {
    const source = [
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a piece of source.
      'throw new UserError(`no run ${word}: ${(error as Error).message}`, "list" + " them");',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a piece of source.
      'throw new UserError(`cannot ${"attach"} | here`, remedyFor(error), ExitStatus.unavailable);',
      'throw new UserError(message, remedy);',
    ].join('\n');
    expect(errorsIn(source)).toEqual([
      { message: 'no run ‹word›: ‹message›', remedy: 'list them', status: '2' },
      { message: 'cannot attach \\| here', remedy: 'as it says', status: '69' },
    ]);
  });

  it('is that of these sources: `npm run errors` makes it anew', () => {
    expect(readFileSync(join(home, 'docs', 'errors.md'), 'utf8')).toBe(catalogue());
  });
});
