/*
 * How clones find copies, and say what happens to locks: from the middle of a function that does not know of it,
 * so every register but the one that is meant is as before, and the flags are if they are asked for. What is
 * called here touches no vector registers.
 *
 *   lookup: a register with an address comes back with where the copy is. If the copy is there and has these
 *   bytes, that takes no call; for all else there is dh_section_find. `dh_stubs` has them all, in the order of
 *   src/tolerate/rewrite/stubs.ts: by register, size (1, 2, 4, 8), access (read, write, update), flags.
 */
#include "layout.h"

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

#define READ 0
#define WRITE 1
#define UPDATE 2

/*
 * The same, of a size and access that are known. What happens most often is done here: the first touch of a word
 * that has its place for itself, and the first write to bytes that were read before. private-words.c has it in C.
 */
#define ADDRESS 64(%rsp)

/* r8: which bytes of the word */
        .macro  mask_of size
        .if     \size == 8
        mov     $-1, %r8
        .else
        mov     ADDRESS, %ecx
        and     $7, %ecx
        shl     $3, %ecx
        mov     $((1 << (8 * \size)) - 1), %r8d
        shl     %cl, %r8
        .endif
        .endm

/* rdi: those that were touched together with the one after them */
        .macro  joined_of size
        .if     \size == 1
        xor     %edi, %edi
        .else
        mov     %r8, %rdi
        shr     $8, %rdi
        and     %r8, %rdi
        .endif
        .endm

/* Where to return to, and the address, which becomes that of the copy. */
        .macro  fill size, access
        .p2align 4
        .type   fill_\size\()_\access, @function
fill_\size\()_\access:
        push    %rax
        push    %rcx
        push    %rdx
        push    %rsi
        push    %rdi
        push    %r8
        push    %r9
        mov     ADDRESS, %rdi
        mov     dh_sections@gottpoff(%rip), %rsi
        /* Isolated, and not busy? */
        cmpl    $0, %fs:DH_THREAD_DEPTH(%rsi)
        je      99f
        cmpl    $0, %fs:DH_THREAD_BUSY(%rsi)
        jne     99f
        mov     %rdi, %rax
        sub     %fs:DH_THREAD_AROUND_LOW(%rsi), %rax
        cmp     %fs:DH_THREAD_AROUND_SIZE(%rsi), %rax
        jb      97f
91:     /* Within one word? Its address comes to be in rdi. */
        mov     %edi, %eax
        and     $7, %eax
        cmp     $(8 - \size), %eax
        ja      98f
        sub     %rax, %rdi
        /* rax: its place, rdx: the words, r9: where these have the place */
        mov     %rdi, %rax
        shr     $3, %rax
        mov     %rax, %rdx
        shr     $DH_WORDS_BITS, %rdx
        imul    $DH_WORDS_SPREAD, %edx, %edx
        add     %edx, %eax
        and     $(DH_WORDS - 1), %eax
        mov     %fs:DH_THREAD_WORDS(%rsi), %rdx
        lea     (%rdx,%rax,8), %r9
        cmp     %rdi, (%r9)
        .if     \access == READ
        je      98f
        .else
        je      93f
        .endif
        cmpq    $0, (%r9)
        jne     98f
        /* Does somebody want to know since when there are copies? */
        mov     dh_mode + DH_MODE_WATCHED(%rip), %rcx
        cmpl    $0, (%rcx)
        jne     98f
        /* Or are there devices? */
        cmpl    $0, dh_devices(%rip)
        jne     98f
        /* Its line may be elsewhere, or another one here. */
        mov     %eax, %ecx
        and     $-8, %ecx
        mov     %rdi, %r8
        and     $-64, %r8
        cmp     %r8, DH_WORDS_OWNER(%rdx,%rcx)
        je      92f
        cmpq    $0, DH_WORDS_OWNER(%rdx,%rcx)
        jne     98f
        mov     %r8, DH_WORDS_OWNER(%rdx,%rcx)
92:     /* Should there be nothing at all, this is where it shows, when only the line has been taken. */
        mov     (%rdi), %rcx
        movl    $1, %fs:DH_THREAD_BUSY(%rsi)
        mov     %rcx, DH_WORDS_VALUE(%r9)
        mov     %rcx, DH_WORDS_ORIGINAL(%r9)
        mov     %rdi, (%r9)
        mov     %fs:DH_THREAD_DEPTH(%rsi), %edi
        shl     $DH_PLACE_BITS, %edi
        or      %eax, %edi
        mov     DH_WORDS_COUNT(%rdx), %ecx
        mov     %edi, DH_WORDS_TOUCHED(%rdx,%rcx,4)
        inc     %ecx
        mov     %ecx, DH_WORDS_COUNT(%rdx)
        mask_of \size
        joined_of \size
        mov     %r8, DH_WORDS_VALID(%r9)
        mov     %rdi, DH_WORDS_JOINED(%r9)
        .if     \access == READ
        movq    $0, DH_WORDS_WRITTEN(%r9)
        mov     %r8, DH_WORDS_READ(%r9)
        .else
        mov     %r8, DH_WORDS_WRITTEN(%r9)
        .if     \access == WRITE
        movq    $0, DH_WORDS_READ(%r9)
        .else
        mov     %r8, DH_WORDS_READ(%r9)
        .endif
        jmp     94f
