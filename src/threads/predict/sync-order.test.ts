import { expect, it } from 'vitest';
import { NONE, Op } from '../model/op.ts';
import { ThreadTrace } from '../model/trace.ts';
import { predict } from './predict.ts';
import { traceOf } from './testdata/events.ts';

it('nobody touches what is not allocated yet', () => {
  const trace = new ThreadTrace();
  const { allocations, variables } = trace.tables;
  const allocation = allocations.add({ address: 0x1000, size: 8 });
  const outside = variables.add({ address: 0x10, size: 4, allocation: NONE, symbol: 'outside' });
  const inside = variables.add({ address: 0x1000, size: 4, allocation, symbol: '' });
  trace.append(0, Op.write, outside, 0);
  trace.append(0, Op.allocate, allocation, 1);
  trace.append(0, Op.write, inside, 2);
  trace.append(1, Op.write, inside, 3);
  trace.append(1, Op.write, outside, 4);
  const { races, undecided } = predict(trace);
  expect(races.map(({ variable }) => variable)).toEqual([inside]);
  expect(undecided).toEqual([]);
});

it('a forked process comes after its fork', () => {
  const forked = (op: string) => predict(traceOf('0 write 0', `0 ${op} 1`, '1 write 0'));
  expect(forked('process-fork').races).toEqual([]);
  expect(forked('detach').races).toHaveLength(1);
});

it('an atomic store hides those before it', () => {
  const stores = ['0 write 0', '0 atomic-write 1', '1 atomic-write 1', '2 atomic-read 1'];
  expect(predict(traceOf(...stores, '2 write 0')).races).toMatchObject([
    { variable: 0, rung: 'happens-before', isCertain: true },
  ]);
});

it('an initialisation that is given up does not race with the one that follows', () => {
  const first = ['0 once-begin 0', '0 write 0'];
  const second = ['1 once-begin 0', '1 write 0', '1 once-end 0'];
  expect(predict(traceOf(...first, ...second)).races).toEqual([]);
});
