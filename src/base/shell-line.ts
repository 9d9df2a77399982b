/**
 * A command as it is typed into a shell:
 *
 *   shellLine(['sh', '-c', 'echo a > x; cat x'])   sh -c 'echo a > x; cat x'
 *
 * Names may hold any bytes: whoever prints it sees to that.
 */
export const shellLine = (words: readonly string[]): string => words.map(shellWord).join(' ');

const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
