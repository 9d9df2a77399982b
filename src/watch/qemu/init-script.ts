/**
 * The first program of the guest, a script for busybox. It loads the modules, tells what symbols the kernel has,
 * waits until it is told to start, runs the workload once on each processor, and tells how that ended
 * (guest-messages.ts has what is said).
 */

export interface InitScript {
  /** The device by which the guest talks with us, and the modules that it takes. */
  readonly port: string;
  readonly portModules: readonly string[];
  readonly modules: readonly string[];
  /** A script; without one, the modules' own threads are all that runs. */
  readonly workload: string | undefined;
}

/** Whatever fails is told, and then the guest ends. */
const BEGINNING = `#!/bin/sh
export PATH=/bin:/sbin:/usr/bin:/usr/sbin HOME=/tmp
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mount -t debugfs debugfs /sys/kernel/debug 2>/dev/null
mount -t tmpfs tmpfs /tmp
mount -t tmpfs tmpfs /run
echo 0 > /proc/sys/kernel/kptr_restrict
# Threads of modules may never sleep.
renice -n -20 $$ > /dev/null
`;

const TALKING = `
failed() {
  echo "failed $*" >&3
  # What is underway would be lost.
  sleep 5
  poweroff -f
}
load() {
  complaint=$(insmod "$1" 2>&1) || failed "$complaint"
}
`;

/** Compressed, as the port may be slow; and from a file, so that its size can be told first. */
const SYMBOLS = `
gzip -1 < /proc/kallsyms > /run/symbols
echo "symbols $(stat -c %s /run/symbols)" >&3
cat /run/symbols >&3
rm /run/symbols
echo ready >&3
read -r word <&3
`;

const ON_EACH_PROCESSOR = `
status=0
copies=
for processor in $(seq 0 $(($(nproc) - 1))); do
  # As urgent as usual again; this script itself still goes before all others.
  PROCESSOR=$processor taskset $(printf %x $((1 << processor))) \\
    sh -c 'renice -n 20 $$ > /dev/null; exec sh /deadheat/workload' 3>&- &
  copies="$copies $!"
done
for copy in $copies; do
  wait "$copy" || status=$?
done
echo "ended $status" >&3
`;

/** If process 1 ended, the kernel would panic. */
const FOREVER = `
while :; do sleep 1000; done
`;

/**
 * A driver that is loaded may still be looking for its devices, and they may be there before they can be opened
 * (ENXIO). A shell that cannot open a file for itself ends; so another one tries it first.
 */
const untilOpens = (device: string): string => `
tries=0
until (: 3<>${device}) 2>/dev/null || test $tries -ge 300; do
  tries=$((tries + 1))
  sleep 0.1
done`;

export function initScript({ port, portModules, modules, workload }: InitScript): string {
  const opening = [
    ...portModules.map((path) => `insmod ${path}`),
    untilOpens(port),
    // An 8250 is a terminal, which would echo, and change line ends.
    ...(port.startsWith('/dev/tty') ? [`stty -F ${port} raw -echo`] : []),
    `exec 3<>${port}`,
  ];
  return [
    BEGINNING,
    `${opening.join('\n')}\n`,
    TALKING,
    `${modules.map((path) => `load ${path}`).join('\n')}\n`,
    SYMBOLS,
    workload === undefined ? '' : ON_EACH_PROCESSOR,
    FOREVER,
  ].join('');
}
