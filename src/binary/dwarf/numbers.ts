/**
 * The numbers of the DWARF standard, version 5, chapter 7; those that GNU added before the standard had
 * something like it begin with `gnu`. Only what is read here has a name, except for the forms: to pass
 * over a value, each of them must be known.
 */

/** DW_TAG_*, section 7.5.3. */
export const Tag = {
  arrayType: 0x01,
  classType: 0x02,
  enumerationType: 0x04,
  member: 0x0d,
  pointerType: 0x0f,
  referenceType: 0x10,
  compileUnit: 0x11,
  structureType: 0x13,
  typedef: 0x16,
  unionType: 0x17,
  inheritance: 0x1c,
  inlinedSubroutine: 0x1d,
  module: 0x1e,
  pointerToMemberType: 0x1f,
  subrangeType: 0x21,
  baseType: 0x24,
  constType: 0x26,
  subprogram: 0x2e,
  variable: 0x34,
  volatileType: 0x35,
  restrictType: 0x37,
  interfaceType: 0x38,
  namespace: 0x39,
  sharedType: 0x40,
  rvalueReferenceType: 0x42,
  atomicType: 0x47,
  skeletonUnit: 0x4a,
  immutableType: 0x4b,
} as const;

/** DW_AT_*, section 7.5.4. */
export const Attribute = {
  sibling: 0x01,
  location: 0x02,
  name: 0x03,
  byteSize: 0x0b,
  bitOffset: 0x0c,
  bitSize: 0x0d,
  stmtList: 0x10,
  lowPc: 0x11,
  highPc: 0x12,
  compDir: 0x1b,
  upperBound: 0x2f,
  abstractOrigin: 0x31,
  count: 0x37,
  dataMemberLocation: 0x38,
  external: 0x3f,
  specification: 0x47,
  type: 0x49,
  ranges: 0x55,
  callColumn: 0x57,
  callFile: 0x58,
  callLine: 0x59,
  signature: 0x69,
  dataBitOffset: 0x6b,
  strOffsetsBase: 0x72,
  addrBase: 0x73,
  rnglistsBase: 0x74,
  dwoName: 0x76,
  gnuDwoName: 0x2130,
  gnuAddrBase: 0x2133,
} as const;

/** DW_FORM_*, section 7.5.6: how a value is written. */
export const Form = {
  addr: 0x01,
  block2: 0x03,
  block4: 0x04,
  data2: 0x05,
  data4: 0x06,
  data8: 0x07,
  string: 0x08,
  block: 0x09,
  block1: 0x0a,
  data1: 0x0b,
  flag: 0x0c,
  sdata: 0x0d,
  strp: 0x0e,
  udata: 0x0f,
  refAddr: 0x10,
  ref1: 0x11,
  ref2: 0x12,
  ref4: 0x13,
  ref8: 0x14,
  refUdata: 0x15,
  indirect: 0x16,
  secOffset: 0x17,
  exprloc: 0x18,
  flagPresent: 0x19,
  strx: 0x1a,
  addrx: 0x1b,
  refSup4: 0x1c,
  strpSup: 0x1d,
  data16: 0x1e,
  lineStrp: 0x1f,
  refSig8: 0x20,
  implicitConst: 0x21,
  loclistx: 0x22,
  rnglistx: 0x23,
  refSup8: 0x24,
  strx1: 0x25,
  strx2: 0x26,
  strx3: 0x27,
  strx4: 0x28,
  addrx1: 0x29,
  addrx2: 0x2a,
  addrx3: 0x2b,
  addrx4: 0x2c,
  gnuAddrIndex: 0x1f01,
  gnuStrIndex: 0x1f02,
  gnuRefAlt: 0x1f20,
  gnuStrpAlt: 0x1f21,
} as const;

/** DW_UT_*, section 7.5.1: what a unit is. */
export const UnitType = {
  compile: 0x01,
  type: 0x02,
  partial: 0x03,
  skeleton: 0x04,
  splitCompile: 0x05,
  splitType: 0x06,
} as const;

/** DW_RLE_*, section 7.25: the entries of a range list. */
export const RangeEntry = {
  endOfList: 0x00,
  baseAddressx: 0x01,
  startxEndx: 0x02,
  startxLength: 0x03,
  offsetPair: 0x04,
  baseAddress: 0x05,
  startEnd: 0x06,
  startLength: 0x07,
} as const;

/** DW_LNS_*, section 7.22: the standard opcodes of a line number program. */
export const LineOpcode = {
  extended: 0x00,
  copy: 0x01,
  advancePc: 0x02,
  advanceLine: 0x03,
  setFile: 0x04,
  setColumn: 0x05,
  negateStatement: 0x06,
  setBasicBlock: 0x07,
  constAddPc: 0x08,
  fixedAdvancePc: 0x09,
} as const;

/** DW_LNE_*, section 7.22: its extended opcodes. */
export const ExtendedLineOpcode = {
  endSequence: 0x01,
  setAddress: 0x02,
  defineFile: 0x03,
} as const;

/** DW_LNCT_*, section 7.22: what is said of a file. */
export const LineContent = {
  path: 0x01,
  directoryIndex: 0x02,
} as const;

/** DW_OP_*, section 7.7.1: those that say where something with a fixed address is. */
export const Operation = {
  addr: 0x03,
  plusUconst: 0x23,
  addrx: 0xa1,
  gnuAddrIndex: 0xfb,
} as const;
