/**
 * Of instructions that work on memory with a constant: which bits they are about, and what they add.
 *
 *   or dword ptr [rdi],4        changes bit 2
 *   and byte ptr [rdi],0xfe     changes bit 0
 *   test byte ptr [rdi],0x80    looks at bit 7
 *   bts dword ptr [rdi],5       changes bit 5
 *   inc dword ptr [rdi]         adds 1
 *
 * Bits of what they read or write otherwise are as they were before.
 */
import { Decoder, type Instruction as Iced, MemorySizeExt, Mnemonic, OpKind } from 'iced-x86';

export interface TouchedBits {
  /** Counted from the lowest bit of the operand. */
  readonly mask: bigint;
  readonly isChanged: boolean;
}

/** undefined if it is about all of them, or nobody can tell. */
export function touchedBits(bytes: Uint8Array): TouchedBits | undefined {
  return withConstant(bytes, (iced, constant, size) => {
    const bits = BigInt(size * 8);
    const single = (): bigint => 1n << (constant & (bits - 1n));
    const masks: Partial<Record<Mnemonic, () => TouchedBits>> = {
      [Mnemonic.Or]: () => ({ mask: constant, isChanged: true }),
      [Mnemonic.Xor]: () => ({ mask: constant, isChanged: true }),
      [Mnemonic.And]: () => ({ mask: ~constant, isChanged: true }),
      [Mnemonic.Test]: () => ({ mask: constant, isChanged: false }),
      [Mnemonic.Bt]: () => ({ mask: single(), isChanged: false }),
      [Mnemonic.Bts]: () => ({ mask: single(), isChanged: true }),
      [Mnemonic.Btr]: () => ({ mask: single(), isChanged: true }),
      [Mnemonic.Btc]: () => ({ mask: single(), isChanged: true }),
    };
    const found = masks[iced.mnemonic]?.();
    return found && { ...found, mask: BigInt.asUintN(size * 8, found.mask) };
  });
}

/** `add [counter],4` adds 4, `dec [counter]` -1; undefined for all others. */
export function addedConstant(bytes: Uint8Array): bigint | undefined {
  return withConstant(bytes, ({ mnemonic }, constant) => {
    if (mnemonic === Mnemonic.Inc) return 1n;
    if (mnemonic === Mnemonic.Dec) return -1n;
    if (mnemonic === Mnemonic.Add) return constant;
    return mnemonic === Mnemonic.Sub ? -constant : undefined;
  });
}

function withConstant<T>(
  bytes: Uint8Array,
  tell: (iced: Iced, constant: bigint, size: number) => T | undefined,
): T | undefined {
  const decoder = new Decoder(64, bytes, 0);
  const iced = decoder.decode();
  try {
    const isOnMemory = iced.opCount > 0 && iced.op0Kind === OpKind.Memory;
    if (!isOnMemory || (iced.opCount > 1 && !isConstant(iced.op1Kind))) return undefined;
    const constant = iced.opCount > 1 ? BigInt.asIntN(64, iced.immediate(1)) : 0n;
    return tell(iced, constant, MemorySizeExt.size(iced.memorySize));
  } finally {
    iced.free();
    decoder.free();
  }
}

const isConstant = (kind: OpKind): boolean => CONSTANTS.has(kind);
const CONSTANTS: ReadonlySet<OpKind> = new Set([
  ...[OpKind.Immediate8, OpKind.Immediate16, OpKind.Immediate32, OpKind.Immediate64],
  ...[OpKind.Immediate8to16, OpKind.Immediate8to32, OpKind.Immediate8to64, OpKind.Immediate32to64],
]);
