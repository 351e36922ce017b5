import { Note } from './fact.tsx';
import { useRelativeTime } from './relative-time.ts';

const parts = { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit', second: '2-digit' } as const;
const ofThisYear = new Intl.DateTimeFormat(undefined, { ...parts, timeZoneName: 'short' });
const ofOtherYears = new Intl.DateTimeFormat(undefined, { ...parts, year: 'numeric', timeZoneName: 'short' });

/** The year is named where it is not that in which the page was opened. */
const thisYear = new Date().getFullYear();
const formatOf = (at: Date) => (at.getFullYear() === thisYear ? ofThisYear : ofOtherYears);

interface TimeProps {
  /** ISO 8601, as the API writes it. */
  readonly value: string;
  /** In a column of a table: how long ago it was stands below the time, and not beside it. */
  readonly isStacked?: boolean;
}

/** A time in the viewer's zone, which it names, and how long ago it was or will be; UTC on hover. */
export function Time({ value, isStacked = false }: TimeProps) {
  const at = new Date(value);
  const relative = useRelativeTime(at.getTime());
  return (
    <time
      dateTime={value}
      title={`${at.toISOString().replace('T', ' ').replace('Z', '')} UTC`}
      className={isStacked ? 'time is-stacked' : 'time'}
    >
      <span className="one-line">{formatOf(at).format(at)}</span>{' '}
      {isStacked ? <Note span>{relative}</Note> : <span className="one-line">({relative})</span>}
    </time>
  );
}

const moment = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/u;

/** A sentence of the API; the moments in it are shown in the viewer's zone. */
export function Sentence({ text }: { readonly text: string }) {
  // A pattern with a group keeps what it splits by, at the odd places.
  return text.split(moment).map((part, place) => (place % 2 === 1 ? <Time key={part} value={part} /> : part));
}

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
          The next attempt is at <Time value={next} />.
        </>
      )}
    </>
  );
}
