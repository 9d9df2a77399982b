/**
 * What a DWARF expression of an unwind table comes to, with the registers and the memory of a thread that
 * stands still. The linker's one for the procedure linkage table is
 *
 *   breg7 +8; breg16 +0; lit15; and; lit11; ge; lit3; shl; plus      rsp + 8, or + 16 after its push
 *
 * DWARF 5, section 2.5, as far as unwind tables have it; undefined for all else, and for what is not known.
 */
import { BadBinary, ByteReader } from '../byte-reader.ts';

export interface Surroundings {
  /** By DWARF's number. */
  register(number: number): bigint | undefined;
  /** Eight bytes of memory. */
  word(address: bigint): bigint | undefined;
}

/** `first`: what is on its stack at the beginning. */
export function evaluateExpression(
  expression: Uint8Array,
  around: Surroundings,
  first: readonly bigint[] = [],
): bigint | undefined {
  try {
    const stack = [...first];
    const reader = new ByteReader(expression, 0, expression.length, 'an expression');
    while (reader.left > 0) step(reader, stack, around);
    return stack.at(-1);
  } catch (error) {
    if (error instanceof NotKnown || error instanceof BadBinary) return undefined;
    throw error;
  }
}

class NotKnown extends Error {}

function known<T>(value: T | undefined): T {
  if (value === undefined) throw new NotKnown();
  return value;
}

const wrapped = (value: bigint): bigint => BigInt.asUintN(64, value);
const signed = (value: bigint): bigint => BigInt.asIntN(64, value);

/** Operands of constants: bytes and sign. */
const CONSTANTS: ReadonlyMap<number, (reader: ByteReader) => bigint> = new Map([
  [0x08, (reader) => BigInt(reader.u8())],
  [0x09, (reader) => BigInt(reader.i8())],
  [0x0a, (reader) => BigInt(reader.u16())],
  [0x0b, (reader) => BigInt(reader.i16())],
  [0x0c, (reader) => BigInt(reader.u32())],
  [0x0d, (reader) => BigInt(reader.i32())],
  [0x0e, (reader) => reader.bigU64()],
  [0x0f, (reader) => reader.bigU64()],
  [0x10, (reader) => BigInt(reader.uleb())],
  [0x11, (reader) => BigInt(reader.sleb())],
]);

/** The second from the top and the top become one. */
const BINARY: ReadonlyMap<number, (a: bigint, b: bigint) => bigint> = new Map([
  [0x1a, (a, b) => a & b],
  [0x1c, (a, b) => a - b],
  [0x1e, (a, b) => a * b],
  [0x21, (a, b) => a | b],
  [0x22, (a, b) => a + b],
  [0x24, (a, b) => (b < 64n ? a << b : 0n)],
  [0x25, (a, b) => (b < 64n ? a >> b : 0n)],
  [0x27, (a, b) => a ^ b],
  [0x29, (a, b) => BigInt(a === b)],
  [0x2a, (a, b) => BigInt(signed(a) >= signed(b))],
  [0x2b, (a, b) => BigInt(signed(a) > signed(b))],
  [0x2c, (a, b) => BigInt(signed(a) <= signed(b))],
  [0x2d, (a, b) => BigInt(signed(a) < signed(b))],
  [0x2e, (a, b) => BigInt(a !== b)],
]);

function step(reader: ByteReader, stack: bigint[], around: Surroundings): void {
  const opcode = reader.u8();
  const constant = CONSTANTS.get(opcode);
  const binary = BINARY.get(opcode);
  const pop = (): bigint => known(stack.pop());
  const push = (value: bigint): void => {
    stack.push(wrapped(value));
  };
  if (constant) push(constant(reader));
  else if (binary) {
    const top = pop();
    push(binary(pop(), top));
  } else if (opcode >= 0x30 && opcode <= 0x4f) push(BigInt(opcode - 0x30));
  else if (opcode >= 0x70 && opcode <= 0x8f) {
    push(known(around.register(opcode - 0x70)) + BigInt(reader.sleb()));
  } else if (opcode === 0x06)
    push(known(around.word(pop()))); // deref
  else if (opcode === 0x12)
    push(known(stack.at(-1))); // dup
  else if (opcode === 0x13)
    pop(); // drop
  else if (opcode === 0x14)
    push(known(stack.at(-2))); // over
  else if (opcode === 0x16)
    stack.push(pop(), pop()); // swap
  else if (opcode === 0x1f)
    push(-pop()); // neg
  else if (opcode === 0x20)
    push(~pop()); // not
  else if (opcode === 0x23)
    push(pop() + BigInt(reader.uleb())); // plus_uconst
  else if (opcode !== 0x96) throw new NotKnown(); // nop
}
