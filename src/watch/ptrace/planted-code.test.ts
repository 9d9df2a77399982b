import { describe, expect, it, onTestFinished } from 'vitest';
import { pid, tid, traceeAddress } from '../../linux/ids.ts';
import { programEntry } from '../../linux/loader.ts';
import { PLAIN_INHERITANCE } from '../../linux/own-inheritance.ts';
import { readMemory, writeCode } from '../../linux/process-memory.ts';
import { startProgram } from '../../linux/start-traced.ts';
import { endTracee } from '../../linux/tracee-stop.ts';
import { PlantedCode } from './planted-code.ts';

/** A program that stands at its exec, with its first instructions as they are in memory. */
function started() {
  const program = { path: '/bin/true', args: ['true'], environment: [] };
  const { task } = startProgram({ ...program, inheritance: PLAIN_INHERITANCE }, () => {});
  onTestFinished(() => endTracee(task));
  const entry = programEntry(pid(task))!;
  const memory = (): Buffer => readMemory(task, entry, 32);
  return { task, entry, memory, code: new PlantedCode(pid(task)), original: memory() };
}

describe('planted code', () => {
  it('is as before when all is taken out, in whatever order', () => {
    const { entry, memory, code, original } = started();
    for (const at of [0, 1, 5, 6, 20]) {
      expect(code.plant(entry + BigInt(at), original.subarray(at, at + 16))).toBe(true);
    }
    expect(memory()).toEqual(original);
    code.write();
    expect(memory()[5]).toBe(0xcc);
    expect(code.read(entry, 32)).toEqual(original);
    code.unplant(entry + 5n);
    expect(memory()[5]).toBe(original[5]);
    expect(code.read(entry, 32)).toEqual(original);
    code.removeAll();
    expect(memory()).toEqual(original);
  });

  it('is told of when it is gone, written or not', () => {
    const { task, entry, memory, original } = started();
    const gone: bigint[] = [];
    const code = new PlantedCode(pid(task), (address) => gone.push(address));
    code.plant(entry, original);
    code.unplant(entry);
    code.write();
    expect(memory()).toEqual(original);
    code.plant(entry + 1n, original.subarray(1));
    expect(code.takeUnwritten()).toEqual([[entry + 1n, Number.NEGATIVE_INFINITY]]);
    code.wasPutBack(entry + 1n);
    code.write();
    expect(memory()).toEqual(original);
    expect(gone).toEqual([entry, entry + 1n]);
  });

  it('is written when its time has come, by us or by somebody else', () => {
    const { entry, memory, code, original } = started();
    const later = performance.now() + 60_000;
    expect(code.nextWrite).toBe(Number.POSITIVE_INFINITY);
    code.plant(entry + 2n, original.subarray(2), later + 1);
    code.plant(entry + 1n, original.subarray(1), later);
    code.plant(entry, original, performance.now());
    code.write();
    expect([...memory().subarray(0, 3)]).toEqual([0xcc, ...original.subarray(1, 3)]);
    expect(code.nextWrite).toBe(later);
    const unwritten = code.takeUnwritten();
    expect(unwritten.map(([address]) => address)).toEqual([entry + 1n, entry + 2n]);
    expect(code.nextWrite).toBe(Number.POSITIVE_INFINITY);
    code.putOff(unwritten.slice(1));
    expect(code.nextWrite).toBe(later + 1);
    code.removeAll();
    expect(memory()).toEqual(original);
  });

  it('is not planted where the file has something else, or memory nothing', () => {
    const { entry, memory, code, original } = started();
    expect(code.plant(entry, Buffer.from([0x0f, 0x0b]))).toBe(false);
    expect(code.plant(0x10n, original)).toBe(false);
    expect(memory()).toEqual(original);
  });

  it('is not put back where other code stands by now', () => {
    const { task, entry, memory, code, original } = started();
    code.plant(entry, original);
    code.write();
    const others = Buffer.from([0xcc, 0x90, 0x90, 0x90]);
    writeCode(tid(task), traceeAddress(entry), others);
    code.unplant(entry);
    expect(memory().subarray(0, 4)).toEqual(others);
  });
});
