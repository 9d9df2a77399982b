/**
 * From a descriptor to the file behind it, inside the kernel, as FileFields:
 *
 *   task->files->fdt->fd[3]  →  id (its address), then ->f_inode  →  inode, mode, device
 *
 * In a program that the kernel knows the types of, pointers are followed by plain loads, which are
 * many times faster than the helper that copies from any address; but the types end at `fd[3]`.
 *
 * Reads without the kernel's locks: another thread may close the descriptor at the same moment,
 * and then either answer is right. Nothing is written if there is no such file.
 * Uses r6 and r9 up.
 */
import { assert } from '../../../base/assert.ts';
import type { BpfAssembler } from '../../../linux/bpf-assembler.ts';
import { CallFlag, CallShape } from './call-table.ts';
import { fetch, follow, readKernel } from './fragments.ts';
import type { KernelOffsets } from './kernel-offsets.ts';
import { CallEvent, FILE_IS_THERE, FileFields } from './layout.ts';

/** The type of a file, <linux/stat.h>, together with FILE_IS_THERE. */
export const FileKind = {
  pipe: FILE_IS_THERE | 0o010000,
  device: FILE_IS_THERE | 0o020000,
  directory: FILE_IS_THERE | 0o040000,
  regular: FILE_IS_THERE | 0o100000,
  socket: FILE_IS_THERE | 0o140000,
} as const;
const KIND_BITS = FILE_IS_THERE | 0o170000;

/** Source: <linux/fs.h>. */
const FMODE_CREATED = 0x10_0000;

/** Where the part of an inode that we want is copied to, on the stack. */
const INODE_COPY = -256;
const LARGEST_COPY = 192;

/** Describes the current task's descriptor r9 at r7 + at. `opened`: also whether it was just created. */
export function describeDescriptor(
  a: BpfAssembler,
  offsets: KernelOffsets,
  at: number,
  opened = false,
): void {
  const done = a.newLabel('described');
  const { task, files, fdTable, file } = offsets;
  a.callHelper('get_current_task_btf');
  walk(a, 'r0', [task.files, files.table], done);
  a.load(4, 'r1', 'r0', fdTable.size).jumpIf('r9', '>=', 'r1', done);
  a.load(8, 'r3', 'r0', fdTable.files).shiftLeft('r9', 3).add('r3', 'r9');
  follow(a, [0], done);
  a.move('r6', 'r3').store(8, 'r7', at + FileFields.id, 'r6');
  if (opened) {
    const existed = a.newLabel('existed');
    fetch(a, 4, 'r1', file.mode, done);
    a.and('r1', FMODE_CREATED).jumpIf('r1', '==', 0, existed);
    a.store(4, 'r7', CallEvent.created, 1).label(existed).move('r3', 'r6');
  }
  follow(a, [file.inode], done);
  describeInode(a, offsets, at, done);
  a.label(done);
}

/** `to` = one of FileKind, of the file that is described at r7 + at. */
export function loadFileKind(a: BpfAssembler, to: 'r1', at: number): void {
  a.load(4, to, 'r7', at + FileFields.mode).and(to, KIND_BITS);
}

/**
 * Where the position of the call's file stands. If another thread has closed the file meanwhile,
 * this may be what the memory is used for now; then no answer is right.
 */
export function notePosition(a: BpfAssembler, { file }: KernelOffsets): void {
  a.load(2, 'r1', 'r8', CallShape.flags).and('r1', CallFlag.position);
  a.jumpIf('r1', '==', 0, 'no position');
  loadFileKind(a, 'r1', CallEvent.file);
  a.jumpIf('r1', '==', FileKind.regular, 'has position');
  a.jumpIf('r1', '!=', FileKind.directory, 'no position').label('has position');
  a.load(8, 'r3', 'r7', CallEvent.file + FileFields.id);
  readKernel(a, ['r7', CallEvent.position], 8, file.position, 'no position');
  a.label('no position');
}

/** Describes the current task's working directory at r7 + at. */
export function describeWorkingDirectory(
  a: BpfAssembler,
  offsets: KernelOffsets,
  at: number,
): void {
  const done = a.newLabel('described');
  const { task, fs, directoryEntry } = offsets;
  a.store(8, 'r7', at + FileFields.id, 0).callHelper('get_current_task_btf');
  walk(a, 'r0', [task.fs, fs.workingDirectory, directoryEntry.inode], done);
  a.move('r3', 'r0');
  describeInode(a, offsets, at, done);
  a.label(done);
}

/** Follows pointers whose types the kernel knows. */
function walk(a: BpfAssembler, pointer: 'r0', offsets: readonly number[], otherwise: string): void {
  for (const offset of offsets) {
    a.load(8, pointer, pointer, offset).jumpIf(pointer, '==', 0, otherwise);
  }
}

/** r3 is the inode. The mode comes last: it says that everything is there. */
function describeInode(a: BpfAssembler, offsets: KernelOffsets, at: number, done: string): void {
  const { inode, fileSystem } = offsets;
  const first = Math.min(...Object.values(inode));
  const size = Math.max(...Object.values(inode)) + 8 - first;
  assert(size <= LARGEST_COPY, `the members of struct inode are ${size} bytes apart`);
  const copyOf = (member: number): number => INODE_COPY + member - first;
  readKernel(a, ['fp', INODE_COPY], size, first, done);
  a.load(8, 'r1', 'fp', copyOf(inode.number)).store(8, 'r7', at + FileFields.inode, 'r1');
  a.load(8, 'r3', 'fp', copyOf(inode.fileSystem));
  readKernel(a, ['r7', at + FileFields.device], 4, fileSystem.device, done);
  a.load(2, 'r1', 'fp', copyOf(inode.mode)).or('r1', FILE_IS_THERE);
  a.store(4, 'r7', at + FileFields.mode, 'r1');
}
