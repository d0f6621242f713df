/* A clock of the day that jumps, as one does that somebody sets or a network corrects: a library to be loaded before all others
 * (LD_PRELOAD). Every time that the program asks, it is 400 days earlier, right, or 400 days later. The clock that measures
 * durations (CLOCK_MONOTONIC) goes on as it does in every kernel. */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static time_t jump(void) {
  static atomic_long calls;
  return (atomic_fetch_add(&calls, 1) % 3 - 1) * (time_t)(400 * 86400);
}

int clock_gettime(clockid_t clock, struct timespec* now) {
  const int result = (int)syscall(SYS_clock_gettime, clock, now);
  if (result == 0 && clock == CLOCK_REALTIME) now->tv_sec += jump();
  return result;
}

int gettimeofday(struct timeval* restrict now, void* restrict zone) {
  const int result = (int)syscall(SYS_gettimeofday, now, zone);
  if (result == 0) now->tv_sec += jump();
  return result;
}

time_t time(time_t* now) {
  struct timespec right;
  clock_gettime(CLOCK_REALTIME, &right);
  if (now != NULL) *now = right.tv_sec;
  return right.tv_sec;
}
