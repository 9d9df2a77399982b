/**
 * The calls of which there is nothing to keep. Each system call is in one of these lists or has a
 * shape; a test holds them against the kernel's table.
 */

const names = (list: string): readonly string[] => list.trim().split(/\s+/);

/**
 * They touch nothing that another process could see or change: the caller's own memory, timers,
 * scheduling, who it is, what is on its way to the disk anyway. Not recorded at all.
 */
export const HARMLESS = names(`
  brk munmap mprotect madvise mremap msync mincore mlock mlock2 mlockall munlock munlockall mseal
  pkey_alloc pkey_free pkey_mprotect map_shadow_stack membarrier remap_file_pages
  mbind get_mempolicy set_mempolicy set_mempolicy_home_node migrate_pages move_pages
  arch_prctl set_thread_area get_thread_area modify_ldt personality set_tid_address
  set_robust_list get_robust_list rseq getcpu
  exit exit_group rt_sigreturn sigaltstack rt_sigpending
  getpid gettid getuid geteuid getgid getegid getresuid getresgid getgroups capget
  clock_getres nanosleep times getrusage sysinfo
  alarm getitimer setitimer timer_create timer_delete timer_gettime timer_getoverrun
  sched_yield sched_getaffinity sched_setaffinity sched_getattr sched_setattr sched_getparam
  sched_setparam sched_getscheduler sched_setscheduler sched_get_priority_max
  sched_get_priority_min sched_rr_get_interval ioprio_get ioprio_set
  getcwd umask statfs fstatfs ustat
  fsync fdatasync sync syncfs sync_file_range readahead fadvise64 cachestat
  getsockname getpeername getsockopt setsockopt
`);

/** Told by other records: those of the tasks that are started, and of the call that is gone on with. */
export const TOLD_OTHERWISE = names('fork vfork clone clone3 restart_syscall');

/** Refused while recording: what is done through these rings cannot be seen. */
export const REFUSED = names('io_uring_setup io_uring_enter io_uring_register');

/** The rest: recorded without arguments, so that the report can say what it does not understand. */
export const UNMODELLED = names(`
  ${REFUSED.join(' ')} io_setup io_destroy io_getevents io_pgetevents io_submit io_cancel
  name_to_handle_at open_by_handle_at getxattrat setxattrat listxattrat removexattrat
  file_getattr file_setattr fanotify_init fanotify_mark memfd_secret userfaultfd pidfd_getfd
  fsopen fsconfig fsmount fspick open_tree open_tree_attr move_mount mount_setattr statmount
  listmount quotactl quotactl_fd swapon swapoff sysfs uselib vhangup acct syslog reboot
  ptrace process_vm_readv process_vm_writev process_madvise process_mrelease kcmp seccomp bpf
  perf_event_open landlock_create_ruleset landlock_add_rule landlock_restrict_self
  lsm_get_self_attr lsm_set_self_attr lsm_list_modules add_key request_key keyctl
  futex_wait futex_wake futex_waitv futex_requeue
  ioperm iopl kexec_load kexec_file_load init_module finit_module delete_module
  create_module get_kernel_syms query_module nfsservctl getpmsg putpmsg afs_syscall tuxcall
  security vserver epoll_ctl_old epoll_wait_old lookup_dcookie _sysctl
`);
