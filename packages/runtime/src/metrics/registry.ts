import { Registry } from 'prom-client';

/** The metrics of one process, none of them yet; `metrics()` is their text in the form that Prometheus reads. */
export function createRegistry(): Registry {
  return new Registry();
}
