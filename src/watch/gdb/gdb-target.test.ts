import { expect, it, onTestFinished } from 'vitest';
import { AllStop } from './all-stop.ts';
import { GdbConnection } from './connection.ts';
import { GdbTarget } from './gdb-target.ts';
import type { RemoteSystem } from './remote-system.ts';
import { Stub } from './stub.ts';
import { type ScriptedStub, scriptedStub } from './testdata/scripted-stub.ts';

const NOTHING_KNOWN: RemoteSystem = {
  functions: async () => [],
  functionAt: async () => undefined,
  who: async (runner) => ({ process: '', pid: 0, thread: runner }),
  stack: async () => [],
  sitesAt: async () => [],
  dataName: async () => '',
  isShared: (address) => address >= 0x100n,
  codeChanges: async () => [],
  forget: () => {},
};

async function machine(
  system: Partial<RemoteSystem> = {},
): Promise<ScriptedStub & { target: GdbTarget }> {
  const scripted = await scriptedStub();
  const connection = await GdbConnection.open({ host: '127.0.0.1', port: scripted.port });
  onTestFinished(() => connection.close());
  const stub = await Stub.greet(connection);
  const runs = new AllStop(connection);
  await runs.begin();
  const target = new GdbTarget(stub, runs, { ...NOTHING_KNOWN, ...system });
  return { ...scripted, target };
}

const later = (): number => performance.now() + 600_000;

it('never moves a processor that is held', async () => {
  const { target, told, stops, rip } = await machine();
  await target.plant([0x2000n]);
  stops.push('T05thread:p01.02;');
  rip.set(2, 0x2000n);
  expect(await target.next(later())).toMatchObject({ kind: 'breakpoint', runner: 2 });
  expect(target.othersRunning()).toBe(1);
  const watch = await target.arm([{ address: 0x5040n, size: 4 }], 'load-or-store', 2);
  stops.push('T05thread:p01.01;awatch:5040;');
  expect(await target.next(later())).toMatchObject({ kind: 'watchpoint', runner: 1, watch });
  expect(target.othersRunning()).toBe(0);
  expect(await target.next(0)).toEqual({ kind: 'deadline' });
  await target.disarm(watch!);
  await target.unplant([0x2000n]);
  await target.release(1);
  expect(await target.next(0)).toEqual({ kind: 'deadline' });
  await target.release(2);
  expect(await target.next(0)).toEqual({ kind: 'deadline' });
  await target.leave();
  expect(told).toEqual([
    'Z0,2000,1',
    'vCont;c',
    'Z4,5040,4',
    'vCont;c:p01.01',
    'z4,5040,4',
    'z0,2000,1',
    'vCont;c:p01.01',
    'vCont;c',
    'D;1',
  ]);
});

it('steps over a breakpoint that stays, alone', async () => {
  const { target, told, stops, rip } = await machine();
  await target.plant([0x2000n]);
  stops.push('T05thread:p01.02;');
  rip.set(2, 0x2000n);
  await target.next(later());
  await target.release(2);
  rip.set(2, 0x2004n);
  stops.push('T05thread:p01.02;');
  expect(await target.next(0)).toEqual({ kind: 'deadline' });
  expect(told).toEqual([
    'Z0,2000,1',
    'vCont;c',
    'z0,2000,1',
    'vCont;s:p01.02',
    'Z0,2000,1',
    'vCont;c',
  ]);
  await target.leave();
});

it('does not take for a race what was watched before, nor a trap that nobody planted', async () => {
  const { target, stops } = await machine();
  const watch = await target.arm([{ address: 0x5040n, size: 4 }], 'store', 2);
  await target.disarm(watch!);
  stops.push('T05thread:p01.01;watch:5040;', 'T05thread:p01.01;');
  expect(await target.next(0)).toEqual({ kind: 'deadline' });
  expect(await target.next(0)).toEqual({ kind: 'deadline' });
  expect(target.othersRunning()).toBe(2);
  await target.leave();
});

it('does not watch bytes that are not the same for all', async () => {
  const { target, told } = await machine();
  expect(await target.arm([{ address: 0x40n, size: 4 }], 'store', 2)).toBe(undefined);
  expect(told).toEqual([]);
  await target.leave();
});

it('tells that code has changed, and goes on from there', async () => {
  let forgotten = 0;
  const { target, told, stops, rip } = await machine({
    codeChanges: async () => [0x3000n],
    forget: () => {
      forgotten++;
    },
  });
  stops.push('T05thread:p01.01;');
  rip.set(1, 0x3000n);
  expect(await target.next(later())).toEqual({ kind: 'code-changed' });
  expect(forgotten).toBe(1);
  expect(target.othersRunning()).toBe(2);
  rip.set(1, 0x3004n);
  stops.push('T05thread:p01.01;');
  expect(await target.next(0)).toEqual({ kind: 'deadline' });
  expect(told.slice(2)).toEqual(['z0,3000,1', 'vCont;s:p01.01', 'Z0,3000,1', 'vCont;c']);
  await target.leave();
  expect(told.slice(-2)).toEqual(['z0,3000,1', 'D;1']);
});

it('says what is wrong with a stub that breaks', async () => {
  const { target, stops } = await machine();
  stops.push('Tnonsense');
  expect(await target.next(later())).toMatchObject({
    kind: 'ended',
    end: { lostBecause: expect.stringContaining('it said "Tnonsense"') },
  });
  await target.leave();
});
