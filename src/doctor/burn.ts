/** Keeps this thread busy for that much CPU time. */
export function burn(milliseconds: number): void {
  const start = process.cpuUsage();
  const deadline = performance.now() + 50 * milliseconds;
  while (performance.now() < deadline) {
    const { user, system } = process.cpuUsage(start);
    if (user + system > 1000 * milliseconds) return;
  }
}
