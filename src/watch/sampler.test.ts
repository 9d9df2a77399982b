import { describe, expect, it } from 'vitest';
import { SeededRandom } from './random.ts';
import { Sampler } from './sampler.ts';
import { type CodeInMemory, codeInMemory } from './testdata/code-in-memory.ts';
import { worthWatching } from './worth-watching.ts';

const sampler = ({ code, functions }: CodeInMemory, seed = 1, wanted?: RegExp): Sampler => {
  const made = new Sampler(code, new SeededRandom(seed));
  made.setFunctions(functions, wanted);
  return made;
};

async function taken(from: Sampler, most = 1000): Promise<bigint[]> {
  const all: bigint[] = [];
  for (let next = await from.next(); next !== undefined && all.length < most; ) {
    all.push(next);
    next = await from.next();
  }
  return all;
}

/** How often each comes, if everything is given back untouched. */
async function counts(from: Sampler, times: number): Promise<Map<bigint, number>> {
  const counted = new Map<bigint, number>();
  for (let i = 0; i < times; i++) {
    const address = (await from.next())!;
    counted.set(address, (counted.get(address) ?? 0) + 1);
    from.giveBack(address, undefined);
  }
  return counted;
}

/** `f` has one in a lot of code, `g` four in little, `h` none. */
const UNEVEN = {
  f: `${'imul rax,rcx,1000000\n'.repeat(60)} mov eax,[rdi]\nret`,
  g: 'mov [rdi],eax\nmov [rdi+4],eax\nmov [rdi+8],eax\nmov [rdi+12],eax\nret',
  h: `${'xor eax,eax\n'.repeat(30)} ret`,
};

describe('worthWatching', () => {
  const textsIn = async (body: string): Promise<number> => {
    const { code, functions } = codeInMemory({ f: body });
    return worthWatching((await code.functionOf(functions[0]!))!).length;
  };

  it.each([
    ['memory by a pointer', 'mov eax,[rdi]\nret', 1],
    ['a variable', 'mov eax,[rip+100]\nret', 1],
    ['the stack', 'push rbx\nmov [rsp-8],rax\nmov rax,[rsp+8]\npop rbx\nret', 0],
    ['what a thread has for itself', 'mov rax,fs:[0x28]\nret', 0],
    ['what is only computed, or says nothing', 'lea rax,[rdi+8]\nnop dword ptr [rax]\nret', 0],
    ['a call through a pointer', 'call [rdi+8]\nret', 1],
    ['a push of what a pointer points to', 'push [rdi]\npop rax\nret', 1],
    ['a copy', 'rep movsb\nret', 1],
    ['a frame', 'push rbp\nmov rbp,rsp\nmov [rbp-8],rdi\nmov rax,[rbp-8]\npop rbp\nret', 0],
    [
      'a frame, and a pointer',
      'push rbp\nmov rbp,rsp\nmov rax,[rbp-8]\nmov rax,[rax]\nleave\nret',
      1,
    ],
    ['rbp as any other register', 'push rbp\nmov rbp,rdi\nmov rax,[rbp-8]\npop rbp\nret', 1],
    ['rbp of whoever jumped here', 'mov rax,[rbp-8]\nret', 1],
    [
      'rbp as both',
      'push rbp\nmov rbp,rsp\nmov rax,[rbp-8]\nmov rbp,rdi\nmov rax,[rbp]\npop rbp\nret',
      2,
    ],
    ['an array in the frame, of unknown length', 'mov rax,[rsp+rcx*8]\nret', 1],
    ['a masked store', 'vmaskmovps [rdi],ymm0,ymm1\nret', 0],
  ])('%s', async (_, body, expected) => {
    expect(await textsIn(body)).toBe(expected);
  });
});