93:     /* It has a copy: of all of these bytes? */
        mask_of \size
        mov     DH_WORDS_VALID(%r9), %rdi
        and     %r8, %rdi
        cmp     %r8, %rdi
        jne     98f
        movl    $1, %fs:DH_THREAD_BUSY(%rsi)
        joined_of \size
        or      %rdi, DH_WORDS_JOINED(%r9)
        or      %r8, DH_WORDS_WRITTEN(%r9)
94:     /* Some were not written before. */
        .if     \size == 8
        mov     $(0xff << DH_PLACE_BITS), %edi
        .else
        mov     ADDRESS, %ecx
        and     $7, %ecx
        mov     $(((1 << \size) - 1) << DH_PLACE_BITS), %edi
        shl     %cl, %edi
        .endif
        or      %eax, %edi
        mov     DH_WORDS_WRITES(%rdx), %ecx
        mov     %edi, DH_WORDS_ORDER(%rdx,%rcx,4)
        inc     %ecx
        mov     %ecx, DH_WORDS_WRITES(%rdx)
        .endif
95:     movl    $0, %fs:DH_THREAD_BUSY(%rsi)
        mov     ADDRESS, %edi
        and     $7, %edi
        lea     DH_WORDS_VALUE(%r9,%rdi), %rdi
        mov     %rdi, ADDRESS
        jmp     99f
97:     /* Near the thread's own. */
        mov     %fs:DH_THREAD_STACK_HIGH(%rsi), %rax
        mov     %rdi, %rcx
        sub     %rsp, %rax
        sub     %rsp, %rcx
        cmp     %rax, %rcx
        jb      99f
        mov     %fs:DH_THREAD_OWN_HIGH(%rsi), %rax
        mov     %rdi, %rcx
        sub     %fs:DH_THREAD_OWN_LOW(%rsi), %rax
        sub     %fs:DH_THREAD_OWN_LOW(%rsi), %rcx
        cmp     %rax, %rcx
        jae     91b
99:     pop     %r9
        pop     %r8
        pop     %rdi
        pop     %rsi
        pop     %rdx
        pop     %rcx
        pop     %rax
        ret
98:     pop     %r9
        pop     %r8
        pop     %rdi
        pop     %rsi
        pop     %rdx
        pop     %rcx
        pop     %rax
        push    8(%rsp)
        push    $(\size + \access * 256)
        call    find
        lea     8(%rsp), %rsp
        pop     8(%rsp)
        ret
        .size   fill_\size\()_\access, . - fill_\size\()_\access
        .endm

        .irp    size, 1, 2, 4, 8
        fill    \size, 0
        fill    \size, 1
        fill    \size, 2
        .endr

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
        shr     $DH_WORDS_BITS, %\b
        imul    $DH_WORDS_SPREAD, %\b, %\b
        add     %\b, %\a
        and     $(DH_WORDS - 1), %\a
        mov     dh_sections@gottpoff(%rip), %\b
        mov     %fs:(%\b), %\b
        lea     (%\b,%\a,8), %\b
        mov     %\register, %\a
        sub     (%\b), %\a
        cmp     $(8 - \size), %\a
        ja      91f
        cmp\suffix $-1, \mask(%\b,%\a)
        jne     91f
        lea     DH_WORDS_VALUE(%\b,%\a), %\register
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
        call    fill_\size\()_\access
        pop     %\register
        .if     \flags
        popfq
        .endif
        ret
        entry   90b
        .endm

        .macro  accesses register, a, b, size, suffix
        lookup  \register, \a, \b, \size, \suffix, 0, DH_WORDS_VALID, 0
        lookup  \register, \a, \b, \size, \suffix, 0, DH_WORDS_VALID, 1
        lookup  \register, \a, \b, \size, \suffix, 1, DH_WORDS_WRITTEN, 0
        lookup  \register, \a, \b, \size, \suffix, 1, DH_WORDS_WRITTEN, 1
        lookup  \register, \a, \b, \size, \suffix, 2, DH_WORDS_WRITTEN, 0
        lookup  \register, \a, \b, \size, \suffix, 2, DH_WORDS_WRITTEN, 1
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

/* Where a library function has just been called, or is about to be, with nothing but rdi: rax is what it returns. */
        .macro  beside_call function, kept
        .p2align 4
90:
        push    %rbp
        mov     %rsp, %rbp
        push    %\kept
        mov     %rdi, %rdx
        mov     16(%rbp), %rdi
        mov     %rsp, %rsi
        and     $-16, %rsp
        cld
        call    \function
        mov     -8(%rbp), %\kept
        mov     %rbp, %rsp
        pop     %rbp
        ret
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
        beside_call dh_section_unlock, rdi
        plain   dh_section_settle, 0
        plain   dh_section_settle, 1
        plain   dh_section_leave, 0
        plain   dh_section_leave, 1
        plain   dh_section_tire, 0
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
