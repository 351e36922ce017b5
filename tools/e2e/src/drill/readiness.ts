import { eventually } from '@callout/testing';
import type { Slot } from './faults/slot.ts';

/** Waits until the readiness of each process has a status: 200 for one that can work, 503 for one that cannot. */
export async function whenReadinessIs(status: 200 | 503, slots: readonly Slot[]): Promise<void> {
  await Promise.all(
    slots.map((slot) =>
      eventually(async () => {
        const answer = await fetch(`http://127.0.0.1:${slot.port()}/readyz`);
        const body = await answer.text();
        if (answer.status !== status) throw new Error(`${slot.name} answers ${answer.status} to /readyz: ${body}`);
      }),
    ),
  );
}
