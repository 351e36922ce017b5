/** Events, and how they are sent. */
export interface Load {
  readonly name: string;
  readonly events: number;
  /** Events in one POST /EntityEvents. */
  readonly batch: number;
  /** Webhooks that every event is owed to. */
  readonly fanout: number;
  /** Events per second offered; 0 is as many as are accepted. */
  readonly rate: number;
  /** Requests of the driver under way at once. */
  readonly connections: number;
  /** Events before the measurement, at least; one creates each company that the load changes. */
  readonly warmup: number;
}

const single = { batch: 1, fanout: 1, rate: 0, connections: 64, warmup: 0 };

/** The loads of docs/sizing.md, which the benchmark runs unless it is given another one. */
export const usualLoads: readonly Load[] = [
  { ...single, name: '50 single events/s', events: 750, rate: 50, warmup: 1500 },
  { ...single, name: '200 single events/s', events: 2000, rate: 200, warmup: 3000 },
  { ...single, name: '64 connections', events: 12_000 },
  { ...single, name: '64 conn., 10 webhooks', events: 2000, fanout: 10 },
  { ...single, name: 'batches of 100', events: 20_000, batch: 100, connections: 8 },
];
