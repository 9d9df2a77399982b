/**
 * Where the running kernel keeps what the programs look up, from its own type information: these
 * places change from one kernel to the next.
 *
 *   fd 3 of the current task:   task->files->fdt->fd[3]->f_inode->{i_ino, i_mode, i_sb->s_dev}
 */
import type { KernelTypes } from '../../../linux/btf.ts';

const MEMBERS = {
  task: {
    struct: 'task_struct',
    members: {
      tid: 'pid',
      process: 'tgid',
      files: 'files',
      fs: 'fs',
      mm: 'mm',
      signal: 'signal',
      exitCode: 'exit_code',
      numbers: 'thread_pid',
      entryStatus: 'thread_info.status',
    },
  },
  signal: { struct: 'signal_struct', members: { groupExitCode: 'group_exit_code' } },
  files: { struct: 'files_struct', members: { table: 'fdt' } },
  fdTable: { struct: 'fdtable', members: { size: 'max_fds', files: 'fd' } },
  file: { struct: 'file', members: { inode: 'f_inode', mode: 'f_mode', position: 'f_pos' } },
  inode: { struct: 'inode', members: { number: 'i_ino', mode: 'i_mode', fileSystem: 'i_sb' } },
  fileSystem: { struct: 'super_block', members: { device: 's_dev' } },
  fs: { struct: 'fs_struct', members: { workingDirectory: 'pwd.dentry' } },
  directoryEntry: { struct: 'dentry', members: { inode: 'd_inode' } },
  memory: {
    struct: 'mm_struct',
    members: { argumentsStart: 'arg_start', argumentsEnd: 'arg_end' },
  },
  newProgram: { struct: 'linux_binprm', members: { path: 'filename' } },
  pid: { struct: 'pid', members: { depth: 'level', numbers: 'numbers' } },
  action: { struct: 'k_sigaction', members: { handler: 'sa.sa_handler' } },
} as const;

type Group = keyof typeof MEMBERS;
export type KernelOffsets = {
  readonly [G in Group]: { readonly [M in keyof (typeof MEMBERS)[G]['members']]: number };
} & {
  /** sizeof(struct upid), of which a struct pid has one per namespace. */
  readonly pidNumberSize: number;
};

export function kernelOffsets(types: KernelTypes): KernelOffsets {
  const groups = Object.entries(MEMBERS).map(([group, { struct, members }]) => {
    const offsets = Object.entries<string>(members).map(([name, path]) => [
      name,
      types.offsetOf(struct, path),
    ]);
    return [group, Object.fromEntries(offsets)];
  });
  const pidNumberSize = types.sizeOf(types.idOf('struct', 'upid'));
  return { ...Object.fromEntries(groups), pidNumberSize } as KernelOffsets;
}
