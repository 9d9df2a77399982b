import { expect, it } from 'vitest';
import { isAtomicInC, isAtomicRecord } from './atomic-names.ts';

it.each([
  'std::atomic<int>',
  'std::atomic<jobs::State*>',
  'std::__atomic_base<long>',
  'std::__atomic_float<double>',
  'std::atomic_flag',
  'std::__atomic_flag_base',
  'std::__1::atomic<bool>',
  'std::__1::__atomic_base<bool, false>',
  'std::atomic',
  'boost::atomics::atomic<int>',
  'core::sync::atomic::AtomicUsize',
  'core::sync::atomic::AtomicBool',
  'core::sync::atomic::AtomicPtr<alloc::vec::Vec<i32>>',
  'core::sync::atomic::Atomic<u32>',
])('%s is atomic', (name) => {
  expect(isAtomicRecord(name)).toBe(true);
});

it.each([
  'std::atomic_ref<int>',
  'std::__atomic_ref<int, true, false>',
  'std::vector<std::atomic<int> >',
  'std::vector<std::atomic>',
  'chemistry::atomic',
  'atomic_counter',
  'game::AtomicBool',
  'Atomic',
])('%s is not', (name) => {
  expect(isAtomicRecord(name)).toBe(false);
});

it('names of <stdatomic.h> are atomic, others that begin alike are not', () => {
  const names = ['atomic_int', 'atomic_ullong', 'atomic_uint_fast64_t', 'atomic_uintptr_t'];
  expect(names.filter((name) => !isAtomicInC(name))).toEqual([]);
  expect(['atomic_t', 'atomic_weight', 'my_atomic_int', 'int'].filter(isAtomicInC)).toEqual([]);
});
