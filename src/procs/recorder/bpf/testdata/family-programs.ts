/**
 * Programs in C that make every recorded call at least once, a family each. What would change the
 * machine is asked for in a way that the kernel refuses. Only for tests.
 */
const SYSTEM_HEADERS = [
  ...['linux/futex', 'linux/openat2', 'mqueue', 'poll', 'sys/epoll', 'sys/eventfd', 'sys/fsuid'],
  ...['sys/inotify', 'sys/ioctl', 'sys/ipc', 'sys/msg', 'sys/mount', 'sys/prctl', 'sys/select'],
  ...[
    'sys/random',
    'sys/sem',
    'sys/sendfile',
    'sys/shm',
    'sys/signalfd',
    'sys/socket',
    'sys/stat',
    'sys/syscall',
  ],
  ...['sys/time', 'sys/timerfd', 'sys/timex', 'sys/uio', 'sys/un', 'sys/utsname', 'sys/xattr'],
  ...[
    'sys/file',
    'sys/prctl',
    'net/if',
    'netinet/in',
    'arpa/inet',
    'sched',
    'time',
    'utime',
    'grp',
    'dirent',
  ],
];

export const FAMILY_INCLUDES = SYSTEM_HEADERS.map((name) => `#include <${name}.h>\n`).join('');

