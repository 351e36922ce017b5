/** Gives match jobs their turns. Lower ones are worked on first; equal ones in the order in which they came. */
export interface Turns {
  /** The turn of events that a tenant has just sent. */
  of(tenantId: number, events: number): number;
}

/** As long as this after it was sent, an event counts for half. */
const halfLifeMs = 5_000;
/** A tenant that has lately sent fewer events than this is not put behind anybody. */
const fewEvents = 100;
/** A tenant is put back by a minute for that many, by another for four times as many, and so on up to this. */
const mostMinutes = 6;
/** Events that are woken again have waited already: before those who send much, behind those who send little. */
const minutesOfRepeats = 3;
/** BullMQ keeps no higher number. In minutes this is four years: then it begins again. */
const highestTurn = 2 ** 21 - 1;

/**
 * Turns by which those who send much go behind those who send little. A turn is a minute: the present one for a tenant
 * that has lately sent little, a later one the more it has sent. So a job is overtaken for some minutes at most, whatever
 * comes after it, and nobody starves.
 *
 * What others have sent to other processes is not known here, and need not be: a turn decides when, never whether.
 * @param now milliseconds since 1970. Processes whose clocks differ by seconds agree well enough.
 */
export function createTurns(now: () => number = Date.now): Turns {
  const recent = new Map<number, number>();
  let halvedAt = now();

  function halve(): void {
    const halvings = Math.floor((now() - halvedAt) / halfLifeMs);
    if (halvings === 0) return;
    halvedAt = now();
    // Less than none: the clock was set back.
    const share = 0.5 ** Math.max(1, halvings);
    for (const [tenantId, events] of recent) {
      if (events * share < 1) recent.delete(tenantId);
      else recent.set(tenantId, events * share);
    }
  }

  return {
    of(tenantId, events) {
      halve();
      const sent = (recent.get(tenantId) ?? 0) + events;
      recent.set(tenantId, sent);
      return turnAt(now(), sent < fewEvents ? 0 : 1 + Math.floor(Math.log2(sent / fewEvents) / 2));
    },
  };
}

/** The turn of events that are woken again, whoever sent them. */
export function turnOfRepeats(now: number): number {
  return turnAt(now, minutesOfRepeats);
}

/** 1 at least: for BullMQ 0 is no turn, but before all turns. */
function turnAt(now: number, minutesBack: number): number {
  return 1 + ((Math.floor(now / 60_000) + Math.min(minutesBack, mostMinutes)) % highestTurn);
}
