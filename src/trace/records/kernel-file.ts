/**
 * A file as the kernel knows it, for a call's descriptor arguments and results. `id` tells open
 * files apart (the address of the kernel's `struct file`, read as signed; 0 if the recorder cannot
 * know); `device` and `inode` tell the things opened apart; `mode` has type and permissions, as in
 * stat(2). The kernel reuses all of them once a file is gone.
 */
export interface KernelFile {
  readonly id: number;
  readonly device: number;
  readonly inode: number;
  readonly mode: number;
}
