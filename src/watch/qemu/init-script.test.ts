import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { initScript } from './init-script.ts';

const PARTS = {
  port: '/dev/ttyS1',
  portModules: ['/deadheat/port/virtio.ko'],
  modules: ['/deadheat/modules/a.ko', '/deadheat/modules/b.ko'],
};

test.each([undefined, 'ls'])('is a script for sh, with workload %j', (workload) => {
  const { status, stderr } = spawnSync('sh', ['-n'], {
    input: initScript({ ...PARTS, workload }),
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test('loads modules before it tells the symbols, and starts the workload after that', () => {
  const script = initScript({ ...PARTS, workload: 'ls' });
  const steps = [
    'port/virtio.ko',
    'stty',
    'exec 3',
    'a.ko',
    'b.ko',
    'kallsyms',
    'ready',
    'taskset',
  ];
  const places = steps.map((step) => script.indexOf(step));
  expect(places).toEqual([...places].sort((a, b) => a - b));
  expect(places).not.toContain(-1);
  expect(initScript({ ...PARTS, workload: undefined })).not.toContain('taskset');
});
