/**
 * How the guest talks with us: over a serial port. QEMU's virtual one moves megabytes in a moment, but Debian's
 * kernels have what drives it as modules; the emulated 8250 always works, byte by byte:
 *
 *   the kernel's symbols, 0.8 MB compressed      /dev/vport0p1: 0.1 s     /dev/ttyS1: 3.6 s
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export interface SerialPort {
  /** In the guest. */
  readonly device: string;
  /** Modules to be loaded for it, in this order. */
  readonly modules: readonly string[];
  /** QEMU's options, for the character device of this name. */
  readonly options: (name: string) => string[];
}

const VIRTIO = [
  ...['virtio', 'virtio_ring', 'virtio_pci_modern_dev', 'virtio_pci_legacy_dev', 'virtio_pci'].map(
    (name) => `kernel/drivers/virtio/${name}.ko`,
  ),
  'kernel/drivers/char/virtio_console.ko',
];

/** `folder`: the kernel's modules. Those that are compressed are of no use to busybox. */
export function serialPort(folder: string | undefined): SerialPort {
  const modules = folder === undefined ? [] : VIRTIO.map((name) => join(folder, name));
  if (modules.length === 0 || !modules.every((file) => existsSync(file))) return EMULATED;
  return {
    device: '/dev/vport0p1',
    modules,
    options: (name) => [
      ...['-device', 'virtio-serial-pci'],
      ...['-device', `virtserialport,chardev=${name},name=deadheat`],
    ],
  };
}

/** The second one: the first one is the console. */
const EMULATED: SerialPort = {
  device: '/dev/ttyS1',
  modules: [],
  options: (name) => ['-serial', `chardev:${name}`],
};
