/*
 * The agent: loaded into the target by LD_PRELOAD, it maps the channel and logs what threads do, or holds
 * them back as a schedule says. It decides nothing. Without a channel, or with one of another protocol, it
 * does nothing at all: the target must never suffer from our mistakes.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "channel.h"
#include "hooks/hooks.h"
#include "process.h"
#include "real.h"
#include "schedule.h"
#include "thread.h"

/* The logs lie beside the channel. A relative path would not outlive a chdir. */
static int note_folder(const char *channel) {
  const char *slash = strrchr(channel, '/');
  size_t length = slash == NULL ? 0 : (size_t)(slash - channel) + 1;
  if (channel[0] != '/' || length + 64 > sizeof dh_process.folder)
    return 0;
  for (size_t i = 0; i < length; i++)
    dh_process.folder[i] = channel[i];
  dh_process.folder_length = length;
  return 1;
}

__attribute__((constructor)) static void start(void) {
  const char *path = getenv(DH_CHANNEL_VARIABLE);
  struct dh_channel *channel = path == NULL ? NULL : dh_channel_open(path);
  if (channel == NULL)
    return;
  dh_process_number();
  dh_process_hello();
  int is_scheduled = (channel->options & DH_OPTION_SCHEDULE) != 0;
  if ((!is_scheduled && !(channel->options & DH_OPTION_LOG)) || !note_folder(path))
    return;
  if (is_scheduled && !dh_schedule_open())
    return;
  dh_process.unlogged = dh_process.log_stopped = is_scheduled;
  dh_find_all();
  dh_process_find_libc();
  dh_threads_prepare();
  dh_hooks_prepare();
  int instrumented = is_scheduled || dh_blobs_start == NULL ? 0 : dh_blobs_start();
  if (instrumented == 0 && !is_scheduled && !(channel->options & DH_OPTION_SYNC_ONLY))
    return;
  dh_process_mark();
  dh_ranges_on = instrumented > 0 ? 1 : (int)(channel->options & DH_OPTION_RANGES);
  dh_on = 1;
  dh_thread_start(&dh_self, 1);
  dh_signals_prepare();
}

__attribute__((destructor)) static void end(void) {
  dh_flush_here();
  if (dh_on && dh_self.state == DH_THREAD_LIVE)
    dh_thread_say_name(&dh_self);
}