describe('sampler', () => {
  it('has all instructions in the end, each once', async () => {
    const memory = codeInMemory(UNEVEN);
    const all = await taken(sampler(memory));
    expect(all).toHaveLength(5);
    expect(new Set(all).size).toBe(5);
  });

  it('chooses each as often as any other, however large its function is', async () => {
    const memory = codeInMemory(UNEVEN);
    const counted = await counts(sampler(memory), 5000);
    expect(counted.size).toBe(5);
    for (const count of counted.values()) expect(Math.abs(count - 1000)).toBeLessThan(150);
  });

  it('does so the first time, too, when no function is known', async () => {
    const memory = codeInMemory(UNEVEN);
    const first = new Map<bigint, number>();
    for (let seed = 0; seed < 2000; seed++) {
      const [address] = await taken(sampler(memory, seed), 1);
      first.set(address!, (first.get(address!) ?? 0) + 1);
    }
    for (const count of first.values()) expect(Math.abs(count - 400)).toBeLessThan(100);
  });

  it('comes in the same order for the same seed, and in another for another', async () => {
    const memory = codeInMemory(UNEVEN);
    const orders = await Promise.all([7, 7, 8].map((seed) => taken(sampler(memory, seed))));
    expect(orders[0]).toEqual(orders[1]);
    expect(orders[0]).not.toEqual(orders[2]);
  });

  it('chooses less often what was hit often', async () => {
    const memory = codeInMemory(UNEVEN);
    const from = sampler(memory);
    const hot = (await from.next())!;
    from.giveBack(hot, 'shared');
    for (let i = 0; i < 200; i++) {
      const next = (await from.next())!;
      from.giveBack(next, next === hot ? 'shared' : undefined);
    }
    const counted = await counts(from, 1000);
    for (const [address, count] of counted)
      if (address !== hot) expect(count).toBeGreaterThan(5 * (counted.get(hot) ?? 0));
  });

  it('retires what nobody else touches, until nothing else is left', async () => {
    const memory = codeInMemory({ f: 'mov eax,[rdi]\nmov [rsi],eax\nret' });
    const from = sampler(memory);
    const [quiet, shared] = (await taken(from)) as [bigint, bigint];
    for (let i = 0; i < 7; i++) {
      from.giveBack(quiet, 'quiet');
      from.giveBack(shared, 'shared');
      await taken(from);
    }
    from.giveBack(quiet, 'quiet');
    from.giveBack(shared, 'shared');
    expect(from.known).toEqual({ instructions: 2, retired: 1 });
    expect(await from.next()).toBe(shared);
    // That one is planted, so there is nothing else.
    expect(await from.next()).toBe(quiet);
  });

  it('repeats what was hit, and what is in the same function, until it is planted and not hit', async () => {
    const memory = codeInMemory(UNEVEN);
    const from = sampler(memory, 1, /^g$/);
    expect(await from.nextToRepeat()).toBeUndefined();
    const [hit, missed] = (await taken(from, 2)) as [bigint, bigint];
    from.giveBack(missed, undefined);
    expect(await from.nextToRepeat()).toBeUndefined();
    from.giveBack(hit, 'shared');
    const repeated = [
      await from.nextToRepeat(),
      await from.nextToRepeat(),
      await from.nextToRepeat(),
    ];
    expect(repeated).toContain(hit);
    expect(repeated).not.toContain(missed);
    expect(await from.nextToRepeat()).toBeUndefined();
    from.giveBack(hit, undefined);
    expect(await from.nextToRepeat()).toBeUndefined();
  });

  it('repeats what it has heard of, too, by any address in it', async () => {
    const memory = codeInMemory(UNEVEN);
    const from = sampler(memory);
    const [f, g] = ['f', 'g'].map((name) => memory.functions.find((one) => one.name === name)!);
    from.heardOf([0n, g!.start + 3n, f!.end - 1n, 0x7fff_0000_0000n]);
    const repeated = await Promise.all([1, 2, 3, 4, 5].map(() => from.nextToRepeat()));
    expect(new Set(repeated).size).toBe(5);
    expect(repeated).not.toContain(undefined);
    expect(await from.nextToRepeat()).toBeUndefined();
  });

  it('looks at functions with a certain name only, and at others when asked to', async () => {
    const memory = codeInMemory(UNEVEN);
    const from = sampler(memory, 1, /^f$/);
    const [only, ...rest] = await taken(from);
    expect(rest).toEqual([]);
    from.giveBack(only!, undefined);
    from.narrow(/^g$/);
    expect(await taken(from)).toHaveLength(4);
  });

  it('begins with suspects, and has them every second time', async () => {
    const memory = codeInMemory(UNEVEN);
    const from = sampler(memory);
    const g = memory.functions.find(({ name }) => name === 'g')!.start;
    from.suspect([g + 2n]);
    const order: boolean[] = [];
    for (let i = 0; i < 6; i++) {
      const next = (await from.next())!;
      order.push(next === g + 2n);
      from.giveBack(next, 'quiet');
    }
    expect(order.filter((isSuspect) => isSuspect).length).toBeGreaterThanOrEqual(3);
    expect(order[0]).toBe(true);
  });
});

it('samples the usual modules as long as no functions are named', async () => {
  const { code, functions } = codeInMemory(UNEVEN);
  const placed = functions.map((one) => ({
    ...one,
    module: one.name === 'g' ? 'driver' : 'vmlinux',
  }));
  const ofDriver = new Sampler(code, new SeededRandom(1), ['driver']);
  ofDriver.setFunctions(placed, undefined);
  const g = placed.find(({ name }) => name === 'g')!;
  const addresses = await taken(ofDriver);
  expect(addresses).toHaveLength(4);
  expect(addresses.every((address) => address >= g.start && address < g.end)).toBe(true);
  ofDriver.narrow(/^[fg]$/);
  expect(ofDriver.functionCount).toBe(2);
  ofDriver.narrow(undefined);
  expect(ofDriver.functionCount).toBe(1);
});
