import type { ByteWriter } from '../byte-writer.ts';

/** Pads an entry of `.eh_frame` with `nop`, which is zero, and notes its length at its start. */
export function endEntry(writer: ByteWriter, entryAt: number): void {
  writer.alignTo(8);
  writer.setI32(entryAt, writer.length - entryAt - 4);
}
