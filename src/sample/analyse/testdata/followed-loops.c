/* Loops whose jumps hang on registers, of many shapes, for stepping through: it needs no library, and ends with
   status 0. */
static char text[64], copied[512];
static int numbers[64];
static long wide[64];
static volatile unsigned outcnt;
static __thread int own[8];

/* With an index of 32 bits that wraps around, as in a log buffer. */
__attribute__((noinline)) static void copy_line(const char *line, unsigned length, unsigned at) {
  for (unsigned i = 0; i < length; i++)
    copied[at + i] = line[i] == ' ' ? '\t' : line[i];
  outcnt += length;
}

__attribute__((noinline)) static long downwards(const int *from, int count) {
  long sum = 0;
  for (int i = count - 1; i >= 0; i -= 3)
    sum += from[i];
  return sum;
}

__attribute__((noinline)) static void nested(long *to, long rows, long columns) {
  for (long row = 0; row < rows; row++)
    for (long column = row; column < columns; column++)
      to[row * 8 + column] += row ^ column;
}

__attribute__((noinline)) static void shifts(int *to, unsigned mask, int small) {
  for (unsigned bit = 1; bit < mask; bit <<= 1)
    to[bit & 63] = small >> (bit & 7);
  for (long far = -40; far < -8; far += 7)
    to[(-far) >> 1] = (int)(far * 3);
  for (signed char tiny = 120; tiny > 0; tiny = (signed char)(tiny + 2))
    to[tiny & 63]++;
  for (unsigned long at = 0x8000000000000010; at > 0x8000000000000000; at -= 4)
    to[at & 63]--;
}

/* What is moved hangs on a condition of registers; the loop ends by a test, by a sign, and below. */
__attribute__((noinline)) static void chosen(int *to, long limit) {
  for (long i = 12; i != 0; i--)
    to[i < limit ? i : limit] = 1;
  for (int left = 9; left-- > 0;)
    own[left & 7] += to[left];
  for (unsigned short step = 0; step <= 12; step = (unsigned short)(step + 5))
    to[step] = step & 4 ? 2 : 3;
}

/* With results of 64 bits that no number here holds exactly. */
__attribute__((noinline)) static void mixed(long *to, unsigned long hash) {
  for (int i = 0; i < 6; i++) {
    hash = hash * 6364136223846793005ul + 1442695040888963407ul;
    to[hash >> 58] ^= (long)hash;
    to[i * 9] = ~(long)(hash & 15) | 32;
  }
}

/* What compilers choose is not all that there is: each operation and each condition, with numbers of all kinds. */
__asm__(".macro ask left, right\n"
        ".irp condition, e, ne, s, ns, b, ae, be, a, l, ge, le, g\n"
        "  cmp \\right, \\left\n"
        "  j\\condition 1f\n"
        "  nop\n"
        "1: test \\right, \\left\n"
        "  cmov\\condition %rsi, %rdi\n"
        "  xor $5, %edi\n"
        ".endr\n"
        ".endm\n"
        ".macro compute one, other\n"
        "  mov $\\one, %rax\n"
        "  mov $\\other, %rcx\n"
        "  ask %rax, %rcx\n"
        "  ask %eax, %ecx\n"
        "  ask %ax, %cx\n"
        "  ask %al, %cl\n"
        ".irp operation, add, sub, and, or, xor, imul\n"
        "  mov %rax, %rdx\n"
        "  \\operation %rcx, %rdx\n"
        "  js 2f\n"
        "2: \\operation %ecx, %edx\n"
        ".endr\n"
        ".irp operation, neg, not, inc, dec\n"
        "  mov %rax, %rdx\n"
        "  \\operation %rdx\n"
        "  jne 3f\n"
        "3: \\operation %edx\n"
        ".endr\n"
        ".irp operation, shl, shr, sar\n"
        "  mov %rax, %rdx\n"
        "  \\operation $3, %rdx\n"
        "  \\operation %cl, %edx\n"
        "  mov %eax, %edx\n"
        "  \\operation $5, %edx\n"
        ".endr\n"
        "  imul $-3, %rcx, %rdx\n"
        "  lea 8(%rax,%rcx,4), %edx\n"
        "  movsbl %al, %edx\n"
        "  movswq %cx, %rdx\n"
        "  movslq %ecx, %rdx\n"
        "  movzbl %ah, %edx\n"
        "  movzwl %ax, %edx\n"
        "  mov %cl, %dl\n"
        "  push %rax\n"
        "  cltq\n"
        "  pop %rax\n"
        ".endm\n"
        ".text\n"
        ".type instructions, @function\n"
        "instructions:\n"
        "compute 7, 300\n"
        "compute -1, 5\n"
        "compute 0x8000000000000000, -129\n"
        "compute 0x80000000, 0x7f\n"
        "compute -32768, -32768\n"
        "ret\n"
        ".size instructions, . - instructions\n");
void instructions(void);

void _start(void) {
  static char thread[128];
  char *base = thread + 96;
  *(char **)base = base;
  /* arch_prctl(ARCH_SET_FS) */
  long done;
  __asm__ volatile("syscall" : "=a"(done) : "a"(158), "D"(0x1002), "S"(base) : "rcx", "r11", "memory");
  instructions();
  for (unsigned line = 0; line < 3; line++) {
    copy_line(text, 9 + line, 40 * line);
    copy_line(text + 3, 20, (unsigned)-5 + 7);
  }
  downwards(numbers, 40);
  nested(wide, 4, 7);
  shifts(numbers, 0x40000000u, -77);
  chosen(numbers, 5);
  mixed(wide, outcnt);
  __asm__ volatile("syscall" : : "a"(60), "D"(0) : "memory");
}
