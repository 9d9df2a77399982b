/** Calls on the addresses of sockets: somebody must listen there before others can connect. */
import { type Family, NO_OPERATIONS, succeeded } from '../modelled-call.ts';
import { load, named, store } from '../operation.ts';
import { changeEntry } from './names.ts';

export const SOCKETS: Family = {
  bind: (modelled) => {
    const { address } = modelled;
    if (address === undefined) return NO_OPERATIONS;
    if (!succeeded(modelled)) return [load('entry', named(address))];
    return address.startsWith('/') ? changeEntry(address) : [store('entry', named(address))];
  },
  listen: (modelled) =>
    modelled.address !== undefined && succeeded(modelled)
      ? [store('life', named(modelled.address))]
      : NO_OPERATIONS,
  connect: ({ address }) =>
    address === undefined
      ? NO_OPERATIONS
      : [load('entry', named(address)), load('life', named(address))],
};
