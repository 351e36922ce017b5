import { describe, expect, it } from '@jest/globals';
import { watchedSentence, watchedWebhookSentence } from './watched.ts';

const url = 'https://callout.example.com/atservicesrest';

describe('what tail says first', () => {
  it.each([
    [[], `${url}, which has no webhook of yours yet: nothing is sent until \`callout webhooks create\``],
    [[false, false], `${url}, where none of 2 webhooks is active`],
    [[true, false], `Watching 1 active webhook at ${url}. Each attempt is shown when it ends`],
    [[true, true], `Watching 2 active webhooks at ${url}.`],
  ])('of webhooks whose being active is %j, says what it waits for', (active, sentence) => {
    const webhooks = active.map((isActive) => ({ isActive }));
    expect(watchedSentence(webhooks, url)).toContain(sentence);
  });

  it.each([
    [{ isActive: true, webhookUrl: 'https://shop.example.com/hook' }, 'which sends to https://shop.example.com/hook.'],
    [{ isActive: true, webhookUrl: 'pull:' }, '`callout listen --webhook CompanyWebhooks/3` does so'],
    [{ isActive: false, webhookUrl: 'pull:' }, '`callout webhooks activate CompanyWebhooks/3`'],
  ])('of one webhook, %j, says where its callouts go', (webhook, sentence) => {
    expect(watchedWebhookSentence('CompanyWebhooks/3', webhook)).toContain(sentence);
  });
});
