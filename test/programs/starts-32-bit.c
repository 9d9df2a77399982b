/* Starts a program of the other kind, of which we can see little: its words are half as long, and so is
   all that the kernel tells it on its stack. Where the kernel runs none of these, exec says so. */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define BASE 0x08048000

struct image {
  Elf32_Ehdr header;
  Elf32_Phdr segment;
  unsigned char code[12];
};

/* mov $1, %eax; mov $7, %ebx; int $0x80: exit(7) */
static const struct image IMAGE = {
  .header = {
    .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32, ELFDATA2LSB, EV_CURRENT},
    .e_type = ET_EXEC, .e_machine = EM_386, .e_version = EV_CURRENT,
    .e_entry = BASE + sizeof(Elf32_Ehdr) + sizeof(Elf32_Phdr),
    .e_phoff = sizeof(Elf32_Ehdr), .e_ehsize = sizeof(Elf32_Ehdr),
    .e_phentsize = sizeof(Elf32_Phdr), .e_phnum = 1,
  },
  .segment = {
    .p_type = PT_LOAD, .p_vaddr = BASE, .p_paddr = BASE, .p_filesz = sizeof(struct image),
    .p_memsz = sizeof(struct image), .p_flags = PF_R | PF_X, .p_align = 0x1000,
  },
  .code = {0xb8, 1, 0, 0, 0, 0xbb, 7, 0, 0, 0, 0xcd, 0x80},
};

int main(void) {
  int file = open("small", O_CREAT | O_WRONLY | O_CLOEXEC, 0755);
  if (file < 0 || write(file, &IMAGE, sizeof IMAGE) != sizeof IMAGE) return 1;
  close(file);
  pid_t child = fork();
  if (child == 0) {
    execl("./small", "small", (char *)0);
    _exit(errno == ENOEXEC ? 8 : 9);
  }
  int status;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return 2;
  printf("ended with %d\n", WEXITSTATUS(status));
  return 0;
}
