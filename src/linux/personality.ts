/** What personality(2) is told. Source: <linux/personality.h>. */
export const Personality = {
  /** Changes nothing, and returns what is set. */
  query: 0xffff_ffff,
  fixedAddresses: 0x004_0000,
} as const;