export const FAMILIES = {
  'what the kernel makes up': `
static char room[40000];
int main(void) {
  long at[2];
  int device = open("/dev/urandom", O_RDONLY), other = open("/dev/random", O_RDONLY);
  int zero = open("/dev/zero", O_RDONLY);
  struct iovec vectors[2] = {{room, 3}, {room + 100, 5000}};
  for (int clock = -1; clock < 12; clock++) syscall(SYS_clock_gettime, clock, at);
  syscall(SYS_clock_gettime, 0, 8);
  syscall(SYS_clock_nanosleep, 1, 0, &(struct timespec){0, 1000}, 0);
  syscall(SYS_clock_nanosleep, 1, TIMER_ABSTIME, &(struct timespec){0, 1000}, 0);
  timer_t timer;
  timer_create(CLOCK_MONOTONIC, &(struct sigevent){.sigev_notify = SIGEV_NONE}, &timer);
  timer_settime(timer, 0, &(struct itimerspec){{0, 0}, {9, 0}}, 0);
  timer_settime(timer, TIMER_ABSTIME, &(struct itimerspec){{0, 0}, {9, 0}}, 0);
  syscall(SYS_gettimeofday, at, 0);
  syscall(SYS_gettimeofday, 0, at);
  if (syscall(SYS_time, 0) < 1000 || syscall(SYS_time, at) < 1000) return 1;
  for (int size = 1; size <= sizeof room; size *= 7) getrandom(room, size, 0);
  read(device, room, 5);
  read(other, room, 5000);
  read(zero, room, 5);
  readv(device, vectors, 2);
  read(device, room, sizeof room);
  return 0;
}`,
  'what goes through connected sockets': `
static char room[100000];
static struct sockaddr_in at = {.sin_family = AF_INET};
static int connected(int type, int listening) {
  int one = socket(AF_INET, type, 0);
  if (connect(one, (void *)&at, sizeof at) < 0) {
    poll(&(struct pollfd){one, POLLOUT}, 1, -1);
    connect(one, (void *)&at, sizeof at);
  }
  return one;
}
int main(void) {
  struct ifreq up = {.ifr_name = "lo", .ifr_flags = IFF_UP};
  struct iovec vectors[3] = {{room, 3}, {room, 0}, {room + 100, 5000}}, two[2] = {{room, 7}, {room, 2}};
  struct msghdr message = {.msg_iov = two, .msg_iovlen = 2};
  if (unshare(CLONE_NEWNET)) return 1;
  ioctl(socket(AF_INET, SOCK_DGRAM, 0), SIOCSIFFLAGS, &up);
  at.sin_addr.s_addr = inet_addr("127.0.0.1"); at.sin_port = htons(4711);
  int listening = socket(AF_INET, SOCK_STREAM, 0);
  bind(listening, (void *)&at, sizeof at);
  connected(SOCK_STREAM, listening);
  listen(listening, 5);
  for (int index = 0; index < sizeof room; index++) room[index] = index % 251;
  int mine = connected(SOCK_STREAM, listening), theirs = accept(listening, 0, 0);
  write(mine, "written", 7); writev(mine, vectors, 3); sendto(mine, "sent", 4, 0, 0, 0); sendmsg(mine, &message, 0);
  write(mine, "", 0); write(mine, (void *)8, 5);
  for (int got = 0; got < 5023; ) got += read(theirs, room, sizeof room);
  write(theirs, room, 6000);
  recv(mine, room, 4, MSG_PEEK); read(mine, room, 4); recv(mine, room, 96, 0); readv(mine, vectors, 3); recvmsg(mine, &message, 0);
  int copy = dup(mine);
  read(copy, room, 888);
  for (int round = 0; round < 30; round++) { write(theirs, room, 5000); recv(mine, room, 5000, MSG_WAITALL); }
  for (int round = 0; round < 30; round++) { write(copy, room, 5000); recv(theirs, room, 5000, MSG_WAITALL); }
  shutdown(theirs, SHUT_WR);
  read(mine, room, 5);
  int other = connected(SOCK_STREAM | SOCK_NONBLOCK, listening), its = accept(listening, 0, 0);
  read(other, room, 5);
  write(its, "other", 5);
  poll(&(struct pollfd){other, POLLIN}, 1, -1);
  read(other, room, 5);
  write(other, "more", 4);
  int datagrams = connected(SOCK_DGRAM, listening);
  write(datagrams, "datagram", 8);
  if (fork() == 0) { write(other, "child", 5); _exit(0); }
  wait4(-1, 0, 0, 0);
  struct iovec many[40];
  for (int index = 0; index < 40; index++) many[index] = (struct iovec){room + index, 1};
  writev(other, many, 40);
  return 0;
}`,
  descriptors: `
int main(void) {
  int ends[2], copy;
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 1, .l_len = 2};
  struct itimerspec soon = {.it_value = {100, 0}}, left;
  sigset_t set;
  put("f", "x");
  int file = open("f", O_RDWR);
  syscall(SYS_pipe, ends);
  close(ends[0]); close(ends[1]);
  pipe2(ends, O_CLOEXEC | O_NONBLOCK);
  pipe2(ends, -1);
  pipe((int *)1);
  socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
  socketpair(AF_UNIX, SOCK_STREAM, 12345, ends);
  copy = dup(file);
  dup2(file, 50); dup2(file, file); dup2(99, 50);
  dup3(ends[0], 51, O_CLOEXEC);
  write(51, "y", 1);
  lseek(copy, 1, SEEK_SET);
  write(50, "z", 1);
  fcntl(file, F_DUPFD, 60); fcntl(file, F_DUPFD_CLOEXEC, 61); fcntl(99, F_DUPFD, 0);
  fcntl(60, F_GETFD); fcntl(60, F_SETFD, 1); fcntl(60, F_GETFL); fcntl(60, F_SETFL, O_APPEND);
  fcntl(file, F_SETLK, &lock); fcntl(file, F_SETLKW, &lock); fcntl(file, F_GETLK, &lock);
  lock.l_pid = 0;
  fcntl(file, F_OFD_SETLK, &lock); fcntl(file, F_OFD_GETLK, &lock); fcntl(file, F_SETLK, 8);
  close(file); close(ends[0]); close(99);
  close_range(50, 51, 0); close_range(60, 70, 4); close_range(5, 4, 0);
  file = open("f", O_RDONLY);
  int event = syscall(SYS_eventfd, 3); eventfd(0, EFD_CLOEXEC);
  sigemptyset(&set); sigaddset(&set, SIGUSR1); sigprocmask(SIG_BLOCK, &set, 0);
  int signals = signalfd(-1, &set, 0); signalfd(signals, &set, 0);
  syscall(SYS_signalfd, -1, &set, 8);
  int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  timerfd_settime(timer, 0, &soon, 0); timerfd_gettime(timer, &left);
  write(event, "12345678", 8);
  epoll_create(1); epoll_create1(0);
  syscall(SYS_inotify_init); int watches = inotify_init1(IN_NONBLOCK);
  int watch = inotify_add_watch(watches, "f", IN_MODIFY);
  inotify_add_watch(watches, "/nowhere", IN_MODIFY);
  inotify_rm_watch(watches, watch);
  int memory = memfd_create("scratch", 0);
  write(memory, "abc", 3);
  syscall(SYS_pidfd_open, getpid(), 0);
  if (fork() == 0) { read(file, &copy, 1); write(memory, "d", 1); _exit(0); }
  wait(0);
  read(file, &copy, 1);
}`,

  sockets: `
static void passFile(int over, int file) {
  char byte = 'x', room[CMSG_SPACE(sizeof(int))] = {0};
  struct iovec part = {&byte, 1};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
  struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET; rights->cmsg_type = SCM_RIGHTS; rights->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(rights), &file, sizeof file);
  sendmsg(over, &message, 0);
}
static void takeFile(int from) {
  char byte, room[CMSG_SPACE(sizeof(int))] = {0};
  struct iovec part = {&byte, 1};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
  recvmsg(from, &message, 0);
}
int main(void) {
  struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = "server"};
  char bytes[8];
  int listening = socket(AF_UNIX, SOCK_STREAM, 0);
  put("passed", "some text");
  bind(listening, (void *)&at, sizeof at);
  bind(listening, (void *)&at, 5000);
  listen(listening, 3);
  if (fork() == 0) {
    int file = open("passed", O_RDONLY);
    int client = socket(AF_UNIX, SOCK_STREAM, 0);
    connect(client, (void *)&at, sizeof at);
    send(client, "hello", 5, 0);
    passFile(client, file);
    recv(client, bytes, 8, 0); recv(client, bytes, 8, 0);
    read(file, bytes, 2);
    _exit(0);
  }
  int served = accept(listening, 0, 0);
  recv(served, bytes, 5, MSG_WAITALL);
  takeFile(served);
  read(served + 1, bytes, 3);
  struct iovec part = {bytes, 1};
  struct mmsghdr messages[1] = {{.msg_hdr = {.msg_iov = &part, .msg_iovlen = 1}}};
  sendmmsg(served, messages, 1, 0);
  recvmmsg(served, messages, 1, MSG_DONTWAIT, 0);
  shutdown(served, SHUT_WR);
  wait(0);
  read(served + 1, bytes, 1);
  fcntl(listening, F_SETFL, O_NONBLOCK);
  accept4(listening, 0, 0, SOCK_CLOEXEC);
  connect(99, (void *)1, 16);
  connect(listening, (void *)1, 16);
}`,

  waiting: `
int main(void) {
  int ends[2];
  char byte;
  fd_set reading;
  struct timespec moment = {0, 1000};
  struct timeval soon = {0, 1000};
  struct epoll_event event = {.events = EPOLLIN, .data.u64 = 77}, happened[4];
  pipe(ends);
  write(ends[1], "x", 1);
  struct pollfd polled[2] = {{ends[0], POLLIN, 0}, {ends[1], POLLOUT, 0}}, many[40];
  for (int i = 0; i < 40; i++) many[i] = polled[0];
  poll(polled, 2, -1); poll(polled, 2, 0); poll(many, 40, 0); poll(0, 0, 1); poll((void *)8, 1, 0);
  ppoll(polled, 1, &moment, 0);
  FD_ZERO(&reading); FD_SET(ends[0], &reading);
  syscall(SYS_select, 20, &reading, 0, 0, &soon);
  FD_ZERO(&reading); FD_SET(ends[1], &reading);
  pselect(9, &reading, 0, 0, &moment, 0);
  pselect(9, 0, 0, 0, &moment, 0);
  int epoll = epoll_create1(0);
  epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event);
  epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event);
  epoll_ctl(epoll, EPOLL_CTL_ADD, 99, &event);
  syscall(SYS_epoll_wait, epoll, happened, 4, -1);
  read(ends[0], &byte, 1);
  epoll_pwait(epoll, happened, 4, 0, 0);
  epoll_ctl(epoll, EPOLL_CTL_DEL, ends[0], 0);
  syscall(SYS_epoll_pwait2, epoll, happened, 4, &moment, 0, 8);
}`,

  'two files': `
int main(void) {
  int ends[2], others[2];
  char bytes[16] = "0123456789abcde";
  struct iovec parts[2] = {{bytes, 3}, {bytes + 4, 2}};
  off_t from = 2, to = 1;
  put("in", "0123456789"); put("out", "");
  int in = open("in", O_RDWR), out = open("out", O_RDWR), again = open("in", O_RDONLY);
  pipe(ends); pipe(others);
  read(in, bytes, 3); readv(in, parts, 2); read(in, bytes, 16); read(in, bytes, 16);
  lseek(in, -2, SEEK_END); lseek(in, -100, SEEK_SET); lseek(ends[0], 0, SEEK_SET); lseek(in, 0, SEEK_SET);
  write(out, bytes, 4); writev(out, parts, 2); pwrite(out, bytes, 2, 8); pread(in, bytes, 2, 5);
  preadv(in, parts, 2, 1); pwritev(out, parts, 2, 1);
  preadv2(in, parts, 2, -1, 0); preadv2(in, parts, 2, 0, 0); pwritev2(out, parts, 1, -1, 0);
  sendfile(out, in, &from, 3); sendfile(out, in, 0, 2); sendfile(ends[1], in, 0, 1);
  splice(again, 0, ends[1], 0, 2, 0); splice(again, &from, ends[1], 0, 2, 0);
  splice(ends[0], 0, out, &to, 1, 0);
  tee(ends[0], others[1], 10, SPLICE_F_NONBLOCK);
  vmsplice(others[1], parts, 2, 0);
  copy_file_range(in, 0, out, 0, 3, 0); copy_file_range(in, &from, out, &to, 3, 0);
  fallocate(out, 0, 0, 100); ftruncate(out, 5);
  struct stat about;
  syscall(SYS_fstat, in, &about); syscall(SYS_fstat, 99, &about);
  int folder = open(".", O_RDONLY | O_DIRECTORY);
  syscall(SYS_lseek, folder, 0, SEEK_SET);
  syscall(SYS_getdents, folder, bytes, 1);
  int append = open("in", O_WRONLY | O_APPEND);
  write(append, "more", 4);
  if (fork() == 0) { read(again, bytes, 1); _exit(0); }
  wait(0);
  read(again, bytes, 1);
}`,

  'names and metadata': `
int main(void) {
  char list[100], *here = "f";
  struct stat about;
  struct statx more;
  struct utimbuf old = {1, 2};
  struct timeval times[2] = {{1, 2}, {3, 4}};
  struct timespec exact[2] = {{5, 6}, {7, 8}};
  struct open_how how = {.flags = O_RDWR | O_CREAT, .mode = 0600};
  put("f", "x");
  int file = open("f", O_RDWR), folder = open(".", O_RDONLY | O_DIRECTORY);
  symlink("f", "link"); symlink("/some/where", "away"); symlinkat("../f", folder, "other"); symlink("", "nothing"); symlink("f", "f");
  syscall(SYS_mknod, "fifo", S_IFIFO | 0600, 0); mknodat(folder, "fifo2", S_IFIFO | 0600, 0);
  fchown(file, 0, 0); lchown("link", 0, 0); chown("f", 0, 0); fchownat(file, "", 0, 0, AT_EMPTY_PATH);
  syscall(452, folder, "f", 0640, 0); fchmodat(folder, "f", 0600, 0); fchmod(file, 0644);
  syscall(SYS_utime, "f", &old); syscall(SYS_utimes, "f", times); syscall(SYS_futimesat, folder, "f", times);
  utimensat(folder, "f", exact, 0); syscall(SYS_utimensat, file, 0, exact, 0); syscall(SYS_utimensat, 99, 0, exact, 0);
  syscall(SYS_utimensat, file, 1, exact, 0);
  fstatat(file, "", &about, AT_EMPTY_PATH); fstatat(folder, "", &about, 0); fstatat(AT_FDCWD, "", &about, AT_EMPTY_PATH);
  statx(file, "", AT_EMPTY_PATH, STATX_ALL, &more); statx(folder, "f", 0, STATX_ALL, &more);
  syscall(SYS_stat, "f", &about); syscall(SYS_lstat, "link", &about);
  linkat(file, "", AT_FDCWD, "hard", AT_EMPTY_PATH); linkat(folder, "f", folder, "hard2", 0);
  readlink("link", list, 100); readlinkat(folder, "other", list, 100);
  setxattr("f", "user.a", "1", 1, 0); lsetxattr("link", "user.a", "1", 1, 0); fsetxattr(file, "user.b", "2", 1, 0);
  getxattr("f", "user.a", list, 9); lgetxattr("f", "user.a", list, 9); fgetxattr(file, "user.b", list, 9);
  listxattr("f", list, 99); llistxattr("link", list, 99); flistxattr(file, list, 99);
  removexattr("f", "user.a"); lremovexattr("link", "user.a"); fremovexattr(file, "user.b");
  syscall(SYS_openat2, folder, "made", &how, sizeof how); syscall(SYS_openat2, folder, "f", &how, sizeof how);
  syscall(SYS_openat2, folder, "f", 8, sizeof how); syscall(SYS_openat2, AT_FDCWD, "unmade", &how, 1);
  mount("none", "nowhere", "nothing", 0, 0); umount2("nowhere", 0); syscall(SYS_pivot_root, "nowhere", "new");
  char *mapped = mmap(0, 1, PROT_READ, MAP_SHARED, file, 0);
  mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); mmap(0, 0, PROT_READ, MAP_SHARED, file, 0); mmap(0, 1, PROT_READ, MAP_SHARED, 99, 0);
  truncate("f", 3); access("f", R_OK); faccessat(folder, "f", R_OK, AT_EACCESS); flock(file, LOCK_EX);
  syscall(SYS_open, "f", O_RDONLY, 0); syscall(SYS_faccessat, folder, "f", R_OK); syscall(SYS_creat, "fresh", 0600);
  syscall(SYS_unlink, "away"); chroot("nowhere"); syscall(SYS_execveat, file, "", 0, 0, AT_EMPTY_PATH);
  renameat2(folder, "hard", folder, "hard3", RENAME_NOREPLACE);
}`,

  identity: `
int main(void) {
  struct rlimit limit;
  gid_t groups[1] = {0};
  getppid(); getpgid(0); getpgrp(); getsid(0); getpid(); getuid();
  if (fork() == 0) {
    setpgid(0, 0); getpgid(getppid()); setsid(); getsid(0);
    prctl(PR_SET_NAME, "renamed"); prctl(PR_SET_CHILD_SUBREAPER, 1); prctl(PR_SET_PDEATHSIG, SIGTERM);
    prlimit(0, RLIMIT_CORE, 0, &limit);
    syscall(SYS_getrlimit, RLIMIT_CORE, &limit); syscall(SYS_setrlimit, RLIMIT_CORE, &limit);
    setpriority(PRIO_PROCESS, 0, 3); getpriority(PRIO_PROCESS, 0); getpriority(PRIO_PROCESS, getppid());
    syscall(SYS_setgroups, 1, groups); syscall(SYS_setfsgid, 0); syscall(SYS_setfsuid, 0);
    syscall(SYS_setresgid, 0, 0, 0); syscall(SYS_setresuid, 0, 0, 0);
    syscall(SYS_setregid, 0, 0); syscall(SYS_setreuid, 0, 0); syscall(SYS_setgid, 0); syscall(SYS_setuid, 0);
    syscall(SYS_capset, 0, 0);
    unshare(0); setns(0, 0); setns(99, 0);
    _exit(0);
  }
  wait(0);
  struct utsname name;
  struct timeval impossible = {0, -1};
  struct timespec never = {0, -1};
  struct timex clock = {0};
  uname(&name); sethostname("x", -1); setdomainname("x", -1);
  syscall(SYS_settimeofday, &impossible, 0); syscall(SYS_clock_settime, CLOCK_REALTIME, &never);
  syscall(SYS_adjtimex, &clock); syscall(SYS_clock_adjtime, CLOCK_REALTIME, &clock);
}`,

  'signals and handlers': `
static void handle(int signal) {}
static void handleInCall(int signal) { getppid(); }
int main(void) {
  struct sigaction action = {.sa_handler = handle}, old;
  struct pollfd nothing;
  struct timespec now = {0, 1};
  sigset_t set, none;
  siginfo_t info = {.si_signo = SIGUSR1, .si_code = SI_QUEUE};
  sigaction(SIGUSR1, &action, &old); sigaction(SIGUSR1, 0, &old); signal(SIGUSR2, SIG_IGN);
  sigemptyset(&none); sigemptyset(&set); sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, 0); sigprocmask(SIG_BLOCK, 0, &set);
  sigemptyset(&set); sigaddset(&set, SIGUSR1);
  raise(SIGUSR1);
  sigsuspend(&none);
  raise(SIGUSR1);
  ppoll(&nothing, 0, 0, &none);
  action.sa_handler = handleInCall;
  sigaction(SIGUSR1, &action, 0);
  raise(SIGUSR1);
  pselect(0, 0, 0, 0, 0, &none);
  syscall(SYS_rt_tgsigqueueinfo, getpid(), getpid(), SIGUSR1, &info);
  sigtimedwait(&set, &info, &now);
  info.si_code = SI_QUEUE;
  syscall(SYS_rt_sigqueueinfo, getpid(), SIGUSR2, &info); syscall(SYS_tkill, getpid(), SIGUSR2);
  int self = syscall(SYS_pidfd_open, getpid(), 0);
  syscall(SYS_pidfd_send_signal, self, SIGUSR2, 0, 0);
  sigtimedwait(&set, 0, &now);
  // As often as needed: it may come before the pause.
  struct itimerval often = {{0, 20000}, {0, 20000}}, never = {0};
  signal(SIGALRM, handle);
  setitimer(ITIMER_REAL, &often, 0);
  pause();
  setitimer(ITIMER_REAL, &never, 0);
  put("after", "pause");
}`,

  'stopped and continued': `
int main(void) {
  int ends[2];
  pipe(ends);
  pid_t child = fork();
  if (child == 0) {
    struct pollfd polled = {ends[0], POLLIN, 0};
    poll(&polled, 1, -1);
    put("after", "poll");
    _exit(0);
  }
  int status;
  kill(child, SIGSTOP);
  waitpid(child, &status, WUNTRACED);
  kill(child, SIGCONT);
  waitpid(child, &status, WCONTINUED);
  write(ends[1], "x", 1);
  waitpid(child, &status, 0);
}`,

  shared: `
int main(void) {
  struct sembuf up = {0, 1, 0}, both[2] = {{0, -1, IPC_NOWAIT}, {0, 2, 0}};
  struct { long type; char text[4]; } message = {1, "abc"};
  struct timespec soon = {0, 1000}, past = {1, 0};
  struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = 8};
  char bytes[8];
  int *word = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  syscall(SYS_futex, word, FUTEX_WAIT, 5, &soon, 0, 0); syscall(SYS_futex, word, FUTEX_WAKE, 1, 0, 0, 0);
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0); syscall(SYS_futex, word, FUTEX_WAIT, 0, &soon, 0, 0);
  int segment = shmget(IPC_PRIVATE, 4096, 0600);
  void *at = shmat(segment, 0, 0);
  shmdt(at); shmdt((void *)1); shmctl(segment, IPC_RMID, 0);
  int queue = msgget(IPC_PRIVATE, 0600);
  msgsnd(queue, &message, 4, 0); msgrcv(queue, &message, 4, 0, 0); msgctl(queue, IPC_RMID, 0);
  int semaphores = semget(IPC_PRIVATE, 1, 0600);
  semctl(semaphores, 0, SETVAL, 1); syscall(SYS_semop, semaphores, &up, 1); semtimedop(semaphores, both, 2, &soon);
  semctl(semaphores, 0, GETVAL); semctl(semaphores, 0, IPC_RMID);
  mqd_t mail = mq_open("/deadheat-test", O_RDWR | O_CREAT, 0600, &attributes);
  mq_send(mail, "hi", 2, 1); mq_timedreceive(mail, bytes, 8, 0, &past); mq_getattr(mail, &attributes);
  mq_notify(mail, 0); mq_timedreceive(mail, bytes, 8, 0, &past); mq_unlink("/deadheat-test"); mq_unlink("/deadheat-none");
}`,

  unmodelled: `
int main(void) {
  int size;
  ioctl(0, FIONREAD, &size);
  syscall(SYS_kcmp, getpid(), getpid(), 1, 0, 0);
  syscall(500, 1, 2, 3);
  syscall(425, 8, 0); syscall(426, 0, 0, 0, 0, 0, 0); syscall(427, 0, 0, 0, 0);
  getpid(); brk: getuid(); sched_yield();
}`,
} as const;
