/** The five ways to look for races: names of commands, folders and runs. */
export const ENGINES = ['procs', 'threads', 'sample', 'watch', 'tolerate'] as const;

export type Engine = (typeof ENGINES)[number];
