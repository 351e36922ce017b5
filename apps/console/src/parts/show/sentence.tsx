import { Time } from './time.tsx';

const moment = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/u;

/** A sentence of the API; the moments in it are shown in the viewer's zone. */
export function Sentence({ text }: { readonly text: string }) {
  // A pattern with a group keeps what it splits by, at the odd places.
  return text.split(moment).map((part, place) => (place % 2 === 1 ? <Time key={part} value={part} /> : part));
}
