/**
 * What goes through pipes, sockets, terminals and queues. Two processes that write into one stream
 * decide by chance whose bytes come first; two that read from one, who gets them.
 */
import { syscallName } from '../../../linux/syscalls.ts';
import { type Model, NO_OPERATIONS } from '../modelled-call.ts';
import { store } from '../operation.ts';

/** Of these, success is 0 or a descriptor, not a number of bytes. */
const NOT_IN_BYTES = /^(accept4?|connect|msgsnd|mq_timedsend)$/;

/** Nobody gets what goes in there, and what comes out does not depend on it. */
const BOTTOMLESS = /^\/dev\/(null|zero|full|u?random)$/;

export const streamOperations: Model = ({ call, name, sendsInto, takesFrom }) => {
  if (!sendsInto && !takesFrom) return NO_OPERATIONS;
  if (name !== undefined && BOTTOMLESS.test(name)) return NO_OPERATIONS;
  // Nobody gets the end of a stream to the exclusion of others.
  const moved =
    call.result > 0 || (call.result === 0 && NOT_IN_BYTES.test(syscallName(call.number)));
  if (!moved) return NO_OPERATIONS;
  return [
    ...(sendsInto ? [store('sent', sendsInto)] : []),
    ...(takesFrom ? [store('taken', takesFrom)] : []),
  ];
};
