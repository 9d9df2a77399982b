# Functions that compilers seldom make: see odd-functions.c.
        .intel_syntax noprefix
        .text

# Too short for a jump, and right behind it one without unwind tables, whose first bytes look like filling.
        .globl  just_return, first_byte
        .type   just_return, @function
just_return:
        .cfi_startproc
        ret
        .cfi_endproc
        .size   just_return, .-just_return
        .type   first_byte, @function
first_byte:
        movzx   eax, byte ptr [rdi]
        ret
        .size   first_byte, .-first_byte

# A loop back to its second instruction, which is two bytes behind its start.
        .globl  sum_down
        .type   sum_down, @function
        .p2align 4
sum_down:
        .cfi_startproc
        xor     eax, eax
1:      add     eax, edi
        dec     edi
        jg      1b
        ret
        .cfi_endproc
        .size   sum_down, .-sum_down

# Two entries: the second one, two bytes behind the first, is called by its name.
        .globl  from_zero, from_value
        .type   from_zero, @function
        .type   from_value, @function
        .p2align 4
from_zero:
        .cfi_startproc
        xor     edi, edi
from_value:
        lea     eax, [rdi+7]
        ret
        .cfi_endproc
        .size   from_zero, .-from_zero

# Asks where it is, and reads a number that lies a known distance away.
        .globl  where
        .type   where, @function
        .p2align 4
where:
        .cfi_startproc
        call    1f
1:      pop     rax
        mov     eax, [rax+2f-1b]
        ret
        nop
2:      .byte   0x90, 0x90, 0x90, 0x90
        .cfi_endproc
        .size   where, .-where

# Nothing but a mark: goes on in the next one, after some filling.
        .globl  only_a_mark
        .type   only_a_mark, @function
        .p2align 4
only_a_mark:
        .cfi_startproc
        endbr64
        .cfi_endproc
        .size   only_a_mark, .-only_a_mark
        .p2align 4
        .globl  forty_two
        .type   forty_two, @function
forty_two:
        .cfi_startproc
        mov     eax, 42
        ret
        .cfi_endproc
        .size   forty_two, .-forty_two

# An address that is computed with 32 bits: the upper halves have anything.
        .globl  short_address
        .type   short_address, @function
        .p2align 4
short_address:
        .cfi_startproc
        mov     eax, [edi+esi*4]
        ret
        .cfi_endproc
        .size   short_address, .-short_address

# Called with arguments in registers of its own choice, and answers in rcx and the carry.
        .type   halve, @function
        .p2align 4
halve:
        .cfi_startproc
        mov     ecx, 1
        mov     rcx, r11
        add     [rip+halved], rbx
        shr     rcx
        mov     r8, [rip+halved]
        ret
        .cfi_endproc
        .size   halve, .-halve
        .globl  halves
        .type   halves, @function
        .p2align 4
halves:
        .cfi_startproc
        push    rbx
        .cfi_def_cfa_offset 16
        mov     ebx, 3
        mov     r11, rdi
        mov     r10, [rip+halved]
        call    halve
        jc      1f
        lea     rcx, [rcx+1000]
1:      mov     rax, rcx
        pop     rbx
        .cfi_def_cfa_offset 8
        ret
        .cfi_endproc
        .size   halves, .-halves

        .bss
        .globl  halved
halved: .zero   8
        .section .note.GNU-stack, "", @progbits
