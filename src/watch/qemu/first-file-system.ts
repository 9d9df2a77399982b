/** What the guest finds when it starts: busybox, the script that it begins with, modules, the user's files. */
import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { gzipSync } from 'node:zlib';
import { encodeBytes, printable } from '../../base/bytes.ts';
import { tryTo } from '../../base/result.ts';
import { UserError } from '../../base/user-error.ts';
import { CpioArchive } from './cpio-archive.ts';
import { initScript } from './init-script.ts';
import type { SerialPort } from './virtual-serial-port.ts';

export interface GuestContents {
  readonly busybox: string;
  readonly port: SerialPort;
  readonly modules: readonly string[];
  /** Copied to the same name in /bin if they may be executed, otherwise to /root. */
  readonly files: readonly string[];
  readonly workload: string | undefined;
}

const FOLDERS = ['dev', 'proc', 'sys', 'tmp', 'run', 'root', 'sbin', 'etc'];
const ANYBODY_MAY_EXECUTE = 0o111;
/** The kernel's console for programs, as its list of devices (admin-guide/devices.txt) has it. */
const CONSOLE = { path: '/dev/console', major: 5, minor: 1 };

/** An archive that the kernel unpacks. */
export function firstFileSystem(contents: GuestContents): Uint8Array {
  const archive = new CpioArchive();
  for (const folder of FOLDERS) archive.folder(folder);
  archive.characterDevice(CONSOLE.path, CONSOLE.major, CONSOLE.minor);
  archive.file('/bin/busybox', readFileSync(contents.busybox), 0o755);
  archive.link('/bin/sh', 'busybox');
  const put = (files: readonly string[], folder: string): string[] =>
    files.map((file) => {
      const path = `${folder}/${basename(file)}`;
      archive.file(path, readUserFile(file));
      return path;
    });
  const portModules = put(contents.port.modules, '/deadheat/port');
  const modules = put(withoutNamesakes(contents.modules), '/deadheat/modules');
  for (const file of withoutNamesakes(contents.files)) putUserFile(archive, file);
  const { workload } = contents;
  if (workload !== undefined) archive.file('/deadheat/workload', `${workload}\n`);
  const script = initScript({ port: contents.port.device, portModules, modules, workload });
  archive.file('/init', script, 0o755);
  // Fast rather than small: it is in memory a moment later.
  return gzipSync(archive.bytes(), { level: 1 });
}

function putUserFile(archive: CpioArchive, file: string): void {
  const contents = readUserFile(file);
  const runs = (statSync(encodeBytes(file)).mode & ANYBODY_MAY_EXECUTE) !== 0;
  const name = basename(file);
  if (runs && ['busybox', 'sh'].includes(name)) {
    throw new UserError(`the guest has a program ${name} already`, 'give the file another name');
  }
  archive.file(`${runs ? '/bin' : '/root'}/${name}`, contents, runs ? 0o755 : 0o644);
}

function readUserFile(file: string): Uint8Array {
  const read = tryTo(() => readFileSync(encodeBytes(file)));
  if (read.ok) return read.value;
  throw new UserError(`cannot read ${printable(file)}: ${read.error.message}`, 'check the path');
}

function withoutNamesakes(files: readonly string[]): readonly string[] {
  const names = files.map((file) => basename(file));
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice === undefined) return files;
  throw new UserError(
    `two files for the guest are called ${printable(twice)}`,
    'give one of them another name',
  );
}
