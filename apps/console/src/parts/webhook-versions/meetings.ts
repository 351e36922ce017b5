import type { WebhookSettings } from '../settings-form/form-settings.ts';
import type { ChosenField, FieldKey, WebhookDraft } from '../webhook-form/webhook-draft.ts';

/** A part of a webhook that was changed by someone else while it was edited. */
export interface Meeting {
  readonly part:
    | { readonly kind: 'setting'; readonly key: keyof WebhookSettings }
    | { readonly kind: 'field'; readonly key: FieldKey }
    | { readonly kind: 'excluded'; readonly resourceID: number }
    | { readonly kind: 'receiver' };
  /** When the edit began. */
  readonly was: PartValue;
  /** What is stored now. */
  readonly theirs: PartValue;
  /** What is to be saved, where it is another value. */
  readonly mine?: PartValue;
}

/** The value of a setting, the use of a field, whether a resource is excluded, or the draft of the receiver as JSON. */
export type PartValue = string | number | boolean | null;

/**
 * Where an edit meets the changes of others.
 * @param begun what was stored when the edit began.
 * @param stored what is stored now.
 * @param draft what is to be saved, with the changes of others where it has none of its own.
 */
export function meetingsOf(begun: WebhookDraft, stored: WebhookDraft, draft: WebhookDraft): Meeting[] {
  return partsOf([begun, stored]).flatMap((part) => {
    const [was, theirs, mine] = [begun, stored, draft].map((one) => valueOf(one, part)) as [
      PartValue,
      PartValue,
      PartValue,
    ];
    if (was === theirs) return [];
    return [{ part, was, theirs, ...(mine !== theirs && { mine }) }];
  });
}

/** A draft with what is stored in place of the edit of one part. */
export function withTheirs(draft: WebhookDraft, stored: WebhookDraft, part: Meeting['part']): WebhookDraft {
  if (part.kind === 'setting') {
    return { ...draft, settings: { ...draft.settings, [part.key]: stored.settings[part.key] } };
  }
  if (part.kind === 'field') {
    const remaining = draft.fields.filter(({ key }) => key !== part.key);
    return { ...draft, fields: [...remaining, ...stored.fields.filter(({ key }) => key === part.key)] };
  }
  if (part.kind === 'receiver') return { ...draft, receiver: stored.receiver };
  const { resourceID } = part;
  const remaining = draft.excluded.filter((id) => id !== resourceID);
  return { ...draft, excluded: stored.excluded.includes(resourceID) ? [...remaining, resourceID] : remaining };
}

function partsOf(drafts: readonly WebhookDraft[]): Meeting['part'][] {
  const all = <Part>(parts: (draft: WebhookDraft) => readonly Part[]) => [...new Set(drafts.flatMap(parts))];
  const keys = all(({ settings }) => Object.keys(settings) as (keyof WebhookSettings)[]);
  return [
    ...keys.map((key) => ({ kind: 'setting', key }) as const),
    ...all(({ fields }) => fields.map(({ key }) => key)).map((key) => ({ kind: 'field', key }) as const),
    ...all(({ excluded }) => excluded).map((resourceID) => ({ kind: 'excluded', resourceID }) as const),
    { kind: 'receiver' },
  ];
}

function valueOf({ settings, fields, excluded, receiver }: WebhookDraft, part: Meeting['part']): PartValue {
  if (part.kind === 'setting') return settings[part.key] ?? null;
  if (part.kind === 'receiver') return JSON.stringify(receiver);
  if (part.kind === 'excluded') return excluded.includes(part.resourceID);
  return wordsFor(fields.find(({ key }) => key === part.key));
}

function wordsFor(field: ChosenField | undefined): string {
  if (field === undefined) return 'not chosen';
  const { isSubscribedField, isDisplayAlwaysField } = field;
  if (isSubscribedField && isDisplayAlwaysField) return 'watched, always sent';
  if (isSubscribedField) return 'watched';
  return isDisplayAlwaysField ? 'always sent' : 'chosen';
}
