/* Signals arrive during blocking calls; their handler makes calls of its own. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int hostname;
static volatile int handled;

static void on_alarm(int signal) {
  char byte;
  lseek(hostname, 0, SEEK_SET);
  handled += read(hostname, &byte, 1) == 1 && signal == SIGALRM;
}

/* Again and again, so that one comes during the call even if it begins late. */
static void alarms(int wanted) {
  struct itimerval often = {{0, 30000 * wanted}, {0, 30000 * wanted}};
  setitimer(ITIMER_REAL, &often, NULL);
}

int main(void) {
  hostname = open("/etc/hostname", O_RDONLY);
  for (int restart = 0; restart <= 1; restart++) {
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = restart ? SA_RESTART : 0};
    sigaction(SIGALRM, &action, NULL);
    int ends[2];
    if (pipe(ends) != 0)
      return 1;
    pid_t child = fork();
    if (child == 0) {
      usleep(1000000);
      _exit(write(ends[1], "x", 1) != 1);
    }
    char byte;
    alarms(1);
    int got = read(ends[0], &byte, 1);
    int read_error = errno;
    printf("read %d %d\n", got, got < 0 ? read_error : 0);
    int ended = waitpid(child, NULL, 0);
    printf("wait %d %d\n", ended == child, ended < 0 ? errno : 0);
    struct timespec nap = {1, 0};
    printf("nanosleep %d\n", nanosleep(&nap, NULL));
    printf("poll %d\n", poll(NULL, 0, 1000));
    alarms(0);
    while (waitpid(child, NULL, 0) > 0)
      ;
  }
  printf("handled %d\n", handled > 5);
  return 0;
}
