import type { DrillWebhook } from './webhooks.ts';

/** A webhook as it was from one version of its configuration on. */
export interface Chapter {
  readonly fromVersion: number;
  /** Its subscription and whether it was active. */
  readonly webhook: DrillWebhook;
  readonly isDeleted: boolean;
  /** When it last became active, by the database's clock; null: never. */
  readonly activatedAt: Date | null;
}

/** What was done to a webhook, oldest first, as the client that did it recorded it. */
export interface Chronicle {
  readonly chapters: readonly Chapter[];
  /** How often it went from active to inactive, or was deleted: each owes one call. */
  readonly deactivations: number;
}

/** By the webhook's name. */
export type Chronicles = ReadonlyMap<string, Chronicle>;

/** The webhook as it was at a version; undefined for one that never was. */
export function chapterAt({ chapters }: Chronicle, version: number): Chapter | undefined {
  return chapters.findLast(({ fromVersion }) => fromVersion <= version);
}

/** Whether the webhook was deactivated after a version: then callouts that were open are cancelled. */
export function wasDeactivatedAfter({ chapters }: Chronicle, version: number): boolean {
  return chapters.some(
    ({ fromVersion, webhook, isDeleted }) => fromVersion > version && (isDeleted || !webhook.isActive),
  );
}
