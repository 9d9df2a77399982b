/** The numbers of agent/deadheat.h, for this side of the channel. A test compares the two. */
export const AgentProtocol = {
  DH_PROTOCOL: 1,
  DH_MAGIC: 0x5441_4548,
  DH_CHANNEL_VARIABLE: 'DEADHEAT_CHANNEL',
} as const;

export const AgentKind = {
  DH_KIND_NONE: 0,
  DH_KIND_HELLO: 1,
} as const;

/** sizeof(struct dh_channel) and offsets of its fields. */
export const CHANNEL_SIZE = 64;
export const ChannelAt = { magic: 0, protocol: 4, capacity: 8, reserved: 16 } as const;

/** sizeof(struct dh_record) and offsets of its fields. */
export const RECORD_SIZE = 8;
export const RecordAt = { kind: 0, size: 4 } as const;

/** Offsets in struct dh_hello. */
export const HelloAt = { pid: 8, protocol: 12 } as const;
