import { describe, expect, it } from '@jest/globals';
import { changesOf, countOf, rebased } from './changes.ts';
import { emptyReceiver } from '../receiver-form/receiver-draft.ts';
import { type ChosenField, emptyDraft, type FieldKey, type WebhookDraft } from '../webhook-form/webhook-draft.ts';

const field = (key: FieldKey, isSubscribedField = true): ChosenField => ({
  key,
  isSubscribedField,
  isDisplayAlwaysField: false,
});
const stored: WebhookDraft = {
  settings: { ...emptyDraft.settings, name: 'phones' },
  fields: [field('field:2'), field('udf:2')],
  excluded: [3],
  receiver: emptyReceiver,
};
const receiver = { ...emptyReceiver, caCertificate: 'PEM' };

describe('the changes of a draft', () => {
  it('are none where nothing was edited', () => {
    expect(countOf(changesOf(stored, stored))).toBe(0);
  });

  it('name what is to be sent and nothing else', () => {
    const draft = {
      settings: { ...stored.settings, name: 'numbers', isSubscribedToDeleteEvents: false },
      fields: [field('udf:2', false), field('field:9')],
      excluded: [4],
      receiver,
    };
    const changes = changesOf(stored, draft);
    expect(changes).toEqual({
      settings: { name: 'numbers', isSubscribedToDeleteEvents: false },
      addedFields: [field('field:9')],
      changedFields: [field('udf:2', false)],
      removedFields: ['field:2'],
      excluded: [4],
      included: [3],
      receiver,
    });
    expect(countOf(changes)).toBe(8);
  });
});

describe('a draft on what others have changed meanwhile', () => {
  it('keeps what was edited and takes over the rest', () => {
    const draft = {
      settings: { ...stored.settings, name: 'numbers' },
      fields: [field('field:2', false), field('udf:2'), field('field:9')],
      excluded: [3, 5],
      receiver: emptyReceiver,
    };
    const now = {
      settings: { ...stored.settings, webhookUrl: 'https://hooks.example.com/new' },
      fields: [field('field:2'), field('field:12')],
      excluded: [4],
      receiver,
    };
    expect(rebased(stored, draft, now)).toEqual({
      settings: { ...stored.settings, name: 'numbers', webhookUrl: 'https://hooks.example.com/new' },
      fields: [field('field:2', false), field('field:12'), field('field:9')],
      excluded: [4, 5],
      receiver,
    });
  });

  it('has nothing left to save once everything is stored', () => {
    const draft = { ...stored, fields: [field('udf:2'), field('field:9')], excluded: [] };
    expect(countOf(changesOf(draft, rebased(stored, draft, draft)))).toBe(0);
  });
});
