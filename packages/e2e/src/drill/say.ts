/** Written at once and unchanged, so that the output of a killed run is complete. */
export function say(line: string): void {
  process.stdout.write(`drill: ${line}\n`);
}
