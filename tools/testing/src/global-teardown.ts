import { runningServices } from './global-setup.ts';

/** Runs once, after all tests. A run that is killed gets here never: its servers end with it all the same. */
export default async function globalTeardown(): Promise<void> {
  await runningServices.current?.stop();
}
