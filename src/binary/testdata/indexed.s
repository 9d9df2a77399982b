# Debug information in the forms that gcc does not write: names, addresses and ranges by their index in a
# table (clang and rustc write those), and constants in the abbreviation. Two functions and two variables.
        .text
        .globl _start
_start: nop
        nop
        ret
.Lcold: nop
        ret
.Lother:
        ret
.Lend:
        .data
counter: .long 0
pair:   .long 0, 0

        .section .debug_abbrev,"",@progbits
.Labbrev:
        .uleb128 1                      # compile unit
        .uleb128 0x11
        .byte 1
        .uleb128 0x72, 0x17             # str_offsets_base, sec_offset
        .uleb128 0x73, 0x17             # addr_base, sec_offset
        .uleb128 0x74, 0x17             # rnglists_base, sec_offset
        .uleb128 0x03, 0x25             # name, strx1
        .uleb128 0x11, 0x01             # low_pc, addr
        .uleb128 0x55, 0x23             # ranges, rnglistx
        .byte 0, 0
        .uleb128 2                      # function with ranges
        .uleb128 0x2e
        .byte 0
        .uleb128 0x03, 0x26             # name, strx2
        .uleb128 0x55, 0x23             # ranges, rnglistx
        .byte 0, 0
        .uleb128 3                      # function with a length
        .uleb128 0x2e
        .byte 0
        .uleb128 0x03, 0x27             # name, strx3
        .uleb128 0x11, 0x1b             # low_pc, addrx
        .uleb128 0x12, 0x21             # high_pc, implicit_const 1
        .sleb128 1
        .byte 0, 0
        .uleb128 4                      # base type
        .uleb128 0x24
        .byte 0
        .uleb128 0x03, 0x1a             # name, strx
        .uleb128 0x0b, 0x0b             # byte_size, data1
        .byte 0, 0
        .uleb128 5                      # atomic type
        .uleb128 0x47
        .byte 0
        .uleb128 0x49, 0x13             # type, ref4
        .byte 0, 0
        .uleb128 6                      # variable
        .uleb128 0x34
        .byte 0
        .uleb128 0x03, 0x28             # name, strx4
        .uleb128 0x49, 0x16             # type, indirect
        .uleb128 0x1c, 0x07             # const_value, data8: more than a number holds
        .uleb128 0x02, 0x18             # location, exprloc
        .byte 0, 0
        .uleb128 7                      # variable whose name is in a supplementary file
        .uleb128 0x34
        .byte 0
        .uleb128 0x03, 0x1d             # name, strp_sup
        .uleb128 0x49, 0x15             # type, ref_udata
        .uleb128 0x47, 0x1c             # specification, ref_sup4
        .uleb128 0x02, 0x0a             # location, block1
        .byte 0, 0
        .byte 0

        .section .debug_info,"",@progbits
.Linfo: .long .Linfo_end - .Lversion
.Lversion:
        .short 5
        .byte 1, 8
        .long .Labbrev
        .uleb128 1
        .long .Lstrings
        .long .Laddresses
        .long .Llists
        .byte 0
        .quad _start
        .uleb128 0
        .uleb128 2
        .short 1
        .uleb128 1
        .uleb128 3
        .byte 2, 0, 0
        .uleb128 1
.Lint:  .uleb128 4
        .uleb128 3
        .byte 4
.Latomic:
        .uleb128 5
        .long .Lint - .Linfo
        .uleb128 6
        .long 4
        .uleb128 0x13                   # the type as ref4
        .long .Latomic - .Linfo
        .quad 0xfedcba9876543210
        .uleb128 2
        .byte 0xa1                      # DW_OP_addrx
        .uleb128 2
        .uleb128 7
        .long 0
        .uleb128 .Lint - .Linfo
        .long 0
        .byte 11, 3                     # DW_OP_addr, DW_OP_plus_uconst 4
        .quad pair
        .byte 0x23, 4
        .byte 0
.Linfo_end:

        .section .debug_str,"MS",@progbits,1
.Lunit_name: .asciz "indexed.s"
.Lsplit_name: .asciz "split"
.Lshort_name: .asciz "other"
.Lint_name: .asciz "int"
.Lcounter_name: .asciz "counter"

        .section .debug_str_offsets,"",@progbits
        .long .Lstrings_end - .Lstrings + 4
        .short 5, 0
.Lstrings:
        .long .Lunit_name, .Lsplit_name, .Lshort_name, .Lint_name, .Lcounter_name
.Lstrings_end:

        .section .debug_addr,"",@progbits
        .long .Laddresses_end - .Laddresses + 4
        .short 5
        .byte 8, 0
.Laddresses:
        .quad _start, .Lother, counter, .Lcold
.Laddresses_end:

        .section .debug_rnglists,"",@progbits
        .long .Llists_end - .Llists + 8
        .short 5
        .byte 8, 0
        .long 2
.Llists:
        .long .Lunit_list - .Llists, .Lsplit_list - .Llists
.Lunit_list:
        .byte 6                         # start_end
        .quad _start, .Lcold
        .byte 5                         # base_address
        .quad .Lcold
        .byte 4                         # offset_pair
        .uleb128 0, .Lother - .Lcold
        .byte 3                         # startx_length
        .uleb128 1, .Lend - .Lother
        .byte 0
.Lsplit_list:
        .byte 4                         # offset_pair, from the unit's low_pc: two of three bytes
        .uleb128 0, 2
        .byte 2                         # startx_endx
        .uleb128 3, 1
        .byte 1                         # base_addressx
        .uleb128 0
        .byte 4
        .uleb128 2, 3
        .byte 7                         # start_length, dropped by the linker
        .quad 0
        .uleb128 1
        .byte 0
.Llists_end:
