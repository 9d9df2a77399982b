import { expect, it } from 'vitest';
import { isAtomicMember } from './atomic-members.ts';

it.each([
  'std::__atomic_base<unsigned int>::store',
  'std::atomic<bool>::load',
  'std::atomic<std::pair<int, int> >::operator=',
  'std::atomic_flag::test_and_set',
  'std::atomic_load_explicit<int>',
  'std::__1::__atomic_base<int, false>::load',
  'std::__1::__cxx_atomic_load<int>',
  'std::_Sp_counted_base<(__gnu_cxx::_Lock_policy)2>::_M_get_use_count',
  '__gnu_cxx::__exchange_and_add_dispatch',
  'core::sync::atomic::atomic_load<usize>',
])('%s is atomic', (name) => {
  expect(isAtomicMember({ function: name })).toBe(true);
});

it.each([
  'std::vector<std::atomic<int>, std::allocator<std::atomic<int> > >::operator[]',
  'std::__shared_ptr<int, (__gnu_cxx::_Lock_policy)2>::get',
  'std::unique_ptr<std::atomic<int>, std::default_delete<std::atomic<int> > >::get',
  '__gnu_cxx::__exchange_and_add_single',
  'atomic_increment',
  'store',
])('%s is not', (name) => {
  expect(isAtomicMember({ function: name })).toBe(false);
  expect(isAtomicMember({})).toBe(false);
});
