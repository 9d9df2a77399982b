/**
 * What the two helpers inside a sandbox run: its process 1, which collects orphans, and the parent
 * of the user's program, which collects that. Both wait for children until there are none left,
 * and end. As C:
 *
 *   while (wait4(-1, status, __WALL, NULL) != -ECHILD);
 *   exit_group(0);
 *
 * Process 1 cannot be the user's program: the kernel does not deliver signals without a handler
 * to a process 1. A shell cannot do this job: it does not wait for children it did not start.
 */

/** `statusAt`: where each child's wait status is put; 0 for nowhere. */
export function reaperCode(statusAt: bigint): Buffer {
  const address = Buffer.alloc(8);
  address.writeBigUInt64LE(statusAt);
  return Buffer.concat([
    Buffer.from([0x48, 0xbe]), //                                     mov  rsi, statusAt
    address,
    Buffer.from([0x48, 0xc7, 0xc7, 0xff, 0xff, 0xff, 0xff]), // next: mov  rdi, -1
    Buffer.from([0xba, 0x00, 0x00, 0x00, 0x40]), //                   mov  edx, __WALL
    Buffer.from([0x45, 0x31, 0xd2]), //                               xor  r10d, r10d
    Buffer.from([0xb8, 0x3d, 0x00, 0x00, 0x00]), //                   mov  eax, 61 (wait4)
    Buffer.from([0x0f, 0x05]), //                                     syscall
    Buffer.from([0x48, 0x83, 0xf8, 0xf6]), //                         cmp  rax, -10 (ECHILD)
    Buffer.from([0x75, 0xe4]), //                                     jne  next
    Buffer.from([0x31, 0xff]), //                                     xor  edi, edi
    Buffer.from([0xb8, 0xe7, 0x00, 0x00, 0x00]), //                   mov  eax, 231 (exit_group)
    Buffer.from([0x0f, 0x05]), //                                     syscall
  ]);
}
