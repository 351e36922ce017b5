import { describe, expect, it } from '@jest/globals';
import { countOlder, orderSentence } from './redelivery-order.rules.ts';

describe('countOlder', () => {
  it('counts callouts with a lower number than one of their record that was delivered', () => {
    const callouts = [
      { recordId: 1, sequenceNumber: 3 },
      { recordId: 1, sequenceNumber: 9 },
      { recordId: 2, sequenceNumber: 4 },
      { recordId: 3, sequenceNumber: 5 },
    ];
    const delivered = new Map([
      [1, 7],
      [2, 2],
      [4, 100],
    ]);
    expect(countOlder(callouts, delivered)).toBe(1);
    expect(countOlder([], delivered)).toBe(0);
  });
});

describe('orderSentence', () => {
  const behind = 'Later callouts of the same records that are still open wait behind them.';

  it.each([
    [0, 0, 'There is nothing to redeliver.'],
    [3, 0, `No receiver gets an older value after a newer one. ${behind}`],
    [
      1,
      1,
      `The callout is older than a callout of the same record that was delivered since: its receiver gets an older value after a newer one, and can tell by SequenceNumber. ${behind}`,
    ],
    [
      5,
      1,
      `1 of 5 callouts is older than a callout of the same record that was delivered since: their receivers get older values after newer ones, and can tell by SequenceNumber. ${behind}`,
    ],
    [
      5,
      2,
      `2 of 5 callouts are older than a callout of the same record that was delivered since: their receivers get older values after newer ones, and can tell by SequenceNumber. ${behind}`,
    ],
  ])('of %d callouts, %d of them older', (queued, older, sentence) => {
    expect(orderSentence({ queued, older })).toBe(sentence);
  });
});
