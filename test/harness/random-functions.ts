/**
 * Random functions in assembly, for comparing clones with their originals. They keep to the calling convention,
 * so that all that differs in the end is a defect of the clone:
 *
 *   - r15 points to 4 KB of memory, in which they read and write; pointers go nowhere else, since they differ
 *     from run to run;
 *   - at the end all registers are stored, and flags are asked for again and again on the way;
 *   - loops are bounded; calls lead to functions with lower numbers only.
 */

/** Numbers from a seed: the same ones for the same seed. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed ^ 0x9e37_79b9) >>> 0 || 1;
  }

  below(limit: number): number {
    // Marsaglia's xorshift.
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return (this.#state >>> 0) % limit;
  }

  one<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }
}

/** By their four sizes: 64, 32, 16 and 8 bits. */
const NAMES: Readonly<Record<string, readonly [string, string, string, string]>> = {
  rax: ['rax', 'eax', 'ax', 'al'],
  rcx: ['rcx', 'ecx', 'cx', 'cl'],
  rdx: ['rdx', 'edx', 'dx', 'dl'],
  rbx: ['rbx', 'ebx', 'bx', 'bl'],
  rbp: ['rbp', 'ebp', 'bp', 'bpl'],
  rsi: ['rsi', 'esi', 'si', 'sil'],
  rdi: ['rdi', 'edi', 'di', 'dil'],
  ...Object.fromEntries(
    [8, 9, 10, 11, 12, 13, 14].map((n) => [`r${n}`, [`r${n}`, `r${n}d`, `r${n}w`, `r${n}b`]]),
  ),
};
const CALLER_SAVED = ['rax', 'rcx', 'rdx', 'rsi', 'rdi', 'r8', 'r9', 'r10', 'r11'];
const CALLEE_SAVED = ['rbx', 'rbp', 'r12', 'r13', 'r14'];
const SIZES = [8, 4, 2, 1];
const POINTERS = ['qword', 'dword', 'word', 'byte'];
const CONDITIONS = 'o no b ae e ne be a s ns p np l ge le g'.split(' ');
const MEMORY_SIZE = 4096;
const MOST_STEPS = 30;
/** After what leaves flags undefined: those may be what they were before. */
const DEFINED = 'test eax,eax';

class FunctionText {
  readonly lines: string[] = [];
  readonly #dice: Dice;
  readonly #number: number;
  readonly #registers: readonly string[];
  readonly #isLeaf: boolean;
  #labels = 0;
  #depth = 0;

  constructor(dice: Dice, number: number) {
    this.#dice = dice;
    this.#number = number;
    this.#isLeaf = dice.below(3) === 0;
    this.#registers = this.#isLeaf ? CALLER_SAVED : [...CALLER_SAVED, ...CALLEE_SAVED];
    const name = `f${number}`;
    const start = dice.one(['', '', 'endbr64']);
    this.#add(`.globl ${name}`, `.type ${name},@function`, `${name}:`, '.cfi_startproc', start);
    this.#body();
    this.#add('.cfi_endproc', `.size ${name}, .-${name}`);
    if (dice.below(2) === 0) this.#add('.p2align 4');
  }

