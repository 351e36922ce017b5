import { runCallout } from './run.ts';

const status = await runCallout(process.argv.slice(2), process);
// What a slow reader of a pipe has not taken yet would be lost.
for (const stream of [process.stdout, process.stderr]) {
  await new Promise<void>((resolve) => stream.write('', () => resolve()));
}
// Not left to end by itself: a connection that is still open somewhere would keep it alive.
process.exit(status);
