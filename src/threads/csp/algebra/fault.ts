/** A script that makes no sense: a process that is not defined, an event that its channel does not have. */
export class CspFault extends Error {
  override name = 'CspFault';
}
