/**
 * A file as the kernel knows it, for a call's descriptor arguments and results. `id` tells open
 * files apart, which have a position each and are shared by dup and fork (the address of the
 * kernel's `struct file`, read as signed, or a number of the recorder's own; 0 for a folder that is
 * only somebody's current one, or if the recorder cannot know); `device` and `inode` tell the things
 * opened apart; `mode` has type and permissions, as in stat(2). The kernel reuses all of them once a
 * file is gone; whatever a call opens is new, though, unless it duplicates.
 */
export interface KernelFile {
  readonly id: number;
  readonly device: number;
  readonly inode: number;
  readonly mode: number;
}
