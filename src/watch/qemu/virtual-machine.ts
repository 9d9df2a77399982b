/**
 * QEMU as a process of ours. It ends with us, however we end: it is killed when the guest is not needed any more,
 * and the kernel kills it if we die (setpriv asks for that before it becomes QEMU).
 *
 * Two virtual processors, each emulated by a thread of its own. Hardware virtualisation is used if the user says so:
 * that /dev/kvm can be opened does not tell whether it works (in a virtual machine it may be there, and hang).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tryTo } from '../../base/result.ts';
import { resolveExecutable } from '../../linux/executable.ts';
import type { Emulator } from './guest-parts.ts';

export interface MachinePlan {
  readonly emulator: Emulator;
  readonly kernel: string;
  readonly firstFileSystem: string;
  /** Where QEMU listens for a debugger: a socket's path. */
  readonly debugSocket: string;
  /** Where we listen for the guest. */
  readonly talkSocket: string;
  /** QEMU's options for its side of it; the character device has this name. */
  readonly talkOptions: (name: string) => string[];
  readonly consoleFile: string;
  readonly kvm: boolean;
  readonly memoryMegabytes: number;
}

/**
 * No kernel at a random address: symbols could be had from its file. A processor that is held for long must not be
 * taken for one that hangs, nor make the others distrust its clock; and a timer that ticks late on a busy host must not be
 * taken for a broken one. After a panic QEMU ends, as it may not reboot.
 */
const KERNEL_OPTIONS =
  'console=ttyS0 nokaslr panic=-1 nowatchdog no_timer_check tsc=reliable rcupdate.rcu_cpu_stall_suppress=1';

export class VirtualMachine {
  readonly #process: ChildProcess;
  readonly #gone: Promise<unknown>;
  #complaints = '';

  constructor(plan: MachinePlan) {
    const { command, environment } = plan.emulator;
    const words = [command, ...plan.emulator.options, ...machineOptions(plan)];
    const dyingWithUs = tryTo(() => resolveExecutable('setpriv'));
    const before = dyingWithUs.ok ? [dyingWithUs.value, '--pdeathsig', 'KILL', '--'] : [];
    const [program = '', ...args] = [...before, ...words];
    this.#process = spawn(program, args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: environment,
      // Ctrl-C is for us: the guest is ended when nothing more is asked of it.
      detached: true,
    });
    this.#process.stderr?.on('data', (text) => {
      this.#complaints = `${this.#complaints}${text}`.slice(-4096);
    });
    this.#process.on('error', (error) => {
      this.#complaints += error.message;
    });
    this.#gone = once(this.#process, 'close').catch(() => undefined);
    process.on('exit', this.#kill);
  }

  /** Settles when QEMU has ended, by itself or not. */
  get gone(): Promise<unknown> {
    return this.#gone;
  }

  get complaints(): string {
    return this.#complaints.trim();
  }

  async end(): Promise<void> {
    this.#kill();
    await this.#gone;
    process.off('exit', this.#kill);
  }

  readonly #kill = (): void => {
    this.#process.kill('SIGKILL');
  };
}

function machineOptions(plan: MachinePlan): string[] {
  const { debugSocket, talkSocket, consoleFile } = plan;
  return [
    ...['-nodefaults', '-no-user-config', '-display', 'none', '-no-reboot'],
    ...['-accel', plan.kvm ? 'kvm' : 'tcg,thread=multi', ...(plan.kvm ? ['-cpu', 'host'] : [])],
    ...['-smp', '2', '-m', String(plan.memoryMegabytes)],
    ...['-kernel', plan.kernel, '-initrd', plan.firstFileSystem, '-append', KERNEL_OPTIONS],
    ...['-serial', `file:${escaped(consoleFile)}`],
    ...['-chardev', `socket,id=talk,path=${escaped(talkSocket)},server=off`],
    ...plan.talkOptions('talk'),
    ...['-gdb', `unix:${escaped(debugSocket)},server=on,wait=off`],
  ];
}

/** A comma ends a value of QEMU's; two are one. */
const escaped = (path: string): string => path.replaceAll(',', ',,');
