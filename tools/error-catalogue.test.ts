// biome-ignore-all lint/suspicious/noTemplateCurlyInString: pieces of source.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { catalogue } from './error-catalogue.mjs';
import { errorsIn } from './errors-in-source.mjs';
import { home } from './run.mjs';

describe('the catalogue of errors', () => {
  it('has what a message and its remedy say, and names for what is filled in', () => {
    const source = [
      'throw new UserError(`no run ${word}: ${(error as Error).message}`, "list" + " them");',
      'throw new UserError(`cannot ${"attach"} | here`, remedyFor(error), ExitStatus.unavailable);',
      'throw new UserError(message, remedy);',
    ].join('\n');
    expect(errorsIn(source)).toEqual([
      { message: 'no run ‹word›: ‹message›', remedy: 'list them', status: '2' },
      { message: 'cannot attach \\| here', remedy: 'as it says', status: '69' },
    ]);
  });

  it('has both messages where a condition chooses, each with its own remedy if there are two', () => {
    const source = [
      'new UserError(window ? "no rate" : "no window", window ? "add --every" : "add --window");',
      'new UserError(word ? `cannot ${word.text}` : "what is to be done?", "say stop");',
      'new UserError(`${this.#path}: full`, isFull ? "free" : "rename", isFull ? Status.a : Status.b);',
    ].join('\n');
    expect(errorsIn(source)).toEqual([
      { message: 'no rate', remedy: 'add --every', status: '2' },
      { message: 'no window', remedy: 'add --window', status: '2' },
      { message: 'cannot ‹text›', remedy: 'say stop', status: '2' },
      { message: 'what is to be done?', remedy: 'say stop', status: '2' },
      { message: '‹path›: full', remedy: 'free, or: rename', status: '2 or 69' },
    ]);
  });

  it('has a message that stands in a constant, unless there are two of that name', () => {
    const source = [
      'const message = `cannot attach to ${target}: ${reason}`;',
      'new UserError(message, remedy, ExitStatus.unavailable);',
      'const { which } = this, twice = "this one"; { const twice = "that one"; }',
      'new UserError(which, "none"); new UserError(twice, "neither");',
    ].join('\n');
    expect(errorsIn(source)).toEqual([
      { message: 'cannot attach to ‹target›: ‹reason›', remedy: 'as it says', status: '69' },
    ]);
  });

  it('has errors of a class that extends UserError', () => {
    const source = [
      'class Hangs extends UserError {}',
      'new Hangs("it hangs", "wait", ExitStatus.unavailable);',
      'class Damaged extends UserError { constructor(loss) { super(`lost ${loss}`, "again"); } }',
      'new Damaged(loss);',
    ].join('\n');
    expect(errorsIn(source)).toEqual([
      { message: 'lost ‹loss›', remedy: 'again', status: '2' },
      { message: 'it hangs', remedy: 'wait', status: '69' },
    ]);
  });

  it('is that of these sources: `npm run errors` makes it anew', () => {
    expect(readFileSync(join(home, 'docs', 'errors.md'), 'utf8')).toBe(catalogue());
  });
});
