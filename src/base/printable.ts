/** Any string, as bytes.ts decodes it, for people; apart from it, since browsers have no `node:buffer`. */

/** Control characters and escaped bytes as `\n`, `\x1b`, `\xe9`: safe for a terminal. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}]/gu, (char) => {
    if (char === '\n') return '\\n';
    if (char === '\t') return '\\t';
    const byte = char.charCodeAt(0) & 0xff;
    return `\\x${byte.toString(16).padStart(2, '0')}`;
  });
}
