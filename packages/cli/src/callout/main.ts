import { runCallout } from './run.ts';

const status = await runCallout(process.argv.slice(2), process);
// Output that a slow reader of a pipe has not read yet would be lost.
for (const stream of [process.stdout, process.stderr]) {
  await new Promise<void>((resolve) => stream.write('', () => resolve()));
}
// Not left to end without help: an open connection somewhere would keep the process alive.
process.exit(status);
