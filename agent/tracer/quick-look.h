/*
 * What deadheat asks of quick-look.c, and what it is told: one struct for both, in memory of its own. The other side is
 * src/linux/quick-look-layout.ts, and a test compares the two. Times are nanoseconds since the call.
 */
#ifndef DH_QUICK_LOOK_H
#define DH_QUICK_LOOK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

#define DH_NO_REGISTER 255
#define DH_KNOWN_BYTES 16
#define DH_MOST_TOUCHED 64 /* bytes of one access */
#define DH_PIECES 4        /* debug registers */
#define DH_MOST_PASSED 64  /* breakpoints that are passed in one call */
#define DH_MOST_WINDOWS 32 /* that are opened in one call */
#define DH_WRITTEN 1       /* flag of a place: the access is a store, so that others must not even load */

/* An instruction with a breakpoint, and what it touches: `add [rbx+rcx*4+8],eax` has base 5 (rbx is the sixth word of
   the registers), index 11, scale 4, displacement 8 and size 4. */
struct dh_place {
  uint64_t address;
  uint64_t displacement; /* the whole address, where it hangs on no register */
  uint8_t base, index;   /* words of struct user_regs_struct, or DH_NO_REGISTER */
  uint8_t segment;       /* the same, of fs_base and gs_base */
  uint8_t scale;
  uint8_t size;
  uint8_t flags;
  uint8_t padding[2];
  uint8_t known[DH_KNOWN_BYTES]; /* the code from there on, as it is without breakpoints */
};
_Static_assert(sizeof(struct dh_place) == 40, "place");

/* A breakpoint that is yet to be written. */
struct dh_unwritten {
  uint64_t address, at_ns;
};

/* A watchpoint in a thread. */
struct dh_event {
  uint32_t task, fd;
};

enum dh_look_end {
  DH_LOOK_TIME = 0,        /* it is over, or there is no room for more */
  DH_LOOK_STOP = 1,        /* `task` has stopped with `status`, and it takes more than we know here */
  DH_LOOK_INTERRUPTED = 2, /* by a signal to us */
  DH_LOOK_NOBODY = 3,      /* nobody is traced any more */
  DH_LOOK_CHANGED = 4,     /* a window is open, and the bytes are not what they were */
};

struct dh_window {
  uint64_t holder;
  uint64_t place; /* its number */
  uint64_t touched;
  uint64_t hit_ns;
  uint64_t open_ns;
  uint64_t over_ns;                  /* 0: it is open, the holder stands, and the events are open */
  struct user_regs_struct registers; /* of the holder, who stands before the instruction */
};
_Static_assert(sizeof(struct dh_window) == 264, "window");

struct dh_look {
  uint64_t size; /* of this struct, by which both sides know each other */
  uint64_t process;
  uint64_t memory;    /* a descriptor of its /proc/PID/mem, to write to */
  uint64_t until_ns;  /* when to come back, if nothing happens that we do not know */
  uint64_t from_ns;   /* who comes earlier goes on */
  uint64_t every_ns;  /* so much later another window is due */
  uint64_t saved_ns;  /* so long ago it may have been due when somebody comes at last */
  uint64_t window_ns; /* how long one is held */
  uint64_t word;      /* that the signals of watchpoints have */
  uint64_t places;    /* struct dh_place[] */
  uint64_t place_count;
  uint64_t unwritten; /* struct dh_unwritten[], the first ones first */
  uint64_t unwritten_count;
  uint64_t threads; /* uint64_t[] */
  uint64_t thread_count;
  uint64_t events; /* room for struct dh_event[]: DH_PIECES for each thread */

  uint64_t end; /* enum dh_look_end: from here on it is we who answer */
  uint64_t task;
  uint64_t status;
  uint64_t written_count;
  uint64_t window_count; /* only the last one may be open */
  uint64_t event_count;
  uint64_t passed_count;
  uint16_t passed[DH_MOST_PASSED]; /* places to which somebody came when there was no time to look */
  uint8_t before[DH_MOST_TOUCHED]; /* what was there when the last window was opened */
  struct dh_window windows[DH_MOST_WINDOWS];
};
_Static_assert(sizeof(struct dh_look) == 376 + DH_MOST_WINDOWS * sizeof(struct dh_window), "look");

/* The address that the instruction touches, with these registers. */
uint64_t deadheat_touched(const struct dh_place *place, const struct user_regs_struct *registers);

/* 0, or -1 if the other side is of another version. */
int deadheat_look(struct dh_look *look);

#endif
