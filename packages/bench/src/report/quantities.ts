/** Quantities as reports show them. */
export function wholeNumber(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 0 });
}

export function milliseconds(value: number): string {
  if (Number.isNaN(value)) return 'n/a';
  return `${value < 100 ? value.toFixed(1) : wholeNumber(value)} ms`;
}

export function mebibytes(bytes: number): string {
  return `${wholeNumber(bytes / 2 ** 20)} MiB`;
}
