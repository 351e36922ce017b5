/** Milliseconds as a person reads them; the unit never stands alone on the next line. */
export const durationText = (ms: number): string =>
  ms < 10_000 ? `${ms.toLocaleString()}\u00A0ms` : `${(ms / 1_000).toFixed(1)}\u00A0s`;

/** A share from 0 to 1 as a percentage on one line: what is little is not shown as nothing. */
export function shareText(share: number): string {
  if (share > 0 && share < 0.001) return '<\u00A00.1\u00A0%';
  return `${(share * 100).toFixed(share < 0.1 && share > 0 ? 1 : 0)}\u00A0%`;
}

/** Such as `1 callout` and `1,200 callouts`. */
export const calloutsText = (count: number): string =>
  `${count.toLocaleString()} ${count === 1 ? 'callout' : 'callouts'}`;
