/*
 * How clones find copies, and say what happens to locks: from the middle of a function that does not know of it,
 * so every register but the one that is meant is as before, and the flags are if they are asked for. What is
 * called here touches no vector registers.
 *
 *   lookup: a register with an address comes back with where the copy is. If the copy is there and has these
 *   bytes, that takes no call; for all else there is dh_section_find. `dh_stubs` has them all, in the order of
 *   src/tolerate/rewrite/stubs.ts: by register, size (1, 2, 4, 8), access (read, write, update), flags.
 */
#define WORDS 4096
#define WORDS_BITS 12
#define SPREAD 1496
#define ARRAY (WORDS * 8 + 192)
#define VALUE ARRAY
#define VALID (2 * ARRAY)
#define WRITTEN (3 * ARRAY)

        .text

/* Stack: where to return to, what (size and access), the address, which becomes that of the copy. */
        .type   find, @function
find:
        push    %rbp
        mov     %rsp, %rbp
        push    %rax
        push    %rcx
        push    %rdx
        push    %rsi
        push    %rdi
        push    %r8
        push    %r9
        push    %r10
        push    %r11
        mov     24(%rbp), %rdi
        mov     16(%rbp), %rsi
        mov     %rsp, %rdx
        and     $-16, %rsp
        cld
        call    dh_section_find
        mov     %rax, 24(%rbp)
        mov     -8(%rbp), %rax
        mov     -16(%rbp), %rcx
        mov     -24(%rbp), %rdx
        mov     -32(%rbp), %rsi
        mov     -40(%rbp), %rdi
        mov     -48(%rbp), %r8
        mov     -56(%rbp), %r9
        mov     -64(%rbp), %r10
        mov     -72(%rbp), %r11
        mov     %rbp, %rsp
        pop     %rbp
        ret
        .size   find, . - find

        .macro  entry label
        .section .data.rel.ro, "aw"
        .quad   \label
        .text
        .endm

        .macro  lookup register, a, b, size, suffix, access, mask, flags
        .p2align 4
90:
        .if     \flags
        pushfq
        .endif
        push    %\a
        push    %\b
        mov     %\register, %\a
        shr     $3, %\a
        mov     %\a, %\b
        shr     $WORDS_BITS, %\b
        imul    $SPREAD, %\b, %\b
        add     %\b, %\a
        and     $(WORDS - 1), %\a
        mov     dh_sections@gottpoff(%rip), %\b
        mov     %fs:(%\b), %\b
        lea     (%\b,%\a,8), %\b
        mov     %\register, %\a
        sub     (%\b), %\a
        cmp     $(8 - \size), %\a
        ja      91f
        cmp\suffix $-1, \mask(%\b,%\a)
        jne     91f
        lea     VALUE(%\b,%\a), %\register
        pop     %\b
        pop     %\a
        .if     \flags
        popfq
        .endif
        ret
91:
        pop     %\b
        pop     %\a
        push    %\register
        push    $(\size + \access * 256)
        call    find
        lea     8(%rsp), %rsp
        pop     %\register
        .if     \flags
        popfq
        .endif
        ret
        entry   90b
        .endm

        .macro  accesses register, a, b, size, suffix
        lookup  \register, \a, \b, \size, \suffix, 0, VALID, 0
        lookup  \register, \a, \b, \size, \suffix, 0, VALID, 1
        lookup  \register, \a, \b, \size, \suffix, 1, WRITTEN, 0
        lookup  \register, \a, \b, \size, \suffix, 1, WRITTEN, 1
        lookup  \register, \a, \b, \size, \suffix, 2, WRITTEN, 0
        lookup  \register, \a, \b, \size, \suffix, 2, WRITTEN, 1
        .endm

        .macro  sizes register, a, b
        accesses \register, \a, \b, 1, b
        accesses \register, \a, \b, 2, w
        accesses \register, \a, \b, 4, l
        accesses \register, \a, \b, 8, q
        .endm

