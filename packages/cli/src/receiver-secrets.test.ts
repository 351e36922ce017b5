import { expect, it } from '@jest/globals';
import { receiverSecretsIn } from './receiver-secrets.ts';

/** A data directory in memory. */
function directoryWith(text?: string) {
  let kept = text;
  return { read: async () => kept, write: async (_name: string, written: string) => void (kept = written) };
}

it('keeps each secret once, the newest hundred', async () => {
  const directory = directoryWith();
  const { known, add } = await receiverSecretsIn(directory);
  expect(known).toEqual([]);
  const names = Array.from({ length: 101 }, (_, at) => `secret ${at}`);
  await Promise.all([...names, 'secret 5'].map(add));
  expect((await receiverSecretsIn(directory)).known).toEqual([
    ...names.filter((one) => one !== 'secret 5').slice(1),
    'secret 5',
  ]);
});

it.each(['', '{', 'null', '[1, ""]'])('reads a file with %j as none', async (text) => {
  expect((await receiverSecretsIn(directoryWith(text))).known).toEqual([]);
});
