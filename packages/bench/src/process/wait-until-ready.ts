import { setTimeout as sleep } from 'node:timers/promises';

const PATIENCE_MS = 60_000;
const LOOK_EVERY_MS = 50;

/**
 * Waits until a process answers its `/readyz` with 200.
 * @throws Error with its last answer, after a minute.
 */
export async function waitUntilReady(name: string, port: number): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const answer = await look(port);
    if (answer.isReady) return;
    if (Date.now() > deadline) throw new Error(`${name} is not ready after ${PATIENCE_MS / 1000} s: ${answer.said}`);
    await sleep(LOOK_EVERY_MS);
  }
}

async function look(port: number): Promise<{ isReady: boolean; said: string }> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`);
    return { isReady: response.ok, said: await response.text() };
  } catch (error) {
    // Not listening yet.
    return { isReady: false, said: error instanceof Error ? error.message : String(error) };
  }
}
