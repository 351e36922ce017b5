import { useSyncExternalStore } from 'react';

/** A secret that the API shows no more, until the person says that it is copied. */
export interface NewSecret {
  /** Of the webhook, such as `Account/3`. */
  readonly webhook: string;
  readonly secretKey: string;
  readonly cause: 'created' | 'rotated';
  /** What the API notes about a webhook that was created. */
  readonly warnings: readonly string[];
}

/**
 * In the memory of this tab and nowhere else: what browsers store for a site, for the session too, is written to the disk and
 * copied into tabs that are duplicated. So a reload would lose it, and the browser asks before.
 */
let secrets: readonly NewSecret[] = [];
const listeners = new Set<() => void>();

const askBeforeUnload = (event: Event): void => event.preventDefault();

function set(next: readonly NewSecret[]): void {
  secrets = next;
  if (next.length === 0) globalThis.removeEventListener('beforeunload', askBeforeUnload);
  else globalThis.addEventListener('beforeunload', askBeforeUnload);
  for (const listener of listeners) listener();
}

const without = (webhook: string) => secrets.filter((one) => one.webhook !== webhook);

/** Keeps a secret in sight while its page is left and opened again. */
export const keepSecret = (secret: NewSecret): void => set([...without(secret.webhook), secret]);

/** The person has copied it. */
export const forgetSecret = (webhook: string): void => set(without(webhook));

/** The person signs out. */
export const forgetSecrets = (): void => set([]);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The secret of a webhook, such as `Account/3`, that is not copied yet. */
export function useNewSecret(webhook: string): NewSecret | undefined {
  return useSyncExternalStore(subscribe, () => secrets.find((one) => one.webhook === webhook));
}
