/** Source: <linux/sched.h>. */
export const CloneFlag = {
  parent: 0x8000,
  newMounts: 0x0002_0000,
  newNames: 0x0400_0000,
  newIpc: 0x0800_0000,
  newNetwork: 0x4000_0000,
  newUsers: 0x1000_0000,
  newPids: 0x2000_0000,
} as const;

/** Source: <linux/mount.h>. */
export const MountFlag = {
  readOnly: 1,
  noSuid: 2,
  noDevices: 4,
  noExecution: 8,
  remount: 32,
  bind: 4096,
  recursive: 16_384,
  private: 1 << 18,
} as const;

/** Source: <linux/fs.h>; a lazy unmount. */
export const MNT_DETACH = 2;
