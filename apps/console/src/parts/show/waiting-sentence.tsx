import { Sentence } from './sentence.tsx';
import { Time } from './time.tsx';

interface Waiting {
  /** What the callout waits for, in a word and in a sentence. */
  readonly waitsFor: { readonly reason: string; readonly message: string };
  readonly nextAttemptDateTime: string | null;
}

/** One that is due waits for something else than its time. */
const reasonsOfDue = new Set(['worker', 'fetching', 'answer']);

/** What a callout waits for, and its next attempt where that is to come and the sentence does not say when. */
export function WaitingSentence({ waitsFor: { reason, message }, nextAttemptDateTime: next }: Waiting) {
  const isTold = next === null || reasonsOfDue.has(reason) || /\d{4}-\d\d-\d\dT/u.test(message);
  return (
    <>
      <Sentence text={message} />
      {!isTold && (
        <>
          {' '}
          The next attempt: <Time value={next} />.
        </>
      )}
    </>
  );
}
