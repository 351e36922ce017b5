import { runCallout } from './run.ts';

// Not left to end by itself: a connection that is still open somewhere would keep it alive.
process.exit(await runCallout(process.argv.slice(2), process));