  #body(): void {
    const saved = this.#isLeaf ? [] : CALLEE_SAVED;
    for (const [place, register] of saved.entries()) {
      this.#add(`push ${register}`, `.cfi_def_cfa_offset ${16 + 8 * place}`);
    }
    const frame = this.#isLeaf ? 0 : 64;
    if (frame) this.#add(`sub rsp,${frame}`, `.cfi_def_cfa_offset ${48 + frame}`);
    // What a caller hands over is in registers for arguments; r11 and the others have anything.
    for (const register of [...saved, 'r11']) this.#add(`mov ${register},${this.#number32()}`);
    this.#add(`test ${this.#register()},${this.#number32()}`);
    // Nothing is read from the stack that was not written.
    const below = this.#isLeaf ? -128 : 0;
    for (let at = 0; at < 64; at += 8) this.#add(`mov qword ptr [rsp${sum(below + at)}],${at}`);
    this.#steps(5 + this.#dice.below(MOST_STEPS));
    this.#end(frame, saved);
  }

  #end(frame: number, saved: readonly string[]): void {
    if (this.#dice.below(2)) this.#add('lahf', 'seto al');
    for (const [place, register] of this.#registers.entries()) {
      this.#add(`mov [r15${sum(MEMORY_SIZE + 8 * place)}],${register}`);
    }
    this.#add(`movdqu [r15${sum(MEMORY_SIZE + 128)}],xmm3`);
    if (frame) this.#add(`add rsp,${frame}`, `.cfi_def_cfa_offset ${8 + 8 * saved.length}`);
    for (const [place, register] of [...saved].reverse().entries()) {
      this.#add(`pop ${register}`, `.cfi_def_cfa_offset ${8 * (saved.length - place)}`);
    }
    this.#add(this.#dice.one(['ret', 'rep ret', 'bnd ret']));
  }

  #steps(count: number): void {
    for (let step = 0; step < count; step++) this.#step();
  }

  #step(): void {
    const kinds = [
      ...[this.#arithmetic, this.#arithmetic, this.#memory, this.#memory, this.#memory],
      ...[this.#flags, this.#flags, this.#shift, this.#fixed, this.#atomic, this.#vector],
      ...[this.#stack, this.#string, this.#branch, this.#loop, this.#counter, this.#switch],
      ...[this.#call, this.#odd],
    ];
    this.#dice.one(kinds).call(this);
  }

  #arithmetic(): void {
    const size = this.#dice.below(4);
    const operation = this.#dice.one([
      'mov',
      'add',
      'sub',
      'adc',
      'sbb',
      'and',
      'or',
      'xor',
      'cmp',
    ]);
    const from = this.#dice.below(3) ? this.#register(size) : this.#small(size);
    this.#add(`${operation} ${this.#register(size)},${from}`);
  }

  #memory(): void {
    const size = this.#dice.below(4);
    const place = `${POINTERS[size]} ptr ${this.#place(SIZES[size]!)}`;
    const operation = this.#dice.one(['mov', 'add', 'sub', 'adc', 'and', 'or', 'xor', 'cmp']);
    const form = this.#dice.below(5);
    if (form === 0) this.#add(`${operation} ${place},${this.#small(size)}`);
    else if (form === 1) this.#add(`${operation} ${place},${this.#register(size)}`);
    else if (form === 2) this.#add(`${this.#dice.one(['inc', 'dec', 'not', 'neg'])} ${place}`);
    else this.#add(`${operation} ${this.#register(size)},${place}`);
  }

  #flags(): void {
    const condition = this.#dice.one(CONDITIONS);
    const size = this.#dice.below(3);
    this.#add(
      this.#dice.one([
        `set${condition} ${this.#register(3)}`,
        `set${condition} ${this.#place(1)}`,
        `cmov${condition} ${this.#register(size)},${this.#register(size)}`,
        `cmov${condition} ${this.#register(size)},${POINTERS[size]} ptr ${this.#place(8)}`,
        ...['stc', 'clc', 'cmc', 'lahf', 'sahf'],
        `test ${this.#register(size)},${this.#register(size)}`,
        `bt ${this.#register(1)},${this.#dice.below(32)}`,
      ]),
    );
  }

  #shift(): void {
    const size = this.#dice.below(4);
    const operation = this.#dice.one(['shl', 'shr', 'sar', 'rol', 'ror', 'rcl', 'rcr']);
    const by = this.#dice.one(['cl', String(this.#dice.below(16))]);
    const what = this.#dice.below(3)
      ? this.#register(size)
      : `${POINTERS[size]} ptr ${this.#place(8)}`;
    this.#add(`${operation} ${what},${by}`);
  }

  /** Variables with an address of their own, also with immediate operands behind it. */
  #fixed(): void {
    const at = `[rip+shared${sum(8 * this.#dice.below(8))}]`;
    this.#add(
      this.#dice.one([
        `mov dword ptr ${at},${this.#number32()}`,
        `add word ptr ${at},${this.#dice.below(30_000)}`,
        `cmp byte ptr ${at},${this.#dice.below(128)}`,
        `imul ${this.#register(1)},dword ptr ${at},${this.#number32()}\n${DEFINED}`,
        `imul ${this.#register(0)},qword ptr ${at},${this.#dice.below(100)}\n${DEFINED}`,
        `mov ${this.#register(0)},${at}`,
        `xor ${at},${this.#register(1)}`,
        `shld dword ptr ${at},${this.#register(1)},5`,
        `movups xmm3,[rip+shared]`,
        `pshufd xmm3,[rip+shared],${this.#dice.below(256)}`,
      ]),
    );
  }

  #atomic(): void {
    const size = this.#dice.below(4);
    const place = `${POINTERS[size]} ptr ${this.#place(SIZES[size]!)}`;
    this.#add(
      this.#dice.one([
        `lock add ${place},${this.#small(size)}`,
        `lock xadd ${place},${this.#register(size)}`,
        `xchg ${place},${this.#register(size)}`,
        `lock cmpxchg ${place},${this.#register(size)}`,
        `lock inc dword ptr [rip+shared]`,
        'mfence',
      ]),
    );
  }

  #vector(): void {
    this.#add(
      this.#dice.one([
        `movdqu xmm3,${this.#place(16)}`,
        `movdqu ${this.#place(16)},xmm3`,
        `movq xmm2,${this.#register(0)}`,
        `paddd xmm3,xmm2`,
        `pxor xmm3,xmm2`,
        `movd ${this.#register(1)},xmm3`,
        `fild dword ptr ${this.#place(4)}\nfistp dword ptr ${this.#place(4)}`,
        `pmovmskb ${this.#register(1)},xmm3`,
        `crc32 ${this.#register(1)},byte ptr ${this.#place(1)}`,
        `ucomisd xmm3,qword ptr ${this.#place(8)}`,
      ]),
    );
  }

  #stack(): void {
    const register = this.#register();
    if (this.#isLeaf) {
      const at = `[rsp-${8 + 8 * this.#dice.below(16)}]`;
      // The lower half was filled at the start, the upper may hold anything.
      const low = `[rsp-${72 + 8 * this.#dice.below(7)}]`;
      this.#add(`mov ${this.#dice.one([`${at},${register}`, `${register},${low}`])}`);
      return;
    }
    // The last one is the loops' counter.
    const at = `[rsp+${8 * this.#dice.below(7)}]`;
    this.#add(
      this.#dice.one([`mov ${at},${register}`, `add ${register},${at}`, `xchg ${at},${register}`]),
    );
  }

  #string(): void {
    const count = this.#dice.below(20);
    this.#add(`lea rdi,${this.#fixedPlace()}`, `lea rsi,${this.#fixedPlace()}`, `mov ecx,${count}`);
    this.#add(
      this.#dice.one([
        ...['rep movsb', 'rep movsq', 'rep stosd', 'movsq', 'lodsb', 'stosw'],
        ...['repne scasb', 'repe cmpsb', 'cmpsw', 'rep lodsq'],
      ]),
    );
    this.#add(this.#dice.one(['', `set${this.#dice.one(CONDITIONS)} dl`]));
    this.#add(`mov edi,${this.#number32()}`, `mov esi,${this.#number32()}`);
  }

  #branch(): void {
    const label = this.#label();
    this.#add(`j${this.#dice.one(CONDITIONS)} ${label}`);
    this.#inside(() => this.#steps(1 + this.#dice.below(4)));
    this.#add(`${label}:`);
  }

  /** The counter is on the stack, and flags go round the loop. */
  #loop(): void {
    if (this.#isLeaf || this.#depth > 0) return;
    const label = this.#label();
    this.#add(`mov dword ptr [rsp+56],${1 + this.#dice.below(6)}`, `${label}:`);
    this.#inside(() => this.#steps(1 + this.#dice.below(5)));
    this.#add(`and dword ptr [rsp+56],7`, `dec dword ptr [rsp+56]`, `jg ${label}`);
  }

  /** jrcxz and loop, which have no long form. */
  #counter(): void {
    if (this.#depth > 0) return;
    const [label, out] = [this.#label(), this.#label()];
    const jump = this.#dice.one(['loop', 'loope', 'loopne']);
    this.#add(`mov ecx,${this.#dice.below(5)}`, `${this.#dice.one(['jrcxz', 'jecxz'])} ${out}`);
    this.#add(`${label}:`);
    this.#add(`add byte ptr ${this.#fixedPlace()},3`, `adc r8d,1`);
    this.#add(`and ecx,7`, `${jump} ${label}`, `${out}:`);
  }

  #switch(): void {
    const labels = [this.#label(), this.#label(), this.#label(), this.#label()];
    const [table, end] = [this.#label(), this.#label()];
    const entry = this.#register();
    const base = this.#dice.one(this.#registers.filter((name) => name !== entry));
    const isDistances = this.#dice.below(2) === 0;
    this.#add(`and ${NAMES[entry]![1]},3`, `lea ${base},[rip+${table}]`);
    if (isDistances) {
      this.#add(`movsxd ${entry},dword ptr [${base}+${entry}*4]`, `add ${entry},${base}`);
    }
    // No pointer may be left in a register.
    const notrack = this.#dice.one(['', 'notrack ']);
    this.#add(`${notrack}jmp ${isDistances ? entry : `qword ptr [${base}+${entry}*8]`}`);
    for (const label of labels) {
      this.#add(`${label}:`, `mov ${NAMES[entry]![1]},5`, `mov ${NAMES[base]![1]},6`);
      this.#inside(() => this.#steps(1 + this.#dice.below(3)));
      this.#add(`jmp ${end}`);
    }
    this.#add(`${end}:`);
    this.#add(isDistances ? '.section .rodata' : '.section .data.rel.ro,"aw"', '.p2align 3');
    this.#add(`${table}:`);
    for (const label of labels)
      this.#add(isDistances ? `.long ${label}-${table}` : `.quad ${label}`);
    this.#add('.text');
  }

  #call(): void {
    if (this.#isLeaf || this.#number === 0 || this.#depth > 0) return;
    // Not of the one just below, or there would be no end of calls.
    const target = `f${this.#dice.below(Math.ceil(this.#number / 2))}`;
    this.#add(
      this.#dice.one([`call ${target}`, `call [rip+p${target}]`, `call ${target}@PLT`]),
      ...CALLER_SAVED.filter((name) => name !== 'rax').map(
        (name) => `mov ${name},${this.#number32()}`,
      ),
      'test eax,eax',
    );
  }

  #odd(): void {
    this.#add(
      this.#dice.one(
        [
          `lea ${this.#register()},[${this.#register()}+${this.#register()}*4-77]`,
          `bswap ${this.#register()}`,
          `xchg ${this.#register(1)},${this.#register(1)}`,
          `movzx ${this.#register(1)},byte ptr ${this.#place(1)}`,
          `movsx ${this.#register(0)},word ptr ${this.#place(2)}`,
          `mul ${this.#register(1)}\n${DEFINED}`,
          `cdq`,
          `pushfq\nand dword ptr [rsp],0x8c5\npop ${this.#register()}`,
          `push qword ptr ${this.#fixedPlace()}\npop qword ptr ${this.#fixedPlace()}`,
          `xor rax,fs:[0x28]\nxor rax,fs:[0x28]`,
          `cmpxchg16b xmmword ptr [r15+${16 * this.#dice.below(64)}]`,
          `prefetcht0 ${this.#place(1)}`,
          'nop dword ptr [rax+rax*1+0]',
          'cld',
        ].filter((text) => !this.#isLeaf || !/push/.test(text)),
      ),
    );
  }

  /** A place in the memory, perhaps with an index; `movzx` does not touch flags. */
  #place(size: number): string {
    if (this.#dice.below(2)) return this.#fixedPlace();
    const index = this.#dice.one(this.#registers.filter((name) => name !== 'rax'));
    const [full, half, , low] = NAMES[index]!;
    this.#add(`movzx ${half},${low}`);
    return `[r15+${full}*${this.#dice.one([1, 2, 4, 8])}${sum(this.#dice.below(256) * (size > 8 ? 1 : 2))}]`;
  }

  #fixedPlace(): string {
    return `[r15${sum(this.#dice.below(MEMORY_SIZE - 256))}]`;
  }

  #inside(work: () => void): void {
    this.#depth++;
    if (this.#depth < 3) work();
    this.#depth--;
  }

  #register(size = 0): string {
    return NAMES[this.#dice.one(this.#registers)]![size]!;
  }

  #small(size: number): number {
    return this.#dice.below(size === 3 ? 128 : 30_000);
  }

  #number32(): number {
    return this.#dice.below(2 ** 31 - 1);
  }

  #label(): string {
    return `.L${this.#number}_${this.#labels++}`;
  }

  #add(...lines: string[]): void {
    this.lines.push(...lines);
  }
}

