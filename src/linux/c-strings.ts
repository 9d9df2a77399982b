/**
 * A path, arguments and an environment the way execve(2) wants them: two tables of pointers, each
 * ended by a null pointer, then the bytes they point to. `base` is the address at which the bytes
 * will stand, here or in another process.
 *
 *   layOut(0x1000n, '/bin/echo', ['echo', 'hi'], [])
 *   argv 1000: 102a 102f 0    envp 1018: 0    path 1020: "/bin/echo\0" 102a: "echo\0" 102f: "hi\0"
 */
import { encodeBytes } from '../base/bytes.ts';

export interface ExecStrings {
  bytes: Buffer;
  path: bigint;
  argv: bigint;
  envp: bigint;
}

const POINTER = 8;

export function layOut(
  base: bigint,
  path: string,
  args: readonly string[],
  environment: readonly string[],
): ExecStrings {
  const encoded = [path, ...args, ...environment].map(encodeBytes);
  const tables = (args.length + environment.length + 2) * POINTER;
  const bytes = Buffer.alloc(encoded.reduce((sum, string) => sum + string.length + 1, tables));
  let stringAt = tables;
  const addresses = encoded.map((string) => {
    const address = base + BigInt(stringAt);
    string.copy(bytes, stringAt);
    stringAt += string.length + 1;
    return address;
  });
  const argv = addresses.slice(1, 1 + args.length);
  const envp = addresses.slice(1 + args.length);
  for (const [slot, address] of [...argv, 0n, ...envp, 0n].entries()) {
    bytes.writeBigUInt64LE(address, slot * POINTER);
  }
  const envpAt = base + BigInt((args.length + 1) * POINTER);
  return { bytes, path: addresses[0]!, argv: base, envp: envpAt };
}
