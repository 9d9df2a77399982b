/**
 * The shape of a name: what it has in common with others that come from the same line of a script.
 * Numbers, and what mktemp makes up, stand for any others:
 *
 *   /build/obj/f17.o          /build/obj/f#.o
 *   /tmp/cc4kXz2Q.s           /tmp/cc*.s
 *   /tmp/tmp.Yq1n3vAbCd       /tmp/tmp.*
 */
const NUMBER = /\d+/g;
/**
 * Letters and digits, mixed as only chance mixes them, at the end of the name or its stem: six, or a
 * few more where something before them sets them apart.
 */
const MADE_UP =
  /(?=[A-Za-z0-9]*[a-z])(?=[A-Za-z0-9]*[A-Z0-9])((?<=[._-])[A-Za-z0-9]{6,12}|[A-Za-z0-9]{6})(?=$|\.[a-z]+$)/;

export function objectShape(name: string): string {
  const slash = name.lastIndexOf('/') + 1;
  const base = name.slice(slash);
  return (
    name.slice(0, slash).replace(NUMBER, '#') + base.replace(MADE_UP, '*').replace(NUMBER, '#')
  );
}
