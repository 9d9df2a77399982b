/**
 * Which instructions of a part may run more than once: those on a cycle of the ways inside it. By Tarjan's
 * algorithm for strongly connected components, without recursion, since functions are long.
 */
import { FlowControl } from 'iced-x86';
import { type FunctionCode, fallsThrough } from '../../binary/code/function-code.ts';

/** @param moreTargets where computed jumps may lead, by place. */
export function placesInLoops(
  code: FunctionCode,
  isInside: Uint8Array,
  moreTargets: (place: number) => readonly number[],
): Uint8Array {
  const { instructions, jumps } = code;
  const successors = (place: number): number[] => {
    const next: number[] = [];
    if (fallsThrough(instructions[place]!)) next.push(place + 1);
    if (jumps[place]! >= 0) next.push(jumps[place]!);
    if (instructions[place]!.flow === FlowControl.IndirectBranch) next.push(...moreTargets(place));
    return next.filter((one) => isInside[one] === 1);
  };
  return onCycles(instructions.length, isInside, successors);
}

/** 1 for each node that is on a cycle. */
export function onCycles(
  size: number,
  isNode: Uint8Array,
  successors: (node: number) => readonly number[],
): Uint8Array {
  const result = new Uint8Array(size);
  const order = new Int32Array(size).fill(-1);
  const lowest = new Int32Array(size);
  const isOpen = new Uint8Array(size);
  const open: number[] = [];
  let counter = 0;
  for (let root = 0; root < size; root++) {
    if (isNode[root] === 0 || order[root] !== -1) continue;
    const path = [{ node: root, next: 0, after: successors(root) }];
    enter(root);
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const child = top.after[top.next++];
      if (child === undefined) leave(top.node);
      else if (order[child] === -1) {
        enter(child);
        path.push({ node: child, next: 0, after: successors(child) });
      } else if (isOpen[child] === 1) {
        lowest[top.node] = Math.min(lowest[top.node]!, order[child]!);
        if (child === top.node) result[child] = 1;
      }
    }
    function leave(node: number): void {
      path.pop();
      const parent = path.at(-1);
      if (parent) lowest[parent.node] = Math.min(lowest[parent.node]!, lowest[node]!);
      if (lowest[node] !== order[node]) return;
      const component = open.splice(open.lastIndexOf(node));
      for (const one of component) {
        isOpen[one] = 0;
        if (component.length > 1) result[one] = 1;
      }
    }
  }
  function enter(node: number): void {
    order[node] = lowest[node] = counter++;
    isOpen[node] = 1;
    open.push(node);
  }
  return result;
}
