/*
 * How clones call the agent: from the middle of a function that does not know of it. All registers and flags
 * are as before afterwards. The vector registers are, because nothing that is called here touches them.
 */
        .macro  stub name, function
        .hidden \name
        .globl  \name
        .type   \name, @function
\name:
        .cfi_startproc
        pushfq
        .cfi_adjust_cfa_offset 8
        cld
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
        and     $-16, %rsp
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
        .cfi_def_cfa_register rsp
        pop     %rbp
        .cfi_adjust_cfa_offset -8
        .cfi_restore rbp
        popfq
        .cfi_adjust_cfa_offset -8
        ret
        .cfi_endproc
        .size   \name, . - \name
        .endm

        .text
        stub dh_stub_full, dh_full
        stub dh_stub_ordered_begin, dh_ordered_begin
        stub dh_stub_ordered_end, dh_ordered_end
        stub dh_stub_translate, dh_translate

        .section .note.GNU-stack, "", @progbits
