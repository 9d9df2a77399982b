/** Room for `length` numbers: the same column if it has that, else one of at least twice its size. */
export function grown<Column extends Uint32Array | Uint16Array | Uint8Array | Float64Array>(
  column: Column,
  length: number,
): Column {
  if (length <= column.length) return column;
  const larger = new (column.constructor as new (length: number) => Column)(
    Math.max(length, 2 * column.length),
  );
  larger.set(column);
  return larger;
}
