/**
 * Programs that do the awkward things, each in one way only: whatever depends on timing is waited
 * for. Only for tests.
 */
import { FAMILIES, FAMILY_INCLUDES } from './family-programs.ts';

const INCLUDES = ['errno', 'fcntl', 'pthread', 'signal', 'spawn', 'stdio', 'stdlib', 'string']
  .concat(['sys/mman', 'sys/resource', 'sys/wait', 'unistd'])
  .map((name) => `#include <${name}.h>\n`)
  .join('');

const PUT = `
static void put(const char *name, const char *text) {
  int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  write(fd, text, strlen(text));
  close(fd);
}
`;

/** Name and source, in C. */
export const PROGRAMS_IN_C = {
  ...FAMILIES,

  threads: `
static void *work(void *name) { put(name, "from a thread"); return 0; }
int main(void) {
  pthread_t thread;
  for (int i = 0; i < 3; i++) {
    pthread_create(&thread, 0, work, i % 2 ? "odd" : "even");
    pthread_join(thread, 0);
  }
}`,

  spawns: `
extern char **environ;
int main(void) {
  char *args[] = {"cat", "given", 0};
  siginfo_t info;
  pid_t child;
  put("given", "x\\n");
  close(1);
  open("/dev/null", O_WRONLY);
  posix_spawn(&child, "/bin/cat", 0, 0, args, environ);
  waitid(P_PID, child, &info, WEXITED);
  posix_spawn(&child, "/no/such/program", 0, 0, args, environ);
  if (fork() == 0) { put("child", "y"); _exit(3); }
  waitpid(-1, 0, 0);
}`,

  'thread-execs': `
static volatile int created;
static void *work(void *unused) {
  while (!created);
  execl("/bin/cat", "cat", "/dev/null", (char *)0);
  return unused;
}
int main(void) {
  pthread_t thread;
  put("before", "x");
  pthread_create(&thread, 0, work, 0);
  created = 1;
  pthread_join(thread, 0);
}`,

  signals: `
static int answer[2];
static void handle(int signal) {
  put(signal == SIGUSR1 ? "one" : "two", "handled");
  if (signal == SIGUSR2) write(answer[1], "x", 1);
}
int main(void) {
  int ends[2];
  char byte;
  siginfo_t info;
  sigset_t set;
  struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
  sigaction(SIGUSR1, &action, 0);
  sigaction(SIGUSR2, &action, 0);
  pipe(ends);
  pipe(answer);
  raise(SIGUSR1);
  pid_t child = fork();
  if (child == 0) {
    kill(getppid(), SIGUSR2);
    read(answer[0], &byte, 1);
    write(ends[1], "x", 1);
    _exit(0);
  }
  read(ends[0], &byte, 1);
  waitid(P_PID, child, &info, WEXITED);
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, 0);
  kill(getpid(), SIGUSR1);
  sigwaitinfo(&set, &info);
  child = fork();
  if (child == 0) for (;;) pause();
  kill(child, SIGTERM);
  waitpid(child, 0, 0);
  child = fork();
  if (child == 0) abort();
  waitpid(child, 0, 0);
}`,

  'threads-die': `
static sigset_t set;
static volatile int created;
static void *fault(void *unused) { while (!created); *(volatile int *)0 = 1; return unused; }
static void *leave(void *unused) { while (!created); exit(4); return unused; }
static void *unblock(void *unused) {
  while (!created);
  pthread_sigmask(SIG_UNBLOCK, &set, 0);
  for (;;) pause();
}
static void die(void *(*how)(void *)) {
  pthread_t thread;
  if (fork() == 0) {
    kill(getpid(), how == unblock ? SIGTERM : 0);
    pthread_create(&thread, 0, how, 0);
    created = 1;
    for (;;) pause();
  }
  wait(0);
}
int main(void) {
  struct rlimit none = {0};
  setrlimit(RLIMIT_CORE, &none);
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigprocmask(SIG_BLOCK, &set, 0);
  die(fault);
  die(leave);
  die(unblock);
}`,

  paths: `
int main(void) {
  char path[6000];
  memset(path, 'x', sizeof path);
  path[255] = 0; put(path, "longest name");
  path[254] = 0; put(path, "shorter name");
  for (int at = 2; at < 4000; at += 2) { path[at] = '.'; path[at + 1] = '/'; }
  memcpy(path, "./", 2);
  strcpy(path + 4000, "f");
  put(path, "long path");
  rename(path, "g");
  link("g", path);
  rename((char *)1, "h");
  open("", O_RDONLY);
  mkdir("caf\\xe9", 0755);
  int fd = open("caf\\xe9", O_RDONLY | O_DIRECTORY);
  close(openat(fd, "\\xff\\xfe", O_WRONLY | O_CREAT | O_EXCL, 0600));
  renameat(fd, "\\xff\\xfe", AT_FDCWD, "moved");
  unlinkat(fd, "nothing", 0);
  openat(99, "nothing", O_RDONLY);
  write(99, "x", 1);
}`,

  'path-not-in-memory': `
static char *fresh(const char *name) {
  int fd = open(name, O_RDONLY);
  char *text = mmap(0, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
  close(fd);
  return text;
}
int main(void) {
  char far[4096];
  put("name", "found");
  put("program", "/bin/true");
  for (int at = 0; at < 4000; at += 2) memcpy(far + at, "./", 2);
  strcpy(far + 4000, "deep");
  put("far", far);
  put(fresh("name"), "x");
  put(fresh("far"), "y");
  link(fresh("name"), fresh("far"));
  rename(fresh("far"), fresh("name"));
  execl(fresh("program"), "true", (char *)0);
}`,
} as const;

export type ProgramName = keyof typeof PROGRAMS_IN_C;

export const sourceOf = (name: ProgramName): string =>
  `#define _GNU_SOURCE\n${INCLUDES}${FAMILY_INCLUDES}${PUT}${PROGRAMS_IN_C[name]}\n`;

/** Scripts for sh, by what they are about. None creates a file after another was removed: whether that gets its inode is luck. */
export const SCRIPTS: Readonly<Record<string, string>> = {
  redirections: 'echo x > f; cat f > /dev/null; cat < f >> g; : > f',
  pipes: 'echo x > f; cat f | cat | cat > g; (cd /; echo y) | cat >> g',
  'names that come and go':
    'exec 2> log; mkdir -p a/b; echo x > a/f; mv a/f a/b/g; ln a/b/g h; ln -s h s; cat s > t; chmod 600 t; rm -r a; rmdir no',
  'a background job': '(sleep 0.5; echo x > f) & wait; cat f > g; exit 7',
  'names that are not UTF-8': 'n="$(printf "caf\\351")"; echo x > "$n"; cat "$n" > copy; rm "$n"',
  make: "printf 'all: b\\na:\\n\\techo x > a\\nb: a\\n\\tcat a > b; cp b c\\n' > Makefile; make -j1 > log 2> errors",
  tar: 'mkdir d; echo a > d/a; echo b > d/b; tar cf t d; mkdir e; tar xf t -C e; tar tf t > log',
  'a pid namespace': 'unshare -pf sh -c "/bin/true; (exit 3); /bin/true" > log',
  'a program that is not there': './nothing 2> log; nothing 2> log; (cat < nothing) 2> log',
};
