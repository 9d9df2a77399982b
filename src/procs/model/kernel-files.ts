/** Paths whose contents the kernel makes up, or that stand for a device: no files of the program. */
const KERNEL_FILES = /^\/(proc(?!\/sys\/)|sys|dev(?!\/(shm|mqueue)\/))(\/|$)/;

export const isOrdinaryPath = (name: string): boolean =>
  name.startsWith('/') && !KERNEL_FILES.test(name);
