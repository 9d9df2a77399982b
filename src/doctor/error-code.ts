/** `EPERM` where the error has a code, else the first line of its message. */
export function errorCode(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  return code ?? error.message.split('\n')[0]!;
}
