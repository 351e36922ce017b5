/** How long a body may go without enough of it coming. */
const WINDOW_MS = 5_000;
/** The least that must arrive within each window; even senders on bad lines are faster. */
const LEAST_BYTES = 4_096;
/** From here on capacity is scarce, and large bodies must arrive faster. */
const SCARCE_FILL = 0.5;
/** The part of its present size by which a body must grow within each window while capacity is scarce. */
const SCARCE_SHARE = 1 / 16;

interface Watched {
  /** The bytes that have come so far. */
  readonly received: () => number;
  /** How much capacity is in use, 0 to 1; see `Reservation`. */
  readonly fill: () => number;
  /** Called once, when too little has come. */
  readonly onStalled: () => void;
}

/**
 * Watches a body while it arrives, since a stalled one occupies capacity. A body that stops is found within seconds, a
 * slow one only while capacity is scarce: when it grows by less than a sixteenth within a window.
 * @returns a function that stops watching; it must be called when the body has arrived or is refused.
 */
export function watchProgress({ received, fill, onStalled }: Watched): () => void {
  let before = 0;
  const timer = setInterval(() => {
    const now = received();
    const least = Math.max(LEAST_BYTES, fill() > SCARCE_FILL ? now * SCARCE_SHARE : 0);
    if (now - before < least) onStalled();
    before = now;
  }, WINDOW_MS);
  return () => clearInterval(timer);
}
