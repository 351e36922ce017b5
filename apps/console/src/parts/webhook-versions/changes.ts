import type { ReceiverDraft } from '../receiver-form/receiver-draft.ts';
import type { WebhookSettings } from '../settings-form/form-settings.ts';
import type { ChosenField, FieldKey, WebhookDraft } from '../webhook-form/webhook-draft.ts';

/** What a draft changes of what is stored. */
export interface Changes {
  readonly settings: Partial<WebhookSettings>;
  readonly addedFields: readonly ChosenField[];
  readonly changedFields: readonly ChosenField[];
  readonly removedFields: readonly FieldKey[];
  readonly excluded: readonly number[];
  readonly included: readonly number[];
  /** Null: it stays. */
  readonly receiver: ReceiverDraft | null;
}

/** What must be done to `stored` so that it becomes `draft`. */
export function changesOf(stored: WebhookDraft, draft: WebhookDraft): Changes {
  const before = new Map(stored.fields.map((field) => [field.key, field]));
  const kept = new Set(draft.fields.map(({ key }) => key));
  return {
    settings: changedSettings(stored.settings, draft.settings),
    addedFields: draft.fields.filter(({ key }) => !before.has(key)),
    changedFields: draft.fields.filter((field) => isOther(before.get(field.key), field)),
    removedFields: stored.fields.flatMap(({ key }) => (kept.has(key) ? [] : [key])),
    excluded: draft.excluded.filter((id) => !stored.excluded.includes(id)),
    included: stored.excluded.filter((id) => !draft.excluded.includes(id)),
    receiver: JSON.stringify(stored.receiver) === JSON.stringify(draft.receiver) ? null : draft.receiver,
  };
}

function changedSettings(stored: WebhookSettings, draft: WebhookSettings): Partial<WebhookSettings> {
  const keys = Object.keys(draft) as (keyof WebhookSettings)[];
  return Object.fromEntries(keys.flatMap((key) => (stored[key] === draft[key] ? [] : [[key, draft[key]]])));
}

function isOther(before: ChosenField | undefined, field: ChosenField): boolean {
  return (
    before !== undefined &&
    (before.isSubscribedField !== field.isSubscribedField || before.isDisplayAlwaysField !== field.isDisplayAlwaysField)
  );
}

/** How many settings, fields and resources are changed; authentication and headers count as one. */
export function countOf({ settings, receiver, ...lists }: Changes): number {
  const single = Object.keys(settings).length + (receiver === null ? 0 : 1);
  return Object.values(lists).reduce((sum, list) => sum + list.length, single);
}

/**
 * A draft that was begun on `base`, on what is stored by now: what was edited stays edited, and what others have changed
 * meanwhile is taken over.
 */
export function rebased(base: WebhookDraft, draft: WebhookDraft, stored: WebhookDraft): WebhookDraft {
  if (base === stored) return draft;
  const { settings, addedFields, changedFields, removedFields, excluded, included, receiver } = changesOf(base, draft);
  const edited = new Map([...addedFields, ...changedFields].map((field) => [field.key, field]));
  const fields = stored.fields.filter(({ key }) => !removedFields.includes(key));
  const storedKeys = new Set(stored.fields.map(({ key }) => key));
  const keptExcluded = stored.excluded.filter((id) => !included.includes(id));
  return {
    settings: { ...stored.settings, ...settings },
    fields: [
      ...fields.map((field) => edited.get(field.key) ?? field),
      ...addedFields.filter(({ key }) => !storedKeys.has(key)),
    ],
    excluded: [...keptExcluded, ...excluded.filter((id) => !keptExcluded.includes(id))],
    receiver: receiver ?? stored.receiver,
  };
}
