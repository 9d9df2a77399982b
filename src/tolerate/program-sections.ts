/** The critical sections of a program, with what its debug information knows of atomic variables. */
import { namesOf } from '../debugger/image-names.ts';
import { knownAtomics } from './known-atomics.ts';
import type { ReadProgram } from './read-program.ts';
import { findSections } from './sections/find-sections.ts';
import type { SectionPlan } from './sections/section-plan.ts';

export const programSections = ({ path, elf }: Pick<ReadProgram, 'path' | 'elf'>): SectionPlan[] =>
  findSections(elf, knownAtomics(namesOf(path, elf)));
