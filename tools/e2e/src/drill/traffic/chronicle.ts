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

/** The changes of a webhook, oldest first, as recorded by the client that made them. */
export interface Chronicle {
  readonly chapters: readonly Chapter[];
  /** The number of times it became inactive or was deleted: each causes one call. */
  readonly deactivations: number;
}

/** By the webhook's name. */
export type Chronicles = ReadonlyMap<string, Chronicle>;

/** The webhook at a version; undefined for an unknown one. */
export function chapterAt({ chapters }: Chronicle, version: number): Chapter | undefined {
  return chapters.findLast(({ fromVersion }) => fromVersion <= version);
}

/** Whether the webhook was deactivated after a version: then callouts that were open are cancelled. */
export function wasDeactivatedAfter({ chapters }: Chronicle, version: number): boolean {
  return chapters.some(
    ({ fromVersion, webhook, isDeleted }) => fromVersion > version && (isDeleted || !webhook.isActive),
  );
}
