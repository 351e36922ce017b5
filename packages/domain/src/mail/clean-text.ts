/**
 * Characters that change the order or the line of the text around them. Joiners stay: emoji and some scripts need them.
 */
const directionsAndLines = /[\u061C\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069\uFEFF]/gu;
const controls = /\p{Cc}/gu;
const someControls = /\p{Cc}+/gu;

/** A name as a line that reads as spelled: control characters are stripped. May be empty then. */
export function cleanName(name: string): string {
  return name.toWellFormed().replace(controls, '').replace(directionsAndLines, '').trim();
}

/** A text of any origin as one line of at most `maxLength` UTF-16 units. */
export function oneLine(text: string, maxLength: number): string {
  const line = text.toWellFormed().replace(someControls, ' ').replace(directionsAndLines, '').trim();
  if (line.length <= maxLength) return line;
  // Without half a surrogate pair at the end.
  return `${line.slice(0, maxLength - 1).replace(/\p{Cs}$/u, '')}…`;
}
