/**
 * The recorded calls that load and store nothing by themselves. Each recorded call is in one of these
 * lists or has a model; a test holds them against each other.
 */
const names = (list: string): readonly string[] => list.trim().split(/\s+/);

/**
 * They tell who comes after whom (detect/order/), which descriptor is what, and how signals are met.
 * What goes through streams and queues, and what waits collect, other tables tell.
 */
export const ONLY_FOR_ORDER = names(`
  pipe pipe2 socket socketpair accept accept4 shutdown dup dup2 dup3 close close_range
  sendto sendmsg sendmmsg recvfrom recvmsg recvmmsg tee vmsplice mq_timedsend mq_timedreceive
  eventfd eventfd2 signalfd signalfd4 timerfd_create inotify_init inotify_init1 inotify_rm_watch
  poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl
  epoll_wait epoll_pwait epoll_pwait2 fcntl flock futex fchdir memfd_create
  pidfd_send_signal rt_sigaction rt_sigprocmask rt_sigsuspend rt_sigtimedwait pause
  wait4 waitid
`);

/**
 * Nobody else sees what they do, or what they do cannot be told from what is recorded of them: in
 * which namespaces a process is, what it may use up, where its memory is, how a queue is set up. What
 * the kernel made up for it, a replay repeats.
 */
export const ONLY_FOR_THE_CALLER = names(`
  getrlimit setrlimit unshare setns shmdt mq_getsetattr getrandom
  time gettimeofday clock_gettime clock_nanosleep timer_settime
`);