/* Of other sizes. What it is has been pushed before the call, and is taken off after it. */
        .macro  any_size register, flags
        .p2align 4
90:
        .if     \flags
        pushfq
        .endif
        push    %\register
        push    (16 + 8 * \flags)(%rsp)
        call    find
        lea     8(%rsp), %rsp
        pop     %\register
        .if     \flags
        popfq
        .endif
        ret
        entry   90b
        .endm

/* Told: what was pushed before the call, the stack, and rdi. What is called keeps all registers; flags are of no use to anybody where this is called, unless they are kept. */
        .macro  plain function, flags
        .p2align 4
90:
        .cfi_startproc /* so that it can be told who has had copies published */
        .if     \flags
        pushfq
        .cfi_adjust_cfa_offset 8
        .endif
        push    %rbp
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset rbp, 0
        mov     %rsp, %rbp
        .cfi_def_cfa_register rbp
        push    %rax
        push    %rcx
        push    %rdx
        push    %rsi
        push    %rdi
        push    %r8
        push    %r9
        push    %r10
        push    %r11
        mov     %rdi, %rdx
        mov     (16 + 8 * \flags)(%rbp), %rdi
        mov     %rsp, %rsi
        and     $-16, %rsp
        cld
        call    \function
        mov     -8(%rbp), %rax
        mov     -16(%rbp), %rcx
        mov     -24(%rbp), %rdx
        mov     -32(%rbp), %rsi
        mov     -40(%rbp), %rdi
        mov     -48(%rbp), %r8
        mov     -56(%rbp), %r9
        mov     -64(%rbp), %r10
        mov     -72(%rbp), %r11
        mov     %rbp, %rsp
        pop     %rbp
        .cfi_def_cfa rsp, 8 + 8 * \flags
        .cfi_restore rbp
        .if     \flags
        popfq
        .cfi_adjust_cfa_offset -8
        .endif
        ret
        .cfi_endproc
        entry   90b
        .endm

        .section .data.rel.ro, "aw"
        .p2align 3
        .hidden dh_stubs, dh_stubs_end
        .globl  dh_stubs, dh_stubs_end
dh_stubs:
        .text
        sizes   rax, rcx, rdx
        sizes   rcx, rdx, rsi
        sizes   rdx, rcx, rsi
        sizes   rbx, rcx, rdx
        sizes   rbp, rcx, rdx
        sizes   rsi, rcx, rdx
        sizes   rdi, rcx, rdx
        sizes   r8, rcx, rdx
        sizes   r9, rcx, rdx
        sizes   r10, rcx, rdx
        sizes   r11, rcx, rdx
        sizes   r12, rcx, rdx
        sizes   r13, rcx, rdx
        sizes   r14, rcx, rdx
        sizes   r15, rcx, rdx
        .irp    register, rax, rcx, rdx, rbx, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15
        any_size \register, 0
        any_size \register, 1
        .endr
        plain   dh_section_enter, 0
        plain   dh_section_show, 0
        plain   dh_section_lock, 0
        plain   dh_section_unlock, 0
        plain   dh_section_settle, 0
        plain   dh_section_settle, 1
        plain   dh_section_leave, 0
        plain   dh_section_leave, 1
        /* In the place of functions of libc, and called in the same way. */
        .irp    function, memcpy, memcpy, mempcpy, memset, memcmp, memcmp, memchr, strlen, strnlen
        entry   dh_copied_\function
        .endr
        .irp    function, strcmp, strncmp, strchr, strrchr, strcpy, stpcpy, strncpy, strcat, strncat
        entry   dh_copied_\function
        .endr
        .irp    function, memcpy, memmove, mempcpy, memset, strcpy, stpcpy, strncpy, strcat, strncat
        entry   dh_copied_\function\()_chk
        .endr
        .section .data.rel.ro, "aw"
dh_stubs_end:

        .section .note.GNU-stack, "", @progbits