const sum = (value: number): string => (value < 0 ? String(value) : `+${value}`);

/** call_with(function, memory, argument) of test/clones/call-all.c; without unwind tables, so it has no clone. */
const CALL_WITH = `
.globl call_with
.type call_with,@function
call_with:
  push rbx; push rbp; push r12; push r13; push r14; push r15
  sub rsp,264
  mov r15,rsi
  mov r11,rdi
  mov rdi,rdx; mov rsi,rdx; mov rcx,rdx; mov rax,rdx
  mov r8,rdx; mov r9,rdx; mov r10,rdx
  bswap rsi; not rcx; rol r8,7; rol r9,19; bswap r10; neg rax
  pxor xmm2,xmm2; pxor xmm3,xmm3
  call r11
  add rsp,264
  pop r15; pop r14; pop r13; pop r12; pop rbp; pop rbx
  ret
.size call_with, .-call_with`;

export function randomFunctions(seed: number, count: number): string {
  const dice = new Dice(seed);
  const names = Array.from({ length: count }, (_, number) => `f${number}`);
  return [
    '.intel_syntax noprefix',
    '.text',
    CALL_WITH,
    ...names.flatMap((_, number) => new FunctionText(dice, number).lines),
    '.data',
    ...names.map((name) => `pf${name.slice(1)}: .quad ${name}`),
    '.globl functions, function_count, shared',
    'functions:',
    ...names.map((name) => `.quad ${name}`),
    `function_count: .long ${count}`,
    '.p2align 4',
    'shared: .zero 128',
    '.section .note.GNU-stack,"",@progbits',
    '',
  ].join('\n');
}
