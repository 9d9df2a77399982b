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

static void alarm_in_30_ms(void) {
  struct itimerval once = {{0, 0}, {0, 30000}};
  setitimer(ITIMER_REAL, &once, NULL);
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
      usleep(200000);
      _exit(write(ends[1], "x", 1) != 1);
    }
    char byte;
    alarm_in_30_ms();
    int got = read(ends[0], &byte, 1);
    printf("read %d %d\n", got, got < 0 ? errno : 0);
    alarm_in_30_ms();
    int ended = waitpid(child, NULL, 0);
    printf("wait %d %d\n", ended == child, ended < 0 ? errno : 0);
    alarm_in_30_ms();
    struct timespec nap = {0, 100000000};
    printf("nanosleep %d\n", nanosleep(&nap, NULL));
    alarm_in_30_ms();
    printf("poll %d\n", poll(NULL, 0, 100));
    while (waitpid(child, NULL, 0) > 0)
      ;
  }
  printf("handled %d\n", handled);
  return 0;
}
