/**
 * Names for a text in which a thing is known by its name alone. What has a name of its own that can
 * stand there keeps it; the others are numbered:
 *
 *   threads  main  worker  worker  'my thread'   →   main  T1  T2  T3
 *
 * So a trace that was imported gets back all the names it came with.
 */
export class UniqueNames {
  readonly #names: string[] = [];
  readonly #taken = new Set<string>();

  /** `nameAt`: '' for what has none. `mayStand` says which names the text allows. */
  constructor(
    count: number,
    nameAt: (number: number) => string,
    prefix: string,
    mayStand: (name: string) => boolean,
  ) {
    const repeated = new Set<string>();
    for (let i = 0; i < count; i++) {
      const name = nameAt(i);
      if (this.#taken.has(name)) repeated.add(name);
      else this.#taken.add(name);
    }
    for (let i = 0; i < count; i++) {
      const name = nameAt(i);
      const keeps = !repeated.has(name) && mayStand(name);
      this.#names.push(keeps ? name : this.fresh(`${prefix}${i}`));
    }
  }

  of(number: number): string {
    return this.#names[number]!;
  }

  /** This name, or one like it if it is taken; it is taken from then on. */
  fresh(wanted: string): string {
    let name = wanted;
    for (let i = 2; this.#taken.has(name); i++) name = `${wanted}_${i}`;
    this.#taken.add(name);
    return name;
  }
}

/** What line-parser.ts takes for a name. */
export function isStdName(name: string): boolean {
  for (let i = 0; i < name.length; i++) {
    const unit = name.charCodeAt(i);
    if (unit <= 0x20 || unit === 0x7f || '|()'.includes(name[i]!)) return false;
  }
  return name.length > 0;
}

/** A line begins with the thread, and with neither of these. */
export function isStdThreadName(name: string): boolean {
  return isStdName(name) && !name.startsWith('#') && !name.startsWith('\ufeff');
}
