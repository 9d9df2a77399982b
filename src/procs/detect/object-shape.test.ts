import { expect, it } from 'vitest';
import { objectShape } from './object-shape.ts';

it.each([
  ['/build/obj/f17.o', '/build/obj/f#.o'],
  ['/build2/obj/f.o', '/build#/obj/f.o'],
  ['/tmp/cc4kXz2Q.s', '/tmp/cc*.s'],
  ['/tmp/tmp.Yq1n3vAbCd', '/tmp/tmp.*'],
  ['/tmp/x-aB3dE9', '/tmp/x-*'],
  ['/etc/passwd', '/etc/passwd'],
  ['/src/Makefile', '/src/Makefile'],
  ['process 12', 'process #'],
  ['pipe 13:4711', 'pipe #:#'],
  ['', ''],
])('%s is like %s', (name, shape) => expect(objectShape(name)).toBe(shape));
