/** The numbers of agent/tracer/quick-look.h, for this side (quick-look.ts). A test compares the two. */
import { REGISTERS_SIZE } from './registers.ts';

/** Where things are in `struct dh_look`, agent/tracer/quick-look.h. */
export const LookAt = {
  size: 0,
  process: 8,
  memory: 16,
  until_ns: 24,
  from_ns: 32,
  every_ns: 40,
  saved_ns: 48,
  window_ns: 56,
  word: 64,
  places: 72,
  place_count: 80,
  unwritten: 88,
  unwritten_count: 96,
  threads: 104,
  thread_count: 112,
  events: 120,
  end: 128,
  task: 136,
  status: 144,
  written_count: 152,
  window_count: 160,
  event_count: 168,
  passed_count: 176,
  passed: 184,
  before: 312,
  windows: 376,
} as const;
/** `struct dh_window`. */
export const WindowAt = {
  holder: 0,
  place: 8,
  touched: 16,
  hit_ns: 24,
  open_ns: 32,
  over_ns: 40,
  registers: 48,
} as const;
export const WINDOW_SIZE = WindowAt.registers + REGISTERS_SIZE;
export const MOST_WINDOWS = 32;
export const LOOK_SIZE = LookAt.windows + MOST_WINDOWS * WINDOW_SIZE;
/** `struct dh_place`. */
export const PlaceAt = {
  address: 0,
  displacement: 8,
  base: 16,
  index: 17,
  segment: 18,
  scale: 19,
  size: 20,
  flags: 21,
  known: 24,
} as const;
export const PLACE_SIZE = 40;
export const NO_REGISTER = 255;
/** Flag of a place. */
export const WRITTEN = 1;
export const KNOWN_BYTES = 16;
export const MOST_TOUCHED = 64;
/** Debug registers. */
export const PIECES = 4;

/** By their numbers. */
export const ENDS = ['time', 'stop', 'interrupted', 'nobody', 'changed'] as const;
