/**
 * An address as an ELF file has it, before the loader has moved the image anywhere: 0x1139 for `main`
 * of a position independent program, 0x401136 for that of one that is not. A number, not a bigint:
 * images lie below 2^53.
 */
import type { Brand } from '../base/brand.ts';

export type ImageAddress = Brand<number, 'ImageAddress'>;

export const imageAddress = (value: number): ImageAddress => value as ImageAddress;
