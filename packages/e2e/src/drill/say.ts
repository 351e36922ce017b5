/** At once and as it is: what a run says must be known also of one that is killed. */
export function say(line: string): void {
  process.stdout.write(`drill: ${line}\n`);
}
