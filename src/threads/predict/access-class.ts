/** What matters of an access when two of them are compared: whether it stores, and whether it is atomic. */
export const AccessClass = { read: 0, write: 1, atomicRead: 2, atomicStore: 3 } as const;
export const CLASS_COUNT = 4;

/** By op, for the ops that are accesses. */
export const classOfOp: readonly number[] = [
  AccessClass.read,
  AccessClass.write,
  AccessClass.atomicRead,
  AccessClass.atomicStore,
  AccessClass.atomicStore,
];

export function doConflict(one: number, other: number): boolean {
  const storesOne = ((one | other) & 1) !== 0;
  const areBothAtomic = (one & other & 2) !== 0;
  return storesOne && !areBothAtomic;
}

/** By class, the classes that it conflicts with. */
export const rivalsOf: readonly (readonly number[])[] = Object.values(AccessClass).map((one) =>
  Object.values(AccessClass).filter((other) => doConflict(one, other)),
);
