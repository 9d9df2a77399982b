/** What make ran for a side: the recipe line as it stands in the Makefile, or a simple command. */
import type { Side } from './scene.ts';

const LONGEST = 60;

export function recipeOf({ branch }: Side): string | undefined {
  // The first program is make itself, of which the child is a copy.
  const command = branch?.programs[1]?.program.command;
  if (!command || command.length === 0) return undefined;
  const text = command[1] === '-c' ? (command[2] ?? '') : command.join(' ');
  return text.replaceAll(/\s+/g, ' ').trim();
}

export const shortened = (recipe: string): string =>
  recipe.length > LONGEST ? `${recipe.slice(0, LONGEST)}…` : recipe;
