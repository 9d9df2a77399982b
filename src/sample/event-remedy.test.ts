import { expect, it } from 'vitest';
import { eventRemedy } from './event-remedy.ts';

const [EPERM, EAGAIN, EMFILE] = [1, 11, 24];

it('a thread that perf is refused to is sampled by timer, and that is said with what to do', () => {
  expect(eventRemedy(EPERM, 'perf_event_open')).toMatch(/by timer instead; .*(paranoid|PERFMON)/i);
  expect(eventRemedy(EMFILE, 'perf_event_open')).toMatch(/by timer instead; .*ulimit -n/);
  expect(eventRemedy(EAGAIN, 'timer_create')).toMatch(/^timer_create has failed; .*ulimit -i/);
});
