import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NotGdbProtocol } from './packets.ts';
import { readLayout, StubRegisters, usualLayout } from './register-layout.ts';

const FILES: Record<string, string> = {
  'target.xml': `<?xml version="1.0"?><target><architecture>i386:x86-64</architecture>
    <xi:include href="core.xml"/><!-- <reg name="ghost" bitsize="64"/> --><xi:include href="more.xml"/></target>`,
  'core.xml': `<feature name="core"><reg name="rax" bitsize="64" type="int64" regnum="0"/>
    <reg name="rip" bitsize="64" type="code_ptr"/><reg name="eflags" bitsize="32"/>
    <reg name="st0" bitsize="80" type="i387_ext"/></feature>`,
  'more.xml':
    '<feature><reg bitsize="64" name="gs_base"\n regnum="9"/><reg name="fs_base" bitsize="64" regnum="5"/></feature>',
};

it('is put together from files', async () => {
  const layout = await readLayout(async (name) => FILES[name]);
  expect([...layout]).toEqual([
    ['rax', { offset: 0, size: 8 }],
    ['rip', { offset: 8, size: 8 }],
    ['eflags', { offset: 16, size: 4 }],
    ['st0', { offset: 20, size: 10 }],
    ['fs_base', { offset: 30, size: 8 }],
    ['gs_base', { offset: 38, size: 8 }],
  ]);
  const hex = `${'01'.repeat(8)}efcdab9078563412${'46020000'}${'00'.repeat(10)}xxxxxxxxxxxxxxxx`;
  const registers = new StubRegisters(hex, layout);
  expect(registers.get('rip')).toBe(0x1234567890abcdefn);
  expect(registers.get('eflags')).toBe(0x246n);
  expect(registers.get('fs_base')).toBe(0n);
  expect(registers.find('gs_base')).toBe(undefined);
  expect(registers.find('k_gs_base')).toBe(undefined);
});

it('is the usual one if the stub has no files, or files without end', async () => {
  expect(await readLayout(async () => undefined)).toEqual(usualLayout());
  const recursive = '<xi:include href="target.xml"/><xi:include href="target.xml"/>';
  expect(await readLayout(async () => recursive)).toEqual(usualLayout());
  expect(usualLayout().get('rip')).toEqual({ offset: 128, size: 8 });
  expect(usualLayout().get('gs')).toEqual({ offset: 160, size: 4 });
});

it('takes any registers, or says that they are none', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^([0-9a-f]{2})*$/)), (answer) => {
      try {
        const registers = new StubRegisters(answer, usualLayout());
        expect(registers.get('gs')).toBeLessThan(1n << 32n);
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(NotGdbProtocol);
      }
    }),
  );
});
