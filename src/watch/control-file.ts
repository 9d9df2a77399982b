/**
 * Settings that may be changed while a program is watched, by writing them to a file:
 *
 *   rate 100            hits a second
 *   window 2            milliseconds
 *   functions ^pipe_    a pattern for the names of functions; without one, all of them
 *
 * The file is read again whenever it has changed; it need not be there at the start. What is not in it stays
 * as it was.
 */
import { readFileSync, statSync } from 'node:fs';
import { encodeBytes } from '../base/bytes.ts';
import { tryTo } from '../base/result.ts';
import { HIGHEST_RATE, LONGEST_WINDOW_MS, type WatchSettings } from './settings.ts';

const LOOK_EVERY_MS = 200;

export class ControlFile {
  readonly #path: string;
  readonly #settings: WatchSettings;
  readonly #complain: (text: string) => void;
  #version = '';
  #timer: NodeJS.Timeout | undefined;

  /** `complain` hears of lines that make no sense. */
  constructor(path: string, settings: WatchSettings, complain: (text: string) => void) {
    this.#path = path;
    this.#settings = settings;
    this.#complain = complain;
  }

  /** Reads it, and looks after it from then on. */
  follow(): void {
    this.look();
    this.#timer = setInterval(() => this.look(), LOOK_EVERY_MS);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  look(): void {
    const found = tryTo(() => statSync(encodeBytes(this.#path), { bigint: true }));
    const version = found.ok ? `${found.value.mtimeNs} ${found.value.size} ${found.value.ino}` : '';
    if (version === this.#version) return;
    this.#version = version;
    const text = tryTo(() => readFileSync(encodeBytes(this.#path), 'utf8'));
    if (!text.ok) return;
    for (const problem of applyControls(text.value, this.#settings)) {
      this.#complain(`${this.#path}: ${problem}`);
    }
  }
}

/** What is wrong with it, for people; the rest is applied. */
export function applyControls(text: string, settings: WatchSettings): string[] {
  const lines = text.split('\n').map((line) => line.replace(/^#.*/, '').trim());
  return lines.flatMap((line) => (line === '' ? [] : (applied(line, settings) ?? [])));
}

function applied(line: string, settings: WatchSettings): string | undefined {
  const [word = '', ...rest] = line.split(/\s+/);
  const value = rest.join(' ');
  switch (word) {
    case 'rate': {
      const rate = numberIn(value, HIGHEST_RATE);
      if (rate === undefined) return `${line}: a rate is a number up to ${HIGHEST_RATE}`;
      settings.rate = rate;
      return undefined;
    }
    case 'window': {
      const window = numberIn(value, LONGEST_WINDOW_MS);
      if (window === undefined) return `${line}: a window has up to ${LONGEST_WINDOW_MS} ms`;
      settings.windowMs = window;
      return undefined;
    }
    case 'functions': {
      const pattern = tryTo(() => (value === '' ? undefined : new RegExp(value)));
      if (!pattern.ok) return `${line}: no regular expression`;
      // The same once more is no reason to start anew.
      if (pattern.value?.source !== settings.functions?.source) settings.functions = pattern.value;
      return undefined;
    }
  }
  return `${line}: neither rate, window nor functions`;
}

/** More than nothing. */
export function numberIn(text: string, most: number): number | undefined {
  const number = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
  return number > 0 && number <= most ? number : undefined;
}
