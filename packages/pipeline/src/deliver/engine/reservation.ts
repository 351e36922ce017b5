import type { RecordOfWebhook } from '@callout/domain/callout/claimed';
import type { BodyToTake, LongBodies } from '../../payload/long-bodies.ts';
import type { LeasedCallout } from '../claim.ts';
import type { Lanes } from './lanes.ts';

/** Slots, and room for long bodies, that are reserved for new callouts while a transaction stores them. */
export interface Reservation {
  /**
   * Reserves slots for callouts of a webhook, as many as requested, or as the webhook may have now: no slot while the
   * webhook has a backlog or is slow, or while another webhook waits for a slot.
   * @returns how many.
   */
  reserve(webhookKey: number, tenantId: number, requested: number): number;
  /** Takes a reserved slot, and room for the body. @returns false without slot or room: a claim is to lease the callout. */
  take(callout: BodyToTake): boolean;
  /** Sends callouts that have taken slot and room, and are stored. */
  send(callouts: readonly LeasedCallout[]): void;
  /** Callouts of the records were stored that wait for the end of an earlier callout. */
  addSuccessors(records: readonly RecordOfWebhook[]): void;
  /** Returns slots and room that no callout uses, also after an error. */
  end(): void;
}

/** Begins a reservation of slots and room. */
export function beginReservation(
  lanes: Pick<Lanes, 'reserve' | 'returnReserved' | 'startReserved' | 'addSuccessors'>,
  longBodies: LongBodies,
): Reservation {
  /** Reserved slots by webhook that no callout has taken. */
  const free = new Map<number, number>();
  /** Callouts that have a slot and room, and are not sent yet. */
  const withSlot = new Map<string, number>();
  const addFree = (webhookKey: number, slots: number): void => {
    free.set(webhookKey, (free.get(webhookKey) ?? 0) + slots);
  };
  return {
    reserve(webhookKey, tenantId, requested) {
      const slots = lanes.reserve(webhookKey, tenantId, requested);
      addFree(webhookKey, slots);
      return slots;
    },
    take(callout) {
      const slots = free.get(callout.webhookKey) ?? 0;
      if (slots <= 0 || !longBodies.take(callout)) return false;
      free.set(callout.webhookKey, slots - 1);
      withSlot.set(callout.id, callout.webhookKey);
      return true;
    },
    send(callouts) {
      for (const callout of callouts) {
        withSlot.delete(callout.id);
        lanes.startReserved(callout);
      }
    },
    addSuccessors: (records) => lanes.addSuccessors(records),
    end() {
      for (const [id, webhookKey] of withSlot) {
        longBodies.release(id);
        addFree(webhookKey, 1);
      }
      for (const [webhookKey, slots] of free) if (slots > 0) lanes.returnReserved(webhookKey, slots);
      withSlot.clear();
      free.clear();
    },
  };
}
