/**
 * ThreadSanitizer's patterns (`TemplateMatch` in sanitizer_common): a substring, `*` for any run
 * of characters, `^` at the front and `$` to tie the pattern to the ends of the text.
 *
 *   foo        anything that contains foo
 *   ^foo*bar$  anything that starts with foo and ends with bar
 *
 * As there: a `^` further inside is an ordinary character, a `$` ends the pattern wherever it
 * stands (what follows is ignored), `^*foo` is the same as `foo`, and nothing matches an empty
 * text. Unlike there: `ab$` matches `abab`. ThreadSanitizer looks at the first `ab` only and
 * misses it, which nobody can have meant.
 */
export function matchesTemplate(template: string, text: string): boolean {
  if (text === '') return false;
  const tiedToStart = template.startsWith('^');
  const end = template.indexOf('$');
  const tiedToEnd = end !== -1;
  const body = template.slice(tiedToStart ? 1 : 0, tiedToEnd ? end : undefined);
  const pieces = body.split('*');
  const first = tiedToStart ? pieces.shift()! : '';
  const last = tiedToEnd ? (pieces.pop() ?? '') : '';

  if (!text.startsWith(first)) return false;
  // Without a `*` between them both ends speak of the same characters.
  if (tiedToStart && tiedToEnd && !body.includes('*')) return text === body;

  let at = first.length;
  for (const piece of pieces) {
    const found = text.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
