import { describe, expect, it } from '@jest/globals';
import { emptyReceiver } from '../receiver-form/receiver-draft.ts';
import { type ChosenField, emptyDraft, type WebhookDraft } from '../webhook-form/webhook-draft.ts';
import { rebased } from './changes.ts';
import { meetingsOf, withTheirs } from './meetings.ts';

const field = (key: ChosenField['key'], isSubscribedField = true): ChosenField => ({
  key,
  isSubscribedField,
  isDisplayAlwaysField: true,
});
const begun: WebhookDraft = {
  settings: { ...emptyDraft.settings, name: 'phones', webhookUrl: 'https://a.example.com' },
  fields: [field('field:2'), field('udf:2')],
  excluded: [3],
  receiver: emptyReceiver,
};
const stored: WebhookDraft = {
  settings: { ...begun.settings, name: 'theirs', webhookUrl: 'https://b.example.com' },
  fields: [field('field:2', false), field('udf:2')],
  excluded: [],
  receiver: { ...emptyReceiver, caCertificate: 'PEM' },
};
const edited: WebhookDraft = {
  settings: { ...begun.settings, name: 'mine', maxConcurrentCalls: 4 },
  fields: [field('udf:2'), field('field:9')],
  excluded: [3, 4],
  receiver: emptyReceiver,
};
const draft = rebased(begun, edited, stored);

describe('where an edit meets the changes of others', () => {
  it('is each part that others have changed, with my value where it is another one', () => {
    expect(meetingsOf(begun, stored, draft)).toEqual([
      { part: { kind: 'setting', key: 'name' }, was: 'phones', theirs: 'theirs', mine: 'mine' },
      {
        part: { kind: 'setting', key: 'webhookUrl' },
        was: 'https://a.example.com',
        theirs: 'https://b.example.com',
      },
      {
        part: { kind: 'field', key: 'field:2' },
        was: 'watched, always sent',
        theirs: 'always sent',
        mine: 'not chosen',
      },
      { part: { kind: 'excluded', resourceID: 3 }, was: true, theirs: false },
      {
        part: { kind: 'receiver' },
        was: expect.stringContaining('"caCertificate":""'),
        theirs: expect.stringContaining('"caCertificate":"PEM"'),
      },
    ]);
    expect(meetingsOf(begun, begun, edited)).toEqual([]);
  });

  it('keeps what I choose: theirs in a part, and mine in the others', () => {
    const chosen = meetingsOf(begun, stored, draft).reduce(
      (before, { part }) => (part.kind === 'field' ? before : withTheirs(before, stored, part)),
      draft,
    );
    expect(chosen).toEqual({
      settings: { ...stored.settings, maxConcurrentCalls: 4 },
      fields: [field('udf:2'), field('field:9')],
      excluded: [4],
      receiver: stored.receiver,
    });
    expect(withTheirs(chosen, stored, { kind: 'field', key: 'field:2' }).fields).toContainEqual(
      field('field:2', false),
    );
  });
});
