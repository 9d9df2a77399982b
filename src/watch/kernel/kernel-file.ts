/**
 * The symbols of a kernel from a file that the user names, of whatever kind:
 *
 *   System.map, or a copy of /proc/kallsyms       text
 *   vmlinux                                       an ELF file; stripped, with its kallsyms inside
 *   vmlinuz                                       a start-up program with a compressed vmlinux behind it
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { encodeBytes, printable } from '../../base/bytes.ts';
import { UserError } from '../../base/user-error.ts';
import { BadBinary, ByteReader } from '../../binary/byte-reader.ts';
import { findTokens, readKallsyms } from './kallsyms.ts';
import { parseSymbolFile } from './symbol-file.ts';
import type { KernelSymbol } from './symbols.ts';
import { isElf, readVmlinux } from './vmlinux.ts';

const LARGEST = 1 << 30;
/** Documentation/arch/x86/boot.rst: the setup header. */
const Setup = { sectors: 0x1f1, magic: 0x202, payload: 0x248, payloadSize: 0x24c } as const;
const SETUP_MAGIC = 0x53726448; // HdrS
const SECTOR = 512;

export function readKernelFile(path: string): KernelSymbol[] {
  try {
    return symbolsOf(readFileSync(encodeBytes(path)));
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
    throw new UserError(
      `no symbols of a kernel can be read from ${printable(path)}: ${thrown.message}`,
      'give a System.map, a copy of /proc/kallsyms as root sees it, a vmlinux or a vmlinuz; without --kernel, they are looked for in memory',
    );
  }
}

function symbolsOf(bytes: Buffer): KernelSymbol[] {
  if (isElf(bytes)) return symbolsOfElf(bytes);
  if (isCompressedKernel(bytes)) return symbolsOfElf(decompressedKernel(bytes));
  return parseSymbolFile(bytes.toString('latin1'));
}

function symbolsOfElf(bytes: Buffer): KernelSymbol[] {
  try {
    return readVmlinux(bytes);
  } catch (thrown) {
    if (!(thrown instanceof BadBinary)) throw thrown;
    const tokens = findTokens(bytes);
    const symbols = tokens && readKallsyms(bytes, tokens);
    if (symbols === undefined) throw thrown;
    return symbols;
  }
}

const isCompressedKernel = (bytes: Buffer): boolean =>
  bytes.length > Setup.payloadSize + 4 && bytes.readUInt32LE(Setup.magic) === SETUP_MAGIC;

function decompressedKernel(bytes: Buffer): Buffer {
  const start = (bytes.readUInt8(Setup.sectors) + 1) * SECTOR + bytes.readUInt32LE(Setup.payload);
  const size = bytes.readUInt32LE(Setup.payloadSize);
  const reader = new ByteReader(bytes, start, bytes.length, 'the compressed kernel');
  const payload = Buffer.from(reader.bytes(size));
  const magic = payload.toString('hex', 0, 6);
  if (magic.startsWith('1f8b')) return gunzipSync(payload, { maxOutputLength: LARGEST });
  if (magic === 'fd377a585a00') return decompressedBy('xz', payload);
  if (magic.startsWith('28b52ffd')) return decompressedBy('zstd', payload);
  throw new BadBinary(`it is compressed in a way that is not known (${magic})`);
}

/** The kernel's own size follows the compressed bytes, which these programs take for garbage: they complain, and are right. */
function decompressedBy(program: 'xz' | 'zstd', payload: Buffer): Buffer {
  const { stdout, error } = spawnSync(program, ['-dc', '-q'], {
    input: payload,
    maxBuffer: LARGEST,
    timeout: 120_000,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  if (stdout !== null && stdout.length > payload.length) return stdout;
  throw new BadBinary(`${program} does not decompress it${error ? `: ${error.message}` : ''}`);
}
