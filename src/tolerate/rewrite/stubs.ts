/**
 * What clones of sections know of the library in the program (agent/tolerate): its stubs, whose addresses it puts
 * at the start of the blob in the order of lookup.S, and where a thread's state has what.
 *
 *   call [blob + lookupSlot({ register: rdi, size: 4, access: 'read', keepsFlags: false })]
 *     rdi has the address of four bytes, and comes back with where their copy is
 */
import { type RegisterNumber, RSP } from '../../binary/code/general-registers.ts';
import { MEMORY_FUNCTIONS } from '../memory-functions.ts';

export type Access = 'read' | 'write' | 'update';
const ACCESSES: readonly Access[] = ['read', 'write', 'update'];
/** Those that are found without a call of C; others say their size. */
const QUICK_SIZES: readonly number[] = [1, 2, 4, 8];
const REGISTERS = 15;
const SLOT_SIZE = 8;

export interface Lookup {
  readonly register: RegisterNumber;
  readonly size: number;
  readonly access: Access;
  readonly keepsFlags: boolean;
}

export const isQuick = ({ size }: Lookup): boolean => QUICK_SIZES.includes(size);

/** The stack pointer has none. */
const place = (register: RegisterNumber): number => (register > RSP ? register - 1 : register);

export function lookupSlot(lookup: Lookup): number {
  const { register, size, access, keepsFlags } = lookup;
  const flags = keepsFlags ? 1 : 0;
  if (!isQuick(lookup)) return SLOT_SIZE * (FIRST_ANY_SIZE + place(register) * 2 + flags);
  const kind = place(register) * QUICK_SIZES.length + QUICK_SIZES.indexOf(size);
  return SLOT_SIZE * ((kind * ACCESSES.length + ACCESSES.indexOf(access)) * 2 + flags);
}

/** What such a stub finds on the stack, beside the address. */
export const sizeAndAccess = ({ size, access }: Lookup): number =>
  size | (ACCESSES.indexOf(access) << 8);

const FIRST_ANY_SIZE = REGISTERS * QUICK_SIZES.length * ACCESSES.length * 2;
const FIRST_EVENT = FIRST_ANY_SIZE + REGISTERS * 2;

/** What happens to a section: see sections.h. */
const EVENTS = [
  'enter',
  'show',
  'lock',
  'unlock',
  'settle',
  'settle, flags',
  'leave',
  'leave, flags',
  'tire',
] as const;
export type SectionEvent = (typeof EVENTS)[number];

export const eventSlot = (event: SectionEvent): number =>
  SLOT_SIZE * (FIRST_EVENT + EVENTS.indexOf(event));

const FIRST_MEMORY_FUNCTION = FIRST_EVENT + EVENTS.length;

/** Of one of MEMORY_FUNCTIONS. */
export const memorySlot = (name: string): number =>
  SLOT_SIZE * (FIRST_MEMORY_FUNCTION + MEMORY_FUNCTIONS.indexOf(name));

export const STUB_SLOTS_SIZE = SLOT_SIZE * (FIRST_MEMORY_FUNCTION + MEMORY_FUNCTIONS.length);

/**
 * In struct dh_section_thread: how many locks are held inside, which is about to be taken, and how many more turns
 * loops may take.
 */
export const DEPTH_AT = 8;
export const ASKED_FOR_AT = 24;
export const PATIENCE_AT = 144;
