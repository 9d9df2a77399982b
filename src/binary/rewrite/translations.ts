/**
 * From addresses to clones, for computed jumps: a hash table with open addressing, of pairs. An empty place
 * has the address 0, at which no instruction is. The agent looks it up in the same way (agent/blob.c).
 */
const MULTIPLIER = 0x9e37_79b1;

export function translationTable(pairs: readonly (readonly [number, number])[]): Uint32Array {
  if (pairs.length === 0) return new Uint32Array(0);
  const bits = Math.max(1, Math.ceil(Math.log2(pairs.length * 2)));
  const places = 2 ** bits;
  const table = new Uint32Array(2 * places);
  for (const [address, clone] of pairs) {
    let place = Math.imul(address, MULTIPLIER) >>> (32 - bits);
    while (table[2 * place] !== 0) place = (place + 1) % places;
    table[2 * place] = address;
    table[2 * place + 1] = clone;
  }
  return table;
}
