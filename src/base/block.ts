const nobody = new Int32Array(new SharedArrayBuffer(4));

/** Stands still, event loop and all: for a thread whose only work is to wait for its tracees. */
export function blockFor(milliseconds: number): void {
  Atomics.wait(nobody, 0, 0, milliseconds);
}
