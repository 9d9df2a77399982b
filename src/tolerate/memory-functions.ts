/**
 * Functions of libc that sections have done on their copies, by the library in the program
 * (agent/tolerate/copied-memory.h). In the order of lookup.S, in which two may have the same address:
 *
 *   call memmove@plt      call [blob + slot of the second]      dh_copied_memcpy, which minds overlaps
 *
 */
export const MEMORY_FUNCTIONS: readonly string[] = [
  ...['memcpy', 'memmove', 'mempcpy', 'memset', 'memcmp', 'bcmp', 'memchr', 'strlen', 'strnlen'],
  ...['strcmp', 'strncmp', 'strchr', 'strrchr', 'strcpy', 'stpcpy', 'strncpy', 'strcat', 'strncat'],
  ...['__memcpy_chk', '__memmove_chk', '__mempcpy_chk', '__memset_chk', '__strcpy_chk'],
  ...['__stpcpy_chk', '__strncpy_chk', '__strcat_chk', '__strncat_chk'],
];

/** They only look at memory, so that a loop of them may be waiting for somebody. */
const LOOKING = /^(mem|b)cmp$|^memchr$|^str(n?len|n?cmp|r?chr)$/;
export const onlyLooks = (name: string): boolean => LOOKING.test(name);

export const worksOnCopies = (name: string): boolean => MEMORY_FUNCTIONS.includes(name);
