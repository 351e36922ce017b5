import { runCallout } from './run.ts';

const status = await runCallout(process.argv.slice(2), process);
// Output that a slow reader of a pipe has not read yet would be lost.
for (const stream of [process.stdout, process.stderr]) {
  await new Promise<void>((resolve) => stream.write('', () => resolve()));
}
// Not left to end by itself: a connection that is still open somewhere would keep it alive.
process.exit(status);
