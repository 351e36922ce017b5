/** How long a body may go without enough of it coming. */
const WINDOW_MS = 5_000;
/** What must come within each window at least: senders on the worst of lines do better. */
const LEAST_BYTES = 4_096;
/** From here on room is scarce, and what holds much of it must come faster. */
const SCARCE_FILL = 0.5;
/** Of what a body holds already, this must come in addition within each window while room is scarce. */
const SCARCE_SHARE = 1 / 16;

interface Watched {
  /** The bytes that have come so far. */
  readonly received: () => number;
  /** How much room is in use, 0 to 1; see `Room`. */
  readonly fill: () => number;
  /** Called once, when too little has come. */
  readonly onStalled: () => void;
}

/**
 * Watches a body while it arrives, since one that stalls keeps others out of the room that it holds. A body that stops is
 * found within seconds, a slow one only while room is scarce: when a window brings less than a sixteenth of what has come.
 * @returns stops watching; must be called when the body has arrived or is refused.
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
