import type { Scene } from './scene.ts';

/** Knows one kind of mistake: how to mend it, if this race comes of it. */
export type Pattern = (scene: Scene) => string | undefined;
